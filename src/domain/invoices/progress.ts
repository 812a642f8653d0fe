import {
  bigint,
  type Decoded,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../codec.ts'

/** The rules that match a transfer to its invoice: contract §5. */
export const matchers = [
  'reference',
  'address',
  'claim',
  'asked',
  'payer',
  'amount',
  'operator',
] as const

export type MatchedBy = (typeof matchers)[number]

export const failures = ['voided', 'expired', 'credited'] as const

export type Failure = (typeof failures)[number]

const payment = object({
  /** Identifies the transfer. */
  key: text,
  usdcBase: bigint,
  txHash: text,
  blockNumber: number,
  /** Absent for purchases through the proxy. */
  blockTime: optional(text),
  from: text,
  matchedBy: oneOf(matchers),
  confirmed: flag,
})

export type Payment = Decoded<typeof payment>

const settlement = object({
  id: text,
  receiptId: text,
  txHash: text,
  blockNumber: number,
  from: text,
  confirmations: number,
  matchedBy: oneOf(matchers),
  settledAt: text,
})

/** By the transfer that completed the amount due, at a depth of `confirmations` blocks. */
export type Settlement = Decoded<typeof settlement>

const credit = object({
  noteId: text,
  /** `CN-2026-0001`, or the number of a purchase's seller. */
  number: text,
  /** Of the invoice's currency, in its `scale`. */
  totalUnits: bigint,
  /** What it takes off the amount due. */
  usdcBase: bigint,
  /** The part of that which has been paid and is to be given back. */
  refundUsdcBase: bigint,
})

/** What a credit note has taken back. */
export type Credit = Decoded<typeof credit>

export const progress = object({
  /** The state to which a reverted payment returns the invoice. */
  resume: oneOf(['draft', 'sent', 'failed']),
  sentAt: nullable(text),
  completedAt: nullable(text),
  failure: nullable(oneOf(failures)),
  payments: list(payment),
  settlement: nullable(settlement),
  /** Absent before the first. */
  credits: optional(list(credit)),
})

export type Progress = Decoded<typeof progress>

export const newProgress: Progress = {
  resume: 'draft',
  sentAt: null,
  completedAt: null,
  failure: null,
  payments: [],
  settlement: null,
}

/** The sum of some payments, in USDC base units. */
export function sumUsdcBase(payments: readonly Pick<Payment, 'usdcBase'>[]): bigint {
  return payments.reduce((sum, payment) => sum + payment.usdcBase, 0n)
}
