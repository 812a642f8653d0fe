import { issuedAtOf, numberOf } from '../../domain/invoices/figures.ts'
import { acceptsPayment, acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { Party } from '../../domain/invoices/terms.ts'
import { badgeOf, sharedNotesOf } from '../badge.ts'
import { clean, type Fact, knownFacts, lines } from '../texts.ts'
import type { Words } from '../words/words.ts'
import { paymentOf, restOf, settlementOf } from './payment-blocks.ts'

/**
 * Part of each document's ETag. Raise it when an invoice's document changes, to replace cached
 * copies.
 */
export const edition = 1

export type InvoiceDocument = ReturnType<typeof documentOf>

export type Side = ReturnType<typeof sideOf>

export function documentOf(invoice: Invoice, words: Words, asked = restOf(invoice)) {
  const { say, money } = words
  const { terms, progress, createdAt, updatedAt } = invoice
  const { currency, scale, subtotalUnits, tax, totalUnits } = terms
  const amount = money(subtotalUnits, scale, currency)
  const number = numberOf(invoice, 'api')
  const described = joinedIfMore(lines(terms.description), maxDescriptionLines)
  return {
    id: invoice.id,
    language: words.language,
    labels: labelsOf(words),
    number,
    title: `${say('invoice')} ${number}`,
    badge: badgeOf(invoice, words),
    stamp: progress.failure === 'voided' ? say('voidStamp') : null,
    createdAt,
    updatedAt,
    facts: factsOf(invoice, words),
    seller: sideOf(terms.seller, words),
    buyer: isUnknown(terms.buyer) ? null : sideOf(terms.buyer, words),
    item: {
      description: described.length > 0 ? described : [say('services')],
      quantity: '1',
      unitPrice: amount,
      taxRate: words.percent(tax.rateBasisPoints ?? 0),
      amount,
    },
    totals: [
      { label: say('subtotal'), value: amount },
      { label: taxLabel(invoice, words), value: money(tax.taxUnits, scale, currency) },
    ],
    total: { label: say('total'), value: money(totalUnits, scale, currency) },
    payment: acceptsTransfer(invoice) ? paymentOf(invoice, words, asked) : null,
    settlement: progress.payments.length > 0 ? settlementOf(invoice, words) : null,
    notes: notesOf(invoice, words),
  }
}

function labelsOf({ texts }: Words) {
  const { invoice, from, billedTo, description, quantity, unitPrice, vat, amount, pageOf } = texts
  return { invoice, from, billedTo, description, quantity, unitPrice, vat, amount, pageOf }
}

function factsOf(invoice: Invoice, { say, day, moment }: Words): readonly Fact[] {
  const { terms, progress } = invoice
  return knownFacts([
    [say('dateOfIssue'), day(issuedAtOf(invoice))],
    [say('dueDate'), terms.dueAt && moment(terms.dueAt)],
    [say('paidOn'), progress.settlement && day(progress.settlement.settledAt)],
    [say('purchaseOrder'), terms.poNumber && clean(terms.poNumber)],
    [say('agent'), terms.agentId && clean(terms.agentId)],
    [say('mandate'), terms.mandateId],
  ])
}

/** As on what anybody with the link may read. */
function isUnknown(party: Party): boolean {
  return Object.values(party).every((value) => value === null)
}

function sideOf({ name, email, address, vat }: Party, { say }: Words) {
  return {
    name: clean(name ?? '') || '—',
    lines: [
      ...joinedIfMore(lines(address), maxAddressLines),
      ...(email === null ? [] : [clean(email)]),
      ...(vat === null ? [] : [say('vatId', { id: clean(vat) })]),
    ],
  }
}

const maxAddressLines = 8
// Several pages; more would take seconds to draw.
const maxDescriptionLines = 200

function joinedIfMore(found: readonly string[], most: number): readonly string[] {
  return found.length > most ? [found.join(', ')] : found
}

function taxLabel({ terms: { tax } }: Invoice, { say, percent, country }: Words): string {
  if (tax.countryCode === null) return say('vat')
  const rate = percent(tax.rateBasisPoints ?? 0)
  return say('vatIn', { rate, country: country(tax.countryCode) })
}

function notesOf(invoice: Invoice, words: Words): readonly string[] {
  const { say } = words
  const { terms, progress } = invoice
  const isTaxed = terms.tax.rateBasisPoints !== 0
  const isVoid = progress.failure === 'voided'
  return [
    ...(terms.isPurchase && acceptsPayment(invoice) ? [say('paidThroughProxy')] : []),
    ...sharedNotesOf(invoice, words),
    ...(isTaxed ? [] : [say('noVat')]),
    ...(terms.currency === 'USD' && !isVoid ? [say('dollarIsUsdc')] : []),
  ]
}
