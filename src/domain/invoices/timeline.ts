import { toAmount, usdcScale } from '../money/money.ts'
import type { Invoice } from './invoice.ts'
import type { Payment } from './progress.ts'

/** One row of the trail; `data` is JSON text. */
export type Entry = {
  readonly sequence: number
  readonly type: string
  readonly data: string
  readonly createdAt: string
}

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

/** Oldest first. The stored trail lacks the creation. */
export function timelineOf(invoice: Invoice, trail: readonly Entry[]): Timeline {
  const created: Step = {
    sequence: 1,
    type: 'invoice.created',
    createdAt: invoice.createdAt,
    txHash: null,
    reason: null,
  }
  const read = trail.map((entry) => ({ entry, about: JSON.parse(entry.data) as About }))
  // Later entries refer to a transfer by its key only.
  const hashes = new Map(
    read.flatMap(({ about: { payment } }) => (payment ? [[payment.key, payment.txHash]] : [])),
  )
  const steps = read.map(({ entry: { sequence, type, createdAt }, about }): Step => {
    const txHash = about.payment?.txHash ?? about.txHash ?? hashes.get(about.key ?? '') ?? null
    const step = { sequence, type, createdAt, txHash, reason: about.failureReason ?? null }
    return about.credit ? { ...step, creditNote: about.credit.number } : step
  })
  return { data: [created, ...steps], transfers: invoice.progress.payments.map(transferOf) }
}

type About = {
  readonly payment?: { readonly key: string; readonly txHash: string }
  readonly key?: string
  readonly txHash?: string
  readonly failureReason?: string
  readonly credit?: { readonly number: string }
}

function transferOf({ key: _, usdcBase, ...payment }: Payment): Transfer {
  return { amount: toAmount(usdcBase, usdcScale), ...payment }
}
