import { toAmount, usdcScale } from '../money/money.ts'
import { payerOf } from '../network.ts'
import type { Event } from './evolve.ts'
import type { Invoice } from './invoice.ts'
import { hashIn, type Payment } from './progress.ts'
import { type Entry, replay } from './trail.ts'

export type Step = {
  readonly sequence: number
  readonly type: string
  readonly createdAt: string
  readonly txHash: string | null
  /** Why the invoice failed. */
  readonly reason: string | null
  /** The number of the credit note that took a part back. */
  readonly creditNote?: string
}

/** `amount` is decimal USDC. */
export type Transfer = Omit<Payment, 'key' | 'usdcBase' | 'from'> & {
  readonly amount: string
  /** Null for a mint. */
  readonly from: string | null
}

export type Timeline = { readonly data: readonly Step[]; readonly transfers: readonly Transfer[] }

/**
 * Enough for the life of any invoice; thousands of tiny transfers to it make the list no longer.
 */
const mostSteps = 200

/** Oldest first: the creation, and what has happened last. */
export function timelineOf(invoice: Invoice, trail: readonly Entry[]): Timeline {
  const steps = replay(invoice, trail).map(({ event, invoice: { version, updatedAt } }): Step => {
    const reason = 'reason' in event ? event.reason : null
    const step = { sequence: version, type: event.type, createdAt: updatedAt }
    const note = event.type === 'invoice.credited' && { creditNote: event.credit.number }
    return { ...step, txHash: hashOf(event), reason, ...note }
  })
  const data = [...steps.slice(0, 1), ...steps.slice(1).slice(-mostSteps)]
  return { data, transfers: invoice.progress.payments.map(transferOf) }
}

/** Of the transaction that an event is about. */
function hashOf(event: Event): string | null {
  if ('settlement' in event) return event.settlement.txHash
  if ('payment' in event) return event.payment.txHash
  return 'key' in event ? hashIn(event.key) : null
}

function transferOf({ key: _, usdcBase, ...payment }: Payment): Transfer {
  return { amount: toAmount(usdcBase, usdcScale), ...payment, from: payerOf(payment.from) }
}
