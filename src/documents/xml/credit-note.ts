import { type CreditNote, numberOf } from '../../domain/credit-notes/credit-note.ts'
import * as Invoices from '../../domain/invoices/figures.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { effectsOf } from '../credit-effects.ts'
import { creditedOf } from '../stated.ts'
import { clean } from '../texts.ts'
import { english } from '../words/english.ts'
import { amountsOf } from './amounts.ts'
import { type EInvoice, figureNotesOf, sharedOf, sumsOf } from './einvoice.ts'

/** A credit note in the terms of the standard; `invoice` is the one that it credits. */
export function eCreditNoteOf(note: CreditNote, invoice: Invoice): EInvoice {
  const { reason, subtotalUnits, taxUnits, totalUnits } = note.terms
  const preceding = Invoices.numberOf(invoice, 'api')
  const invoicedOn = Invoices.issuedAtOf(invoice).slice(0, 10)
  const about = english.say('creditOf', { invoice: preceding })
  const stated = creditedOf(note, invoice, about)
  const amounts = amountsOf(stated, invoice.terms)
  const figures = [subtotalUnits, taxUnits, totalUnits]
  return {
    kind: 'credit_note',
    number: numberOf(note),
    issuedOn: note.createdAt.slice(0, 10),
    dueOn: null,
    notes: [
      ...(clean(reason ?? '') ? [clean(reason ?? '')] : []),
      ...figureNotesOf(invoice.terms, figures, amounts.roundingCents),
    ],
    precedes: { number: preceding, issuedOn: invoicedOn },
    // BR-CO-25 asks for terms.
    payment: { transfer: null, terms: effectsOf(note, invoice, english).join(' ') || about },
    sums: sumsOf(amounts, amounts.exactCents),
    ...sharedOf(invoice.terms, amounts, invoicedOn),
  }
}
