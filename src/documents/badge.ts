import { statusDetailOf } from '../domain/invoices/figures.ts'
import { acceptsTransfer, type Invoice, isExpired } from '../domain/invoices/invoice.ts'
import { recordedOnly, stillPayable } from './texts.ts'

/** `stamp` is written across the page. */
export type Badge = {
  readonly label: string
  readonly tone: 'open' | 'pending' | 'done' | 'closed'
  readonly stamp: 'DRAFT' | 'VOID' | null
}

export function badgeOf(invoice: Invoice): Badge {
  switch (statusDetailOf(invoice)) {
    case 'draft':
      // Invoices of `/v1` have no draft status: they are due at once.
      return invoice.terms.form === 'v1' ? due : { label: 'Draft', tone: 'closed', stamp: 'DRAFT' }
    case 'sent':
      return due
    case 'partly_paid':
      return { label: 'Partly paid', tone: 'open', stamp: null }
    case 'paid':
      return { label: 'Paid, not yet confirmed', tone: 'pending', stamp: null }
    case 'settled':
    case 'completed':
      return { label: '✓ Paid', tone: 'done', stamp: null }
    case 'expired':
      return { label: 'Expired', tone: 'closed', stamp: null }
    case 'void':
      return { label: 'Void', tone: 'closed', stamp: 'VOID' }
  }
}

const due: Badge = { label: 'Due', tone: 'open', stamp: null }

/** The notes that appear both on an invoice's page and in its XML. */
export function sharedNotesOf(invoice: Invoice): readonly string[] {
  const { isPurchase, tax } = invoice.terms
  return [
    ...(isExpired(invoice) && acceptsTransfer(invoice) ? [stillPayable] : []),
    ...(isPurchase && tax.taxUnits > 0n ? [recordedOnly] : []),
  ]
}
