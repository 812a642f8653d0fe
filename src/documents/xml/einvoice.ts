import { leftUsdcBase } from '../../domain/invoices/balance.ts'
import { issuedAtOf, numberOf } from '../../domain/invoices/figures.ts'
import { acceptsPayment, acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { Party } from '../../domain/invoices/terms.ts'
import { divideHalfUp, toAmount } from '../../domain/money/money.ts'
import { registry } from '../../domain/registry.ts'
import { bare, isOfOneStopShop, vatIdOf } from '../../domain/vat/ids.ts'
import { sharedNotesOf } from '../badge.ts'
import { clean, lines } from '../texts.ts'
import { english } from '../words/english.ts'

/** The business terms of EN 16931. Amounts have two decimals; days are `2026-05-01`. */
export type EInvoice = ReturnType<typeof eInvoiceOf>

export type Trader = {
  readonly name: string | null
  readonly addressLines: readonly string[]
  readonly country: string | null
  /** BT-29: the seller's wallet. */
  readonly id: string | null
  /** BT-31 or BT-48: starts with a country code, as the standard requires. */
  readonly vatId: string | null
  /** BT-32: an id that is not a VAT id. A buyer's is in `legalId` (BT-47). */
  readonly taxId: string | null
  readonly legalId: string | null
  readonly email: string | null
}

/** S: standard or reduced rate; E: exempt; O: out of scope. E and O have a reason. */
type Vat = {
  readonly category: 'S' | 'E' | 'O'
  readonly percent: string | null
  readonly reason: string | null
}

/**
 * USDC is not an ISO 4217 currency, so it is stated as USD with a note. Cents are rounded half up,
 * with a note of the exact amounts. Missing members are left out, even required ones.
 */
export function eInvoiceOf(invoice: Invoice) {
  const { terms } = invoice
  const { subtotalUnits, scale } = terms
  const vat = vatOf(invoice)
  const [name = 'Services', ...more] = lines(terms.description)
  return {
    number: numberOf(invoice, 'api'),
    issuedOn: issuedAtOf(invoice).slice(0, 10),
    dueOn: terms.dueAt && lastDayUntil(terms.dueAt),
    notes: notesOf(invoice),
    currency: terms.currency === 'USDC' ? 'USD' : terms.currency,
    /** BT-13: the buyer's number of its order. */
    order: clean(terms.poNumber ?? '') || null,
    contract: terms.mandateId,
    seller: sellerOf(invoice, vat),
    buyer: buyerOf(invoice, vat),
    payment: {
      // A purchase is not paid by a transfer, so nobody would notice one.
      transfer: terms.isPurchase && acceptsPayment(invoice) ? null : transferOf(invoice),
      terms: paymentTerms(invoice),
    },
    item: { name, description: more.length > 0 ? [name, ...more].join('\n') : null },
    /** May have more than two decimals. */
    unitPrice: toAmount(subtotalUnits, scale),
    vat,
    sums: sumsOf(invoice),
  }
}

/** The last day for a payment in time: an invoice due at midnight is due the day before. */
function lastDayUntil(dueAt: string): string {
  return new Date(Date.parse(dueAt) - 1).toISOString().slice(0, 10)
}

/** `gross` = `net` + `tax`; `payable` = `gross` − `prepaid` + `rounding`. */
function sumsOf(invoice: Invoice) {
  const { terms } = invoice
  const net = cents(terms.subtotalUnits, terms.scale)
  const tax = cents(terms.tax.taxUnits, terms.scale)
  const exact = cents(terms.totalUnits, terms.scale)
  const rounding = exact - net - tax
  const payable = payableCents(invoice)
  return {
    net: amount(net),
    tax: amount(tax),
    gross: amount(net + tax),
    prepaid: payable === exact ? null : amount(exact - payable),
    rounding: rounding === 0n ? null : amount(rounding),
    payable: amount(payable),
  }
}

/**
 * In cents. The tax of a purchase is only recorded, so it counts as prepaid: the standard has no
 * other place.
 */
function payableCents(invoice: Invoice): bigint {
  const { dueUsdcBase, isPurchase, subtotalUnits, totalUnits, scale } = invoice.terms
  const full = cents(isPurchase ? subtotalUnits : totalUnits, scale)
  const leftBase = leftUsdcBase(invoice)
  return leftBase <= 0n ? 0n : divideHalfUp(full * leftBase, dueUsdcBase)
}

function cents(units: bigint, scale: number): bigint {
  return divideHalfUp(units * 100n, 10n ** BigInt(scale))
}

function amount(cents: bigint): string {
  return cents < 0n ? `-${toAmount(-cents, 2)}` : toAmount(cents, 2)
}

// Category O forbids VAT ids, so it is used only for sellers without one.
function vatOf({ terms: { tax, seller } }: Invoice): Vat {
  if (tax.rateBasisPoints)
    return { category: 'S', percent: toAmount(BigInt(tax.rateBasisPoints), 2), reason: null }
  if (seller.vat === null) return { category: 'O', percent: null, reason: 'Not subject to VAT' }
  return { category: 'E', percent: '0.00', reason: 'No VAT has been charged' }
}

function sellerOf({ terms: { seller, tax, isPurchase } }: Invoice, vat: Vat): Trader {
  // The tax of a purchase belongs to the buyer's country.
  const { otherId, ...trader } = traderOf(seller, isPurchase ? null : tax.countryCode, vat)
  return { ...trader, id: seller.wallet, taxId: otherId, legalId: null }
}

function buyerOf({ terms: { buyer, tax } }: Invoice, vat: Vat): Trader {
  const { otherId, ...trader } = traderOf(buyer, tax.countryCode, vat)
  return { ...trader, id: null, taxId: null, legalId: otherId }
}

function traderOf({ name, email, address, vat }: Party, taxCountry: string | null, tax: Vat) {
  const given = clean(vat ?? '')
  const known = vatIdOf(given, taxCountry)
  const vatId = tax.category === 'O' ? null : known
  return {
    name: clean(name ?? '') || null,
    addressLines: addressLinesOf(address),
    // A one-stop-shop seller is taxed in another country than its own.
    country: known?.country ?? (isOfOneStopShop(given) ? null : taxCountry),
    vatId: vatId?.text ?? null,
    otherId: vatId ? null : bare(given) || null,
    email: clean(email ?? '') || null,
  }
}

// The standard has three lines; the rest of a longer address is joined into the third.
function addressLinesOf(address: string | null): readonly string[] {
  const [first = '', second = '', ...rest] = lines(address)
  return [first, second, rest.join(', ')].filter(Boolean)
}

function notesOf(invoice: Invoice): readonly string[] {
  const { currency, scale, subtotalUnits, tax, totalUnits } = invoice.terms
  const figures = [subtotalUnits, tax.taxUnits, totalUnits]
  const isExact = figures.every((units) => (units * 100n) % 10n ** BigInt(scale) === 0n)
  const [net, vat, gross] = figures.map((units) => english.money(units, scale, currency))
  return [
    ...(invoice.progress.failure === 'voided'
      ? ['This invoice is void and must not be paid.']
      : []),
    ...sharedNotesOf(invoice, english),
    ...(currency === 'USDC'
      ? ['All amounts are in USDC, a token worth one US dollar, and are shown as USD.']
      : []),
    ...(isExact ? [] : [`The exact amounts are ${net} plus ${vat} VAT, ${gross} in total.`]),
  ]
}

function transferOf({ terms: { chain, payTo, reference } }: Invoice) {
  return { means: `USDC on ${registry[chain].label}`, account: payTo, reference }
}

function paymentTerms(invoice: Invoice): string | null {
  const { terms, progress } = invoice
  if (progress.settlement !== null) return null
  if (progress.failure === 'voided') return 'Must not be paid.'
  if (progress.failure === 'credited') return 'Nothing is left to be paid.'
  if (!acceptsPayment(invoice)) return 'Paid; the payment is not yet confirmed on chain.'
  if (!acceptsTransfer(invoice)) return english.say('paidThroughProxy')
  const { label: name } = registry[terms.chain]
  return `Pay ${english.usdc(leftUsdcBase(invoice))} on ${name} to ${terms.payTo}, with reference ${terms.reference}.`
}
