import { creditedUnits } from '../../domain/invoices/balance.ts'
import { issuedAtOf, numberOf } from '../../domain/invoices/figures.ts'
import { acceptsPayment, acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { Party, Terms } from '../../domain/invoices/terms.ts'
import { type Badge, badgeOf, sharedNotesOf } from '../badge.ts'
import { statedOf } from '../stated.ts'
import { clean, type Fact, knownFacts, lines } from '../texts.ts'
import { english } from '../words/english.ts'
import type { Words } from '../words/words.ts'
import { exemptionNotesOf, itemsOf, joinedIfMore, totalsOf } from './items.ts'
import { paymentOf, restOf, settlementOf } from './payment-blocks.ts'

/**
 * Part of each document's ETag. Raise it when an invoice's document changes, to replace cached
 * copies.
 */
export const edition = 1

export type InvoiceDocument = ReturnType<typeof documentOf>

export type Side = ReturnType<typeof sideOf>

export function documentOf(invoice: Invoice, words: Words, asked = restOf(invoice)) {
  const { say } = words
  const { terms, progress, createdAt, updatedAt } = invoice
  const number = numberOf(invoice, 'api')
  const stated = statedOf(invoice)
  return {
    id: invoice.id,
    language: words.language,
    labels: labelsOf(words, say('invoice')),
    number,
    title: `${say('invoice')} ${number}`,
    badge: badgeOf(invoice, words) as Badge | null,
    stamp: progress.failure === 'voided' ? say('voidStamp') : null,
    createdAt,
    updatedAt,
    facts: factsOf(invoice, words),
    ...partiesOf(terms, words),
    // Lines need wider columns than the one of the flat form.
    ...(terms.lines && { isWide: true as const }),
    items: itemsOf(stated, terms, words),
    ...totalsOf(stated, terms, words),
    payment: acceptsTransfer(invoice) ? paymentOf(invoice, words, asked) : null,
    settlement: progress.payments.length > 0 ? settlementOf(invoice, words) : null,
    notes: notesOf(invoice, words),
  }
}

/** `heading` is what the document calls itself. */
export function labelsOf({ texts }: Words, heading: string) {
  const { from, billedTo, description, quantity, unitPrice, vat, amount, pageOf } = texts
  return { heading, from, billedTo, description, quantity, unitPrice, vat, amount, pageOf }
}

function factsOf(invoice: Invoice, { say, day, moment, money }: Words): readonly Fact[] {
  const { terms, progress } = invoice
  const takenBackUnits = creditedUnits(invoice)
  const takenBack = money(takenBackUnits, terms.scale, terms.currency)
  return knownFacts([
    [say('dateOfIssue'), day(issuedAtOf(invoice))],
    [say('dueDate'), terms.dueAt && moment(terms.dueAt)],
    [say('credited'), takenBackUnits > 0n ? takenBack : null],
    [say('paidOn'), progress.settlement && day(progress.settlement.settledAt)],
    [say('purchaseOrder'), terms.poNumber && clean(terms.poNumber)],
    [say('buyerReference'), terms.buyerReference && clean(terms.buyerReference)],
    [say('agent'), terms.agentId && clean(terms.agentId)],
    [say('mandate'), terms.mandateId],
  ])
}

export function partiesOf({ isPurchase, seller, buyer }: Terms, words: Words) {
  const { name, lines } = sideOf(seller, words)
  return {
    seller: { name, lines: isPurchase && seller.wallet ? [...lines, seller.wallet] : lines },
    buyer: isUnknown(buyer) ? null : sideOf(buyer, words),
  }
}

/** As on what anybody with the link may read. */
function isUnknown(party: Party): boolean {
  return Object.values(party).every((value) => value === null)
}

function sideOf(party: Party, words: Words) {
  const { name, email, vat } = party
  return {
    name: clean(name ?? '') || '—',
    lines: [
      ...joinedIfMore(addressOf(party, words), maxAddressLines),
      ...(email === null ? [] : [clean(email)]),
      ...(vat === null ? [] : [words.say('vatId', { id: clean(vat) })]),
    ],
  }
}

const maxAddressLines = 8

// The country as the last line, unless the address names it.
function addressOf({ address, country }: Party, words: Words): readonly string[] {
  const given = lines(address)
  if (!country) return given
  const names = [words.country(country), english.country(country), country]
  const last = (given.at(-1) ?? '').toLowerCase()
  return names.some((name) => last.endsWith(name.toLowerCase()))
    ? given
    : [...given, names[0] ?? '']
}

function notesOf(invoice: Invoice, words: Words): readonly string[] {
  const { say } = words
  const { terms, progress } = invoice
  const isUntaxed = !terms.lines && terms.tax.rateBasisPoints === 0
  const isVoid = progress.failure === 'voided'
  return [
    ...(terms.isPurchase && acceptsPayment(invoice) ? [say('paidThroughProxy')] : []),
    ...sharedNotesOf(invoice, words),
    ...(isUntaxed ? [say('noVat')] : []),
    ...(terms.lines ? exemptionNotesOf(statedOf(invoice), words) : []),
    ...(terms.currency === 'USD' && !isVoid ? [say('dollarIsUsdc')] : []),
  ]
}
