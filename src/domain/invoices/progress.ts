import {
  anything,
  bigint,
  type Codec,
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

const storedPayment = object({
  /** Identifies the transfer. */
  key: text,
  usdcBase: bigint,
  /** Absent where the key names it. */
  txHash: optional(text),
  blockNumber: number,
  /** Absent for purchases through the proxy. */
  blockTime: optional(text),
  from: text,
  matchedBy: oneOf(matchers),
  confirmed: optional(flag),
})

export type Payment = Required<Omit<Decoded<typeof storedPayment>, 'blockTime'>> &
  Pick<Decoded<typeof storedPayment>, 'blockTime'>

/** Without what the key says already. */
export const payment: Codec<Payment> = {
  decode(json) {
    const { key, usdcBase, txHash = hashIn(key), ...rest } = storedPayment.decode(json)
    return { key, usdcBase, txHash, ...rest, confirmed: rest.confirmed ?? false }
  },
  encode({ txHash, confirmed, ...rest }) {
    return storedPayment.encode?.({
      ...rest,
      ...(txHash !== hashIn(rest.key) && { txHash }),
      ...(confirmed && { confirmed }),
    })
  },
}

/** The transaction in `chain:txHash:position`, or in a purchase's `x402:chain:txHash`. */
function hashIn(key: string): string {
  return key.split(':')[key.startsWith('x402:') ? 2 : 1] ?? ''
}

const storedSettlement = object({
  id: text,
  receiptId: text,
  /** Which of the payments it is by. Absent: it has the members of `transfer`. */
  payment: optional(number),
  confirmations: number,
  settledAt: text,
})

const transfer = object({
  txHash: text,
  blockNumber: number,
  from: text,
  matchedBy: oneOf(matchers),
})

/** By the transfer that completed the amount due, at a depth of `confirmations` blocks. */
export type Settlement = Omit<Decoded<typeof storedSettlement>, 'payment'> &
  Decoded<typeof transfer>

/** By one of these payments, whose facts are not said again. */
export function settlement(payments: readonly Payment[]): Codec<Settlement> {
  return {
    decode(json) {
      const { payment, id, receiptId, confirmations, settledAt } = storedSettlement.decode(json)
      const by = transfer.decode(payment === undefined ? json : payments[payment])
      const { txHash, blockNumber, from, matchedBy } = by
      return { id, receiptId, txHash, blockNumber, from, confirmations, matchedBy, settledAt }
    },
    encode(value) {
      const { id, receiptId, txHash, blockNumber, from, confirmations, matchedBy, settledAt } =
        value
      const at = payments.findIndex(
        (one) =>
          one.txHash === txHash &&
          one.blockNumber === blockNumber &&
          one.from === from &&
          one.matchedBy === matchedBy,
      )
      return at < 0 ? value : { id, receiptId, payment: at, confirmations, settledAt }
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
