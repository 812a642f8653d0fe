import { statusDetailOf } from '../domain/invoices/figures.ts'
import { acceptsTransfer, type Invoice, isExpired } from '../domain/invoices/invoice.ts'
import { recordedOnly, stillTaken } from './texts.ts'

/** Where an invoice stands, as its page and its XML have to agree on it. */

/** `stamp` is written across the page of what is not an invoice yet, or no more. */
export type Badge = {
  readonly label: string
  readonly tone: 'open' | 'pending' | 'done' | 'closed'
  readonly stamp: 'DRAFT' | 'VOID' | null
}

/** Where an invoice stands, for whoever reads its document. */
export function badgeOf(invoice: Invoice): Badge {
  switch (statusDetailOf(invoice)) {
    case 'draft':
      // The `/v1` family has no drafts: its invoices are due at once.
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

/** The notes that an invoice has on its page and in its XML. */
export function sharedNotesOf(invoice: Invoice): readonly string[] {
  const { isPurchase, tax } = invoice.terms
  return [
    ...(isExpired(invoice) && acceptsTransfer(invoice) ? [stillTaken] : []),
    ...(isPurchase && tax.taxUnits > 0n ? [recordedOnly] : []),
  ]
}
