import type { Rate } from '../money/money.ts'
import type { InvoiceChain } from '../network.ts'
import type { StatusDetail } from './figures.ts'

/**
 * What anybody with the link to an invoice's payment page may know: what is due, to whom and where,
 * and whether it has arrived; nothing of the buyer. Amounts are decimal USDC, unless said
 * otherwise.
 */
export type Payable = {
  readonly invoiceNumber: string
  readonly status: string
  readonly statusDetail: StatusDetail
  /** Whether it is paid through the x402 proxy: no transfer to `paymentAddress` is for it. */
  readonly isPurchase: boolean
  /** Whether a transfer may still be credited to it. */
  readonly takesPayment: boolean
  /**
   * A transfer of what is due has arrived that is credited to nobody, because it fitted the invoice
   * of another account as well.
   */
  readonly isHeld: boolean
  readonly isExpired: boolean
  readonly isLate: boolean
  readonly sellerName: string | null
  readonly description: string | null
  readonly currency: string
  /** What the invoice is over, tax included: a decimal of `currency`. */
  readonly total: string
  /** The tax in `total`; null without any. */
  readonly tax: string | null
  /** How `total` was converted; null where 1 of `currency` is 1 USDC. */
  readonly fx: Rate | null
  readonly dueAt: string | null
  readonly chain: InvoiceChain
  readonly paymentAddress: string
  /** Whether `paymentAddress` belongs to this invoice alone. */
  readonly hasOwnAddress: boolean
  readonly reference: string
  /** Whether a transfer without `reference` would not be credited by itself. */
  readonly needsReference: boolean
  readonly amountDue: string
  readonly amountReceived: string
  /** Null: nothing remains. */
  readonly amountRemaining: string | null
  /**
   * What to send: what remains; but all that is due where dust is all that has been received, as
   * that is recognised by its amount. Null: nothing remains.
   */
  readonly amountAsked: string | null
  /** Null: nothing was overpaid. */
  readonly overpaidAmount: string | null
  /** Requests `amountAsked`; null where what it leads to would not be credited. */
  readonly paymentUri: string | null
  /**
   * `paymentUri` as a QR code: an SVG path of its dark squares, within a square of `side` units;
   * null without a `paymentUri`.
   */
  readonly qr: { readonly path: string; readonly side: number } | null
  readonly txHash: string | null
  readonly receiptId: string | null
}
