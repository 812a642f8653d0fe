import {
  bigint,
  type Decoded,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../codec.ts'
import { breakdown } from '../invoices/lines.ts'
import { forms } from '../invoices/terms.ts'
import { networks } from '../network.ts'

/** `refunded`: every refund that it promises is proven. */
export const states = ['issued', 'refunded'] as const

export type State = (typeof states)[number]

const creditedLine = object({
  /** The place of the invoice's line, from 1. */
  line: number,
  /** A decimal of at most six places. */
  quantity: text,
  netUnits: bigint,
})

export type CreditedLine = Decoded<typeof creditedLine>

/** Everything fixed at issue. `*Units` have `scale` decimals, as those of the invoice. */
export const terms = object({
  /** The family that created the invoice; it decides how amounts in events are written. */
  form: oneOf(forms),
  reason: nullable(text),
  currency: text,
  scale: number,
  /** The currency's own decimals, where `scale` is more. */
  minorScale: optional(number),
  /** The credited invoice's own year and number. */
  invoice: object({ year: number, number }),
  countryCode: nullable(text),
  /** Absent where no lines were named. */
  lines: optional(list(creditedLine)),
  /** The bases add up to the subtotal, the taxes to the tax. */
  breakdown,
  subtotalUnits: bigint,
  taxUnits: bigint,
  totalUnits: bigint,
  /** What it takes off the amount due, or off what a settled invoice was paid with. */
  usdcBase: bigint,
  /** Where the invoice was payable: its refunds come from there. */
  chain: oneOf(networks),
  payTo: text,
  usdcAddress: text,
  /** The seller's note about something bought through the proxy. */
  isPurchase: optional(oneOf([true])),
  /** The number that this seller gave it: it is in no series of the account. */
  sellerNumber: optional(text),
})

export type Terms = Decoded<typeof terms>

const proof = object({
  txHash: text,
  position: number,
  blockNumber: number,
  blockTime: text,
  from: text,
})

/** The transfer that paid a refund, final on its chain. */
export type Proof = Decoded<typeof proof>

const refund = object({
  /**
   * Whose payment is given back, as in transfers: of a mint it is nobody (`payerOf`). A note has at
   * most one refund for each payer.
   */
  payer: text,
  /**
   * Where the payer wants it: `payer`, unless another address was signed for. Null until the seller
   * has named one for nobody's.
   */
  refundTo: nullable(text),
  /** How many statements of its payer have named an address. */
  sequence: number,
  usdcBase: bigint,
  proof: nullable(proof),
  /** The counter-receipt of a proven refund. */
  receiptId: nullable(text),
})

export type Refund = Decoded<typeof refund>

export const progress = object({
  /** Further wallets from which the seller refunds. */
  wallets: list(text),
  refunds: list(refund),
})

export type Progress = Decoded<typeof progress>

/** Takes a part of one invoice back. Instants are ISO 8601 in UTC. */
export type CreditNote = {
  readonly id: string
  readonly accountId: string
  readonly invoiceId: string
  readonly year: number
  /** Gapless per account and year; 0 until the commit, null for a seller's note. */
  readonly number: number | null
  /** The number of events so far; it guards the next commit. */
  readonly version: number
  readonly state: State
  readonly createdAt: string
  readonly updatedAt: string
  readonly terms: Terms
  readonly progress: Progress
}

/** `CN-2026-0001`, or the number that the seller of a purchase gave it. */
export function numberOf({
  year,
  number,
  terms,
}: Pick<CreditNote, 'year' | 'number' | 'terms'>): string {
  return terms.sellerNumber ?? `CN-${year}-${String(number).padStart(4, '0')}`
}
