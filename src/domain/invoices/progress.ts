import {
  anything,
  bigint,
  type Codec,
  type Decoded,
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

const storedPayment = object({
  /** Identifies the transfer. */
  key: text,
  usdcBase: bigint,
  blockNumber: number,
  /** Absent for purchases through the proxy. */
  blockTime: optional(text),
  from: text,
  matchedBy: oneOf(matchers),
  /** Its amount is what payers were asked for, though it was matched by another rule. */
  asked: optional(oneOf([true])),
  confirmed: optional(oneOf([true])),
})

export type Payment = Omit<Decoded<typeof storedPayment>, 'confirmed'> & {
  readonly txHash: string
  readonly confirmed: boolean
}

/** Without its transaction, which the key names. */
export const payment: Codec<Payment> = {
  decode(json) {
    const { key, usdcBase, confirmed = false, ...rest } = storedPayment.decode(json)
    return { key, usdcBase, txHash: hashIn(key), ...rest, confirmed }
  },
  encode: ({ txHash: _, confirmed, ...rest }) =>
    storedPayment.encode?.({ ...rest, ...(confirmed && { confirmed }) }),
}

/** The transaction in `chain:txHash:position`, or in a purchase's `x402:chain:txHash`. */
export function hashIn(key: string): string {
  return key.split(':')[key.startsWith('x402:') ? 2 : 1] ?? ''
}

const storedSettlement = object({
  id: text,
  receiptId: text,
  /** Which of the payments it is by. */
  payment: number,
  confirmations: number,
  settledAt: text,
})

/** By the transfer that completed the amount due, at a depth of `confirmations` blocks. */
export type Settlement = Omit<Decoded<typeof storedSettlement>, 'payment'> &
  Pick<Payment, 'txHash' | 'blockNumber' | 'from' | 'matchedBy'>

/** By one of these payments, whose facts are not said again. */
export function settlement(payments: readonly Payment[]): Codec<Settlement> {
  return {
    decode(json) {
      const { payment: at, id, receiptId, ...rest } = storedSettlement.decode(json)
      const by = payments[at]
      if (!by) throw new TypeError('is by no payment')
      const { txHash, blockNumber, from, matchedBy } = by
      return { id, receiptId, txHash, blockNumber, from, matchedBy, ...rest }
    },
    encode({ txHash, blockNumber, from, matchedBy, ...rest }) {
      const at = payments.findIndex(
        (one) =>
          one.txHash === txHash &&
          one.blockNumber === blockNumber &&
          one.from === from &&
          one.matchedBy === matchedBy,
      )
      if (at < 0) throw new TypeError('a settlement is by one of the payments')
      return storedSettlement.encode?.({ ...rest, payment: at })
    },
  }
}

export const credit = object({
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

const storedProgress = object({
  /** The state to which a reverted payment returns the invoice. */
  resume: oneOf(['draft', 'sent', 'failed']),
  sentAt: nullable(text),
  completedAt: nullable(text),
  failure: nullable(oneOf(failures)),
  /** Absent: none. */
  payments: optional(list(payment)),
  settlement: optional(anything),
  /** Absent before the first. */
  credits: optional(list(credit)),
})

export type Progress = Omit<Decoded<typeof storedProgress>, 'payments' | 'settlement'> & {
  readonly payments: readonly Payment[]
  readonly settlement: Settlement | null
}

export const progress: Codec<Progress> = {
  decode(json) {
    const { payments = [], settlement: found, ...rest } = storedProgress.decode(json)
    const by = found === undefined ? null : settlement(payments).decode(found)
    return { ...rest, payments, settlement: by }
  },
  encode({ payments, settlement: by, ...rest }) {
    return storedProgress.encode?.({
      ...rest,
      ...(payments.length > 0 && { payments }),
      ...(by && { settlement: settlement(payments).encode?.(by) }),
    })
  },
}

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
