import { type CreditNote, numberOf } from '../../domain/credit-notes/credit-note.ts'
import * as Invoices from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { effectsOf } from '../credit-effects.ts'
import { creditedOf } from '../stated.ts'
import { clean, type Fact, knownFacts } from '../texts.ts'
import type { Words } from '../words/words.ts'
import { type InvoiceDocument, labelsOf, partiesOf } from './invoice-document.ts'
import { exemptionNotesOf, itemsOf, totalsOf } from './items.ts'

/** Every word of a credit note's page; `invoice` is the one that it credits. */
export function creditDocumentOf(
  note: CreditNote,
  invoice: Invoice,
  words: Words,
): InvoiceDocument {
  const { say } = words
  const { terms } = invoice
  const number = numberOf(note)
  const preceding = Invoices.numberOf(invoice, 'api')
  const stated = creditedOf(note, invoice, say('creditOf', { invoice: preceding }))
  const isRefunded = note.state === 'refunded'
  return {
    id: note.id,
    language: words.language,
    labels: labelsOf(words, say('creditNote')),
    number,
    title: `${say('creditNote')} ${number}`,
    badge: isRefunded ? { label: `✓ ${say('refunded')}`, tone: 'done' } : null,
    stamp: null,
    createdAt: note.createdAt,
    updatedAt: note.updatedAt,
    facts: factsOf(note, invoice, words),
    ...partiesOf(terms, words),
    isWide: true,
    items: itemsOf(stated, terms, words),
    ...totalsOf(stated, terms, words),
    payment: null,
    settlement: null,
    notes: [
      ...reasonOf(note, words),
      ...effectsOf(note, invoice, words),
      ...(terms.lines ? exemptionNotesOf(stated, words) : []),
    ],
  }
}

function factsOf(note: CreditNote, invoice: Invoice, { say, day }: Words): readonly Fact[] {
  const { buyerReference } = invoice.terms
  const preceding = `${Invoices.numberOf(invoice, 'api')}, ${day(Invoices.issuedAtOf(invoice))}`
  return knownFacts([
    [say('dateOfIssue'), day(note.createdAt)],
    [say('invoice'), preceding],
    [say('buyerReference'), buyerReference && clean(buyerReference)],
  ])
}

function reasonOf({ terms }: CreditNote, { say }: Words): readonly string[] {
  const reason = clean(terms.reason ?? '')
  return reason ? [`${say('reason')}: ${reason}`] : []
}
