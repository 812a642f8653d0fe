import { toAmount, usdcScale } from '../money/money.ts'
import type { Invoice } from './invoice.ts'
import type { Payment } from './progress.ts'

/** One row of an invoice's trail; `data` is JSON text. */
export type Entry = {
  readonly sequence: number
  readonly type: string
  readonly data: string
  readonly createdAt: string
}

/** One event in the life of an invoice, as its owner reads it. */
export type Step = {
  readonly sequence: number
  readonly type: string
  readonly createdAt: string
  /** The transaction it is about; null: none. */
  readonly txHash: string | null
  /** Why the invoice failed; null for any other event. */
  readonly reason: string | null
}

/** A transfer credited to an invoice; `amount` is decimal USDC. */
export type Transfer = Omit<Payment, 'key' | 'usdcBase'> & { readonly amount: string }

export type Timeline = { readonly data: readonly Step[]; readonly transfers: readonly Transfer[] }

/** The timeline of an invoice, oldest first. The stored trail lacks the creation. */
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
    return { sequence, type, createdAt, txHash, reason: about.failureReason ?? null }
  })
  return { data: [created, ...steps], transfers: invoice.progress.payments.map(transferOf) }
}

/** The members of an entry's data that a timeline shows. */
type About = {
  readonly payment?: { readonly key: string; readonly txHash: string }
  readonly key?: string
  readonly txHash?: string
  readonly failureReason?: string
}

function transferOf({ key: _, usdcBase, ...payment }: Payment): Transfer {
  return { amount: toAmount(usdcBase, usdcScale), ...payment }
}
