/** What anybody who has the link to an invoice's payment page may know: what is due, where, and whether it came. Amounts are decimals of USDC. */
export type Payable = {
  readonly invoiceNumber: string
  readonly status: string
  readonly isExpired: boolean
  readonly isLate: boolean
  readonly description: string | null
  readonly dueAt: string | null
  readonly chain: string
  readonly paymentAddress: string
  /** Whether that address is this invoice's alone. */
  readonly hasOwnAddress: boolean
  readonly reference: string
  readonly amountDue: string
  readonly amountReceived: string
  /** Null: nothing. */
  readonly amountRemaining: string | null
  /** Null: nothing. */
  readonly overpaidAmount: string | null
  /** Asks for what has not come yet; null once no transfer is taken. */
  readonly paymentUri: string | null
  /** The same to scan: an SVG path of dark squares, in a square whose side is `side`. */
  readonly qr: { readonly path: string; readonly side: number } | null
  readonly txHash: string | null
  readonly receiptId: string | null
}
