import { toAmount, usdcScale } from '../money/money.ts'
import type { Event } from './evolve.ts'
import type { Invoice } from './invoice.ts'
import type { Payment } from './progress.ts'
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
export type Transfer = Omit<Payment, 'key' | 'usdcBase'> & { readonly amount: string }

export type Timeline = { readonly data: readonly Step[]; readonly transfers: readonly Transfer[] }

/**
 * Enough for the life of any invoice; thousands of tiny transfers to it make the list no longer.
 */
const mostSteps = 200

/** Oldest first: the creation, and what has happened last. */
export function timelineOf(invoice: Invoice, trail: readonly Entry[]): Timeline {
  const hashes = new Map<string, string>()
  const steps = replay(invoice, trail).map(({ sequence, event, createdAt }): Step => {
    const { type } = event
    if (type === 'payment.credited') hashes.set(event.payment.key, event.payment.txHash)
    const txHash = hashOf(event, hashes)
    const step = { sequence, type, createdAt, txHash, reason: reasonOf(event) }
    return type === 'invoice.credited' ? { ...step, creditNote: event.credit.number } : step
  })
  const data = [...steps.slice(0, 1), ...steps.slice(1).slice(-mostSteps)]
  return { data, transfers: invoice.progress.payments.map(transferOf) }
}

/** Of the transaction that an event is about; `hashes` are those of payments by their keys. */
function hashOf(event: Event, hashes: ReadonlyMap<string, string>): string | null {
  switch (event.type) {
    case 'payment.credited':
      return event.payment.txHash
    case 'payment.confirmed':
    case 'payment.reverted':
      return hashes.get(event.key) ?? null
    case 'invoice.settled':
    case 'settlement.confirmed':
    case 'settlement.failed':
      return event.settlement.txHash
    default:
      return null
  }
}

function reasonOf(event: Event): string | null {
  return 'reason' in event ? event.reason : null
}

function transferOf({ key: _, usdcBase, ...payment }: Payment): Transfer {
  return { amount: toAmount(usdcBase, usdcScale), ...payment }
}
