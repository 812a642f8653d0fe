import { issuedAtOf, numberOf } from '../../domain/invoices/figures.ts'
import { acceptsPayment, acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { Party } from '../../domain/invoices/terms.ts'
import { find } from '../../domain/money/tax.ts'
import { badgeOf, sharedNotesOf } from '../badge.ts'
import {
  clean,
  day,
  type Fact,
  knownFacts,
  lines,
  moment,
  money,
  paidThroughProxy,
  percent,
} from '../texts.ts'
import { paymentOf, settlementOf } from './payment-blocks.ts'

/**
 * Part of each document's ETag. Raise it when an invoice's document changes, to replace cached
 * copies.
 */
export const edition = 1

export type InvoiceDocument = ReturnType<typeof documentOf>

export type Side = ReturnType<typeof sideOf>

export function documentOf(invoice: Invoice) {
  const { terms, progress, createdAt, updatedAt } = invoice
  const { currency, scale, subtotalUnits, tax, totalUnits } = terms
  const amount = money(subtotalUnits, scale, currency)
  const described = joinedIfMore(lines(terms.description), maxDescriptionLines)
  return {
    id: invoice.id,
    number: numberOf(invoice, 'api'),
    badge: badgeOf(invoice),
    createdAt,
    updatedAt,
    facts: factsOf(invoice),
    seller: sideOf(terms.seller),
    buyer: sideOf(terms.buyer),
    item: {
      description: described.length > 0 ? described : ['Services'],
      quantity: '1',
      unitPrice: amount,
      taxRate: percent(tax.rateBasisPoints),
      amount,
    },
    totals: [
      { label: 'Subtotal, excluding VAT', value: amount },
      { label: taxLabel(invoice), value: money(tax.taxUnits, scale, currency) },
    ],
    total: { label: 'Total', value: money(totalUnits, scale, currency) },
    payment: acceptsTransfer(invoice) ? paymentOf(invoice) : null,
    settlement: progress.payments.length > 0 ? settlementOf(invoice) : null,
    notes: notesOf(invoice),
  }
}

function factsOf(invoice: Invoice): readonly Fact[] {
  const { terms, progress } = invoice
  return knownFacts([
    ['Date of issue', day(issuedAtOf(invoice))],
    ['Due', terms.dueAt && moment(terms.dueAt)],
    ['Paid', progress.settlement && day(progress.settlement.settledAt)],
    ['Purchase order', terms.poNumber && clean(terms.poNumber)],
    ['Agent', terms.agentId && clean(terms.agentId)],
    ['Mandate', terms.mandateId],
  ])
}

function sideOf({ name, email, address, vat }: Party) {
  return {
    name: clean(name ?? '') || '—',
    lines: [
      ...joinedIfMore(lines(address), maxAddressLines),
      ...(email === null ? [] : [clean(email)]),
      ...(vat === null ? [] : [`VAT id ${clean(vat)}`]),
    ],
  }
}

const maxAddressLines = 8
// Several pages; more would take seconds to draw.
const maxDescriptionLines = 200

function joinedIfMore(found: readonly string[], most: number): readonly string[] {
  return found.length > most ? [found.join(', ')] : found
}

function taxLabel({ terms: { tax } }: Invoice): string {
  const country = tax.countryCode && (find(tax.countryCode)?.country ?? tax.countryCode)
  return country ? `VAT ${percent(tax.rateBasisPoints)}, ${country}` : 'VAT'
}

function notesOf(invoice: Invoice): readonly string[] {
  const { terms, progress } = invoice
  const isTaxed = terms.tax.rateBasisPoints > 0
  const isVoid = progress.failure === 'voided'
  return [
    ...(terms.isPurchase && acceptsPayment(invoice) ? [paidThroughProxy] : []),
    ...sharedNotesOf(invoice),
    ...(isTaxed ? [] : ['No VAT has been charged.']),
    ...(terms.currency === 'USD' && !isVoid ? ['1 USD is paid as 1 USDC.'] : []),
  ]
}
