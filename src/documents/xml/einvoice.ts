import { creditedUnits, leftUsdcBase } from '../../domain/invoices/balance.ts'
import { issuedAtOf, numberOf } from '../../domain/invoices/figures.ts'
import { acceptsPayment, acceptsTransfer, type Invoice } from '../../domain/invoices/invoice.ts'
import type { Terms } from '../../domain/invoices/terms.ts'
import { divideHalfUp } from '../../domain/money/money.ts'
import { registry } from '../../domain/registry.ts'
import { sharedNotesOf } from '../badge.ts'
import { statedOf } from '../stated.ts'
import { clean } from '../texts.ts'
import { english } from '../words/english.ts'
import { amount, amountsOf, cents, type Line, type VatShare } from './amounts.ts'
import { buyerOf, sellerOf, type Trader } from './traders.ts'

/** The business terms of EN 16931. Amounts have two decimals; days are `2026-05-01`. */
export type EInvoice = {
  readonly kind: 'invoice' | 'credit_note'
  /** BT-24 and BT-23. */
  readonly profile: { readonly customization: string; readonly process: string | null }
  readonly number: string
  readonly issuedOn: string
  readonly dueOn: string | null
  readonly notes: readonly string[]
  readonly currency: string
  /** BT-10: the buyer's own mark. */
  readonly buyerReference: string | null
  /** BT-13: the buyer's number of its order. */
  readonly order: string | null
  readonly contract: string | null
  /** BG-3: the invoice that a credit note is about. */
  readonly precedes: { readonly number: string; readonly issuedOn: string } | null
  readonly seller: Trader
  readonly buyer: Trader
  /** BT-72 and BT-80: required of intra-community supplies. */
  readonly delivery: { readonly on: string; readonly country: string | null } | null
  readonly payment: { readonly transfer: Transfer | null; readonly terms: string | null }
  readonly lines: readonly Line[]
  readonly breakdown: readonly VatShare[]
  readonly sums: Sums
}

type Transfer = {
  /** UNTDID 4461; ZZZ: as `means` says. */
  readonly code: string
  readonly means: string
  readonly account: string
  readonly reference: string
}

/** `gross` = `net` + `tax`; `payable` = `gross` − `prepaid` + `rounding`. */
type Sums = {
  readonly net: string
  readonly tax: string
  readonly gross: string
  readonly prepaid: string | null
  readonly rounding: string | null
  readonly payable: string
}

/**
 * USDC is not an ISO 4217 currency, so it is stated as USD with a note. Cents are rounded half up,
 * with a note of the exact amounts. Missing members are left out, even required ones.
 */
export function eInvoiceOf(invoice: Invoice): EInvoice {
  const { terms } = invoice
  const issuedOn = issuedAtOf(invoice).slice(0, 10)
  const amounts = amountsOf(statedOf(invoice), terms)
  return {
    kind: 'invoice',
    number: numberOf(invoice, 'api'),
    issuedOn,
    dueOn: terms.dueAt && lastDayUntil(terms.dueAt),
    notes: notesOf(invoice, amounts.roundingCents),
    precedes: null,
    payment: {
      // A purchase is not paid by a transfer, so nobody would notice one.
      transfer: terms.isPurchase && acceptsPayment(invoice) ? null : transferOf(invoice),
      terms: paymentTerms(invoice),
    },
    sums: sumsOf(amounts, payableCents(invoice)),
    ...sharedOf(terms, amounts, issuedOn),
  }
}

type Amounts = ReturnType<typeof amountsOf>

/** What an invoice and its credit notes have in common. */
export function sharedOf(terms: Terms, { lines, breakdown }: Amounts, deliveredOn: string) {
  const categories = new Set(breakdown.map(({ category }) => category))
  const buyer = buyerOf(terms, categories.has('O'))
  return {
    profile: { customization: 'urn:cen.eu:en16931:2017', process: null },
    currency: terms.currency === 'USDC' ? 'USD' : terms.currency,
    buyerReference: clean(terms.buyerReference ?? '') || null,
    order: clean(terms.poNumber ?? '') || null,
    contract: terms.mandateId,
    seller: sellerOf(terms, categories.has('O')),
    buyer,
    delivery: categories.has('K') ? { on: deliveredOn, country: buyer.country } : null,
    lines,
    breakdown,
  }
}

export function sumsOf(
  { netCents, taxCents, exactCents, roundingCents }: Amounts,
  payableCents: bigint,
): Sums {
  return {
    net: amount(netCents),
    tax: amount(taxCents),
    gross: amount(netCents + taxCents),
    prepaid: payableCents === exactCents ? null : amount(exactCents - payableCents),
    rounding: roundingCents === 0n ? null : amount(roundingCents),
    payable: amount(payableCents),
  }
}

/** The last day for a payment in time: an invoice due at midnight is due the day before. */
function lastDayUntil(dueAt: string): string {
  return new Date(Date.parse(dueAt) - 1).toISOString().slice(0, 10)
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

function notesOf(invoice: Invoice, roundingCents: bigint): readonly string[] {
  const { subtotalUnits, tax, totalUnits } = invoice.terms
  return [
    ...(invoice.progress.failure === 'voided'
      ? ['This invoice is void and must not be paid.']
      : []),
    ...sharedNotesOf(invoice, english),
    ...creditedNotesOf(invoice),
    ...figureNotesOf(invoice.terms, [subtotalUnits, tax.taxUnits, totalUnits], roundingCents),
  ]
}

// What has been credited counts as prepaid: the standard has no other place.
function creditedNotesOf(invoice: Invoice): readonly string[] {
  const { scale, currency } = invoice.terms
  const units = creditedUnits(invoice)
  return units > 0n ? [`Credited so far: ${english.money(units, scale, currency)}.`] : []
}

/** `figures`: net, tax and total in the units of the terms. */
export function figureNotesOf(
  { currency, scale }: Terms,
  figures: readonly bigint[],
  roundingCents: bigint,
): readonly string[] {
  const isExact =
    roundingCents === 0n && figures.every((units) => (units * 100n) % 10n ** BigInt(scale) === 0n)
  const [net, vat, gross] = figures.map((units) => english.money(units, scale, currency))
  return [
    ...(currency === 'USDC'
      ? ['All amounts are in USDC, a token worth one US dollar, and are shown as USD.']
      : []),
    ...(isExact ? [] : [`The exact amounts are ${net} plus ${vat} VAT, ${gross} in total.`]),
  ]
}

function transferOf({ terms: { chain, payTo, reference } }: Invoice): Transfer {
  return { code: 'ZZZ', means: `USDC on ${registry[chain].label}`, account: payTo, reference }
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
