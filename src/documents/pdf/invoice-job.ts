import type { Invoice } from '../../domain/invoices/invoice.ts'
import { ciiOf } from '../xml/cii.ts'
import { eInvoiceOf } from '../xml/einvoice.ts'
import { documentOf } from './invoice-document.ts'
import type { Job } from './pdf.tsx'

/** The rendering job of an invoice: its page, and the XML embedded in it. */
export function jobOf(invoice: Invoice, eInvoice = eInvoiceOf(invoice)): Job {
  return { document: documentOf(invoice), xml: ciiOf(eInvoice) }
}
