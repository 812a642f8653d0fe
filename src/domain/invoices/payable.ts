import type { Rate } from '../money/money.ts'
import type { Network } from '../network.ts'
import type { HeldPayment } from '../settlement/transfer-list.ts'
import type { StatusDetail } from './figures.ts'

/** What anybody with the link may know. Amounts are decimal USDC unless said otherwise. */
export type Payable = {
  readonly id: string
  readonly invoiceNumber: string
  readonly status: string
  readonly statusDetail: StatusDetail
  /** Paid through the x402 proxy: no transfer to `paymentAddress` is for it. */
  readonly isPurchase: boolean
  readonly takesPayment: boolean
  /** Payments on `chain` are being read. */
  readonly accepting: boolean
  readonly isHeld: boolean
  /** Held transfers of what is due or asked: they may be for another invoice. */
  readonly held: readonly HeldPayment[]
  readonly isExpired: boolean
  readonly isLate: boolean
  readonly sellerName: string | null
  readonly sellerAddress: string | null
  readonly sellerVat: string | null
  readonly sellerEmail: string | null
  readonly sellerWebsite: string | null
  /** The path of a PNG. */
  readonly sellerLogo: string | null
  readonly description: string | null
  readonly currency: string
  /** With tax, a decimal of `currency`. */
  readonly total: string
  /** Null without any. */
  readonly tax: string | null
  /** What credit notes have taken back of the total; null without any. */
  readonly credited: string | null
  /** Null where 1 of `currency` is 1 USDC. */
  readonly fx: Rate | null
  /** When the amount due was fixed. */
  readonly createdAt: string
  readonly dueAt: string | null
  readonly chain: Network
  readonly paymentAddress: string
  readonly usdcAddress: string
  /** `paymentAddress` belongs to this invoice alone. */
  readonly hasOwnAddress: boolean
  readonly reference: string
  /** A transfer without `reference` would not be credited by itself. */
  readonly needsReference: boolean
  readonly amountDue: string
  readonly amountReceived: string
  readonly amountRemaining: string | null
  /** What remains, or up to 999 millionths more: the amount identifies the invoice. */
  readonly amountAsked: string | null
  readonly overpaidAmount: string | null
  /** Requests `amountAsked`; null where a payment would not be credited. */
  readonly paymentUri: string | null
  /** `paymentUri` as the SVG path of the dark squares, in a square of `side` units. */
  readonly qr: { readonly path: string; readonly side: number } | null
  readonly txHash: string | null
  readonly receiptId: string | null
}
