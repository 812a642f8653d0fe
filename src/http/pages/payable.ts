import { qrOf } from '../../documents/qr.ts'
import {
  acceptsTransfer,
  type Invoice,
  isExpired,
  isLate,
  leftUsdcBase,
  receivedUsdcBase,
} from '../../domain/invoice.ts'
import { numberOf, statusOf } from '../../domain/invoice-figures.ts'
import { toAmount, usdcScale } from '../../domain/money.ts'
import type { Payable } from '../../domain/payable.ts'

/** What the pages need of storage and chains; `app.ts` provides it. */
export type PublicInvoices = {
  find(id: string): Promise<Invoice | undefined>
  /** The URI that a wallet opens to pay this much for the invoice. */
  paymentUri(invoice: Invoice, usdcBase: bigint): string
}

export function payableOf(invoice: Invoice, { paymentUri }: PublicInvoices): Payable {
  const { terms, progress, state } = invoice
  const receivedBase = receivedUsdcBase(invoice)
  const remainingBase = leftUsdcBase(invoice)
  const uri =
    acceptsTransfer(invoice) && remainingBase > 0n ? paymentUri(invoice, remainingBase) : null
  return {
    invoiceNumber: numberOf(invoice, 'api'),
    status: statusOf(state, 'api'),
    isExpired: isExpired(invoice),
    isLate: isLate(invoice),
    description: terms.description,
    dueAt: terms.dueAt,
    chain: terms.chain,
    paymentAddress: terms.payTo,
    hasOwnAddress: terms.depositIndex !== undefined,
    reference: terms.reference,
    amountDue: toAmount(terms.dueUsdcBase, usdcScale),
    amountReceived: toAmount(receivedBase, usdcScale),
    amountRemaining: remainingBase > 0n ? toAmount(remainingBase, usdcScale) : null,
    overpaidAmount: remainingBase < 0n ? toAmount(-remainingBase, usdcScale) : null,
    paymentUri: uri,
    qr: uri === null ? null : qrOf(uri),
    txHash: progress.settlement?.txHash ?? null,
    receiptId: progress.settlement?.receiptId ?? null,
  }
}
