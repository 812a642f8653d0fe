/**
 * What anybody with the link to an invoice's payment page may know: what is due, where, and whether
 * it has arrived. Amounts are decimal USDC.
 */
export type Payable = {
  readonly invoiceNumber: string
  readonly status: string
  readonly isExpired: boolean
  readonly isLate: boolean
  readonly description: string | null
  readonly dueAt: string | null
  readonly chain: string
  readonly paymentAddress: string
  /** Whether `paymentAddress` belongs to this invoice alone. */
  readonly hasOwnAddress: boolean
  readonly reference: string
  readonly amountDue: string
  readonly amountReceived: string
  /** Null: nothing remains. */
  readonly amountRemaining: string | null
  /** Null: nothing was overpaid. */
  readonly overpaidAmount: string | null
  /** Requests what has not arrived yet; null once no transfer is accepted any more. */
  readonly paymentUri: string | null
  /**
   * `paymentUri` as a QR code: an SVG path of its dark squares, within a square of `side` units;
   * null without a `paymentUri`.
   */
  readonly qr: { readonly path: string; readonly side: number } | null
  readonly txHash: string | null
  readonly receiptId: string | null
}
