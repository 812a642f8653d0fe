import type { Invoice } from '../domain/invoice.ts'
import { ciiOf } from './cii.ts'
import { eInvoiceOf } from './einvoice.ts'
import { documentOf } from './invoice-document.ts'
import type { Job } from './pdf.tsx'

/** The rendering job of an invoice: its page, and the XML embedded in it. */
export function jobOf(invoice: Invoice, eInvoice = eInvoiceOf(invoice)): Job {
  return { document: documentOf(invoice), xml: ciiOf(eInvoice) }
}
