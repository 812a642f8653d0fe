import { type Invoice, isLate, isOpen, type Party, receivedUsdcBase } from '../domain/invoice.ts'
import { numberOf } from '../domain/invoice-figures.ts'
import { find } from '../domain/tax.ts'
import { chains } from './explorers.ts'
import { clean, day, lines, moment, money, percent, usdc } from './texts.ts'

/** An invoice as people read it: every word and figure of its page, in order, nothing left to compute. */
export type InvoiceDocument = {
  readonly number: string
  readonly status: Status
  readonly createdAt: string
  readonly updatedAt: string
  readonly facts: readonly Fact[]
  readonly seller: Side
  readonly buyer: Side
  readonly item: {
    readonly description: string
    readonly quantity: string
    readonly unitPrice: string
    readonly taxRate: string
    readonly amount: string
  }
  readonly totals: readonly Fact[]
  readonly total: Fact
  readonly payment: Payment | null
  readonly settlement: Settlement | null
  readonly notes: readonly string[]
}

/** `stamp`: written across the page, for what must not be paid. */
export type Status = {
  readonly label: string
  readonly tone: 'open' | 'pending' | 'done' | 'closed'
  readonly stamp: string | null
}

export type Fact = { readonly label: string; readonly value: string; readonly link?: string }

export type Side = {
  readonly name: string
  readonly lines: readonly string[]
}

/** How to pay. `uri` is what a wallet scans; null once some of the money has come, as it asks for all of it. */
export type Payment = {
  readonly heading: string
  readonly facts: readonly Fact[]
  readonly uri: string | null
}

/** How it was paid; `transfers` with links to where anybody can look them up. */
export type Settlement = {
  readonly facts: readonly Fact[]
  readonly transfers: readonly Fact[]
}

/** The document of an invoice: the same invoice, the same document. What the invoice does not know is left out. */
export function documentOf(invoice: Invoice): InvoiceDocument {
  const { terms, progress, createdAt, updatedAt } = invoice
  const { currency, scale, subtotalUnits, tax, totalUnits } = terms
  const amount = money(subtotalUnits, scale, currency)
  return {
    number: numberOf(invoice, 'api'),
    status: statusOf(invoice),
    createdAt,
    updatedAt,
    facts: factsOf(invoice),
    seller: sideOf(terms.seller),
    buyer: sideOf(terms.buyer),
    item: {
      description: clean(terms.description ?? '') || 'Services',
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
    payment: isOpen(invoice) ? paymentOf(invoice) : null,
    settlement: progress.payments.length > 0 ? settlementOf(invoice) : null,
    notes: notesOf(invoice),
  }
}

function statusOf({ state, terms, progress }: Invoice): Status {
  switch (state) {
    case 'draft':
      // The `/v1` family knows no drafts: what it creates is due at once.
      return terms.form === 'v1' ? due : { label: 'Draft', tone: 'closed', stamp: 'DRAFT' }
    case 'sent':
      return due
    case 'paid':
      return { label: 'Paid, not yet confirmed', tone: 'pending', stamp: null }
    case 'settled':
    case 'completed':
      return { label: '✓ Paid', tone: 'done', stamp: null }
    case 'failed':
      return progress.failure === 'expired'
        ? { label: 'Expired', tone: 'closed', stamp: 'EXPIRED' }
        : { label: 'Void', tone: 'closed', stamp: 'VOID' }
  }
}

const due: Status = { label: 'Due', tone: 'open', stamp: null }

function factsOf({ id, terms, createdAt, progress }: Invoice): readonly Fact[] {
  return some([
    ['Date of issue', day(createdAt)],
    ['Due', terms.dueAt && moment(terms.dueAt)],
    ['Paid', progress.settlement && day(progress.settlement.settledAt)],
    ['Agent', terms.agentId && clean(terms.agentId)],
    ['Mandate', terms.mandateId],
    ['Invoice id', id],
  ])
}

function sideOf({ name, email, address, vat }: Party): Side {
  return {
    name: clean(name ?? '') || '—',
    lines: [
      ...lines(address),
      ...(email === null ? [] : [clean(email)]),
      ...(vat === null ? [] : [`VAT id ${clean(vat)}`]),
    ],
  }
}

function taxLabel({ terms: { tax } }: Invoice): string {
  const country = tax.countryCode && (find(tax.countryCode)?.country ?? tax.countryCode)
  return country ? `VAT ${percent(tax.rateBasisPoints)}, ${country}` : 'VAT'
}

function paymentOf(invoice: Invoice): Payment {
  const { terms } = invoice
  const receivedBase = receivedUsdcBase(invoice)
  const { name } = chains[terms.chain]
  return {
    heading: `Pay ${usdc(terms.dueUsdcBase - receivedBase)} on ${name}`,
    facts: some([
      ['To', terms.payTo],
      ['From', terms.payer],
      ['Token', `USDC, ${terms.usdcAddress}`],
      ['Reference', terms.reference],
      ['Received so far', receivedBase > 0n ? usdc(receivedBase) : null],
      ['Exchange rate', rateOf(invoice)],
    ]),
    uri: receivedBase > 0n ? null : terms.paymentUri,
  }
}

function settlementOf(invoice: Invoice): Settlement {
  const { terms, progress } = invoice
  const { name, explorer } = chains[terms.chain]
  const { settlement, payments } = progress
  const excessBase = receivedUsdcBase(invoice) - terms.dueUsdcBase
  return {
    facts: some([
      ['Received', `${usdc(receivedUsdcBase(invoice))} on ${name}`],
      ['Overpaid', excessBase > 0n ? usdc(excessBase) : null],
      ['Exchange rate', isOpen(invoice) ? null : rateOf(invoice)],
      ['To', terms.payTo],
      ['From', settlement && settlement.from],
      ['Confirmed', settlement && settledText(settlement, isLate(invoice))],
      ['Receipt', settlement && settlement.receiptId],
    ]),
    transfers: payments.map(({ txHash, usdcBase }) => ({
      label: usdc(usdcBase),
      value: txHash,
      link: explorer + txHash,
    })),
  }
}

type Confirmed = { readonly settledAt: string; readonly blockNumber: number }

function settledText({ settledAt, blockNumber }: Confirmed, late: boolean): string {
  return `${moment(settledAt)}, block ${blockNumber}${late ? ', after its due date' : ''}`
}

function rateOf({ terms: { fx, currency } }: Invoice): string | null {
  return fx && `1 ${currency} = ${fx.rate} USDC, ${clean(fx.source)}, ${day(fx.asOf)}`
}

function notesOf({ terms }: Invoice): readonly string[] {
  const isTaxed = terms.tax.rateBasisPoints > 0
  const isDollar = terms.fx === null
  return [
    ...(isTaxed ? [] : ['No VAT has been charged.']),
    ...(isDollar && terms.currency === 'USD' ? ['1 USD is paid as 1 USDC.'] : []),
  ]
}

function some(facts: readonly (readonly [label: string, value: string | null])[]): readonly Fact[] {
  return facts.flatMap(([label, value]) => (value ? [{ label, value }] : []))
}
