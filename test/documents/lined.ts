import type { CreditNote, Terms as CreditTerms } from '../../src/domain/credit-notes/credit-note.ts'
import type { Invoice } from '../../src/domain/invoices/invoice.ts'
import {
  breakdownOf,
  type Line,
  linesOf,
  type TaxCategory,
  type TaxShare,
} from '../../src/domain/invoices/lines.ts'
import type { Terms } from '../../src/domain/invoices/terms.ts'
import { divideHalfUp, minorScale, share } from '../../src/domain/money/money.ts'
import { creditTerms, noteAfter } from '../support/credit-note.ts'
import { after } from '../support/invoice.ts'
import { variants } from './variants.ts'

export type LineWish = {
  readonly description?: string
  readonly quantity?: string
  readonly unit?: string
  /** In whole units of the currency. */
  readonly unitPrice: string
  readonly category?: TaxCategory
  readonly rateBasisPoints?: number
}

const { terms: flat } = variants.due

const germany = { ...flat.seller, country: 'DE' }
const ireland = { ...flat.buyer, country: 'IE' }

/** Terms with these lines, as creation makes them; between companies in Germany and Ireland. */
export function linedTerms(wishes: readonly LineWish[], over: Partial<Terms> = {}): Terms {
  const currency = over.currency ?? 'EUR'
  const scale = minorScale(currency)
  const lines = wishes.map((wish) => lineOf(wish, scale))
  const breakdown = sharesOf(lines)
  const subtotalUnits = sum(lines.map(({ netUnits }) => netUnits))
  const taxUnits = sum(breakdown.map((one) => one.taxUnits))
  const rates = new Set(breakdown.map(({ rateBasisPoints }) => rateBasisPoints))
  const isOutside = lines.every(({ category }) => category === 'outside_scope')
  const [seller, buyer] = isOutside
    ? [
        { ...germany, vat: null },
        { ...ireland, vat: null },
      ]
    : [germany, ireland]
  return {
    ...flat,
    description: null,
    currency,
    scale,
    subtotalUnits,
    tax: {
      countryCode: 'DE',
      rateBasisPoints: rates.size === 1 ? (breakdown[0]?.rateBasisPoints ?? 0) : null,
      taxUnits,
      breakdown,
    },
    totalUnits: subtotalUnits + taxUnits,
    dueUsdcBase: divideHalfUp((subtotalUnits + taxUnits) * 1_000_000n, 10n ** BigInt(scale)),
    fx: ['USD', 'USDC'].includes(currency)
      ? null
      : { rate: '1', source: 'ECB', asOf: '2026-05-01T00:00:00.000Z' },
    seller,
    buyer,
    buyerReference: 'COST-CENTRE 7',
    lines,
    ...over,
  }
}

export function linedInvoice(wishes: readonly LineWish[], over: Partial<Terms> = {}): Invoice {
  return after([{ kind: 'send' }], linedTerms(wishes, over))
}

/** What takes all of an invoice back, or the lines at these places. */
export function creditNoteOf(invoice: Invoice, places?: readonly number[]): CreditNote {
  const { terms } = invoice
  const lines = places?.map((line) => {
    const { quantity = '1', netUnits = 0n } = linesOf(terms)[line - 1] ?? {}
    return { line, quantity, netUnits }
  })
  const credited = places?.flatMap((line) => linesOf(terms)[line - 1] ?? [])
  const breakdown = credited ? sharesOf(credited) : breakdownOf(terms)
  return noteOf(invoice, { ...(lines && { lines }), breakdown })
}

/** With the sums of its shares. */
function noteOf(
  { terms }: Invoice,
  { breakdown, ...over }: Pick<CreditTerms, 'breakdown'> & Partial<CreditTerms>,
): CreditNote {
  const subtotalUnits = sum(breakdown.map(({ baseUnits }) => baseUnits))
  const taxUnits = sum(breakdown.map((one) => one.taxUnits))
  const totalUnits = subtotalUnits + taxUnits
  const { currency, scale } = terms
  const note = noteAfter([], [], new Date('2026-06-02T12:00:00.000Z'))
  const usdcBase = divideHalfUp(totalUnits * 1_000_000n, 10n ** BigInt(scale))
  const sums = { subtotalUnits, taxUnits, totalUnits, usdcBase }
  return { ...note, terms: creditTerms({ currency, scale, breakdown, ...sums, ...over }) }
}

function lineOf(wish: LineWish, scale: number): Line {
  const { category = 'standard', rateBasisPoints = rates[category] ?? 0 } = wish
  const { quantity = '1', unit = 'C62', unitPrice, description = 'Work' } = wish
  const netUnits = divideHalfUp(
    unitsOf(quantity, 6) * unitsOf(unitPrice, 12),
    10n ** BigInt(18 - scale),
  )
  return { description, quantity, unit, unitPrice, netUnits, category, rateBasisPoints }
}

const rates: Partial<Record<TaxCategory, number>> = { standard: 1_900, reduced: 700 }

const reasons: Partial<Record<TaxCategory, string>> = { exempt: 'VATEX-EU-132-1I' }

function sharesOf(lines: readonly Line[]): readonly TaxShare[] {
  const groups = Map.groupBy(lines, (line) => `${line.category} ${line.rateBasisPoints}`)
  return [...groups.values()].map((alike) => {
    const { category, rateBasisPoints } = alike[0] as Line
    const baseUnits = sum(alike.map(({ netUnits }) => netUnits))
    const reason = reasons[category] ?? null
    return {
      category,
      rateBasisPoints,
      baseUnits,
      taxUnits: share(baseUnits, rateBasisPoints),
      reason,
    }
  })
}

function unitsOf(decimal: string, scale: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

function sum(all: readonly bigint[]): bigint {
  return all.reduce((total, one) => total + one, 0n)
}

const three: readonly LineWish[] = [
  { description: 'Consulting, April', quantity: '12.5', unit: 'HUR', unitPrice: '120' },
  {
    description: 'Printed handbook\nISBN 978-3-16-148410-0',
    quantity: '3',
    unitPrice: '24.90',
    category: 'reduced',
  },
  {
    description: 'Storage, by the gigabyte',
    quantity: '1234.567',
    unit: 'E34',
    unitPrice: '0.0235',
  },
]

/** Invoices with lines whose documents differ. */
export const lined = {
  'three lines at two rates': linedInvoice(three),
  'a line of each untaxed category but one': linedInvoice([
    { unitPrice: '100' },
    { unitPrice: '10.01', category: 'zero' },
    { unitPrice: '20.02', category: 'exempt', description: 'Course' },
    { unitPrice: '30.03', category: 'reverse_charge', description: 'Advice' },
    { unitPrice: '40.04', category: 'intra_community', description: 'Goods' },
    { unitPrice: '50.05', category: 'export', description: 'Machine' },
  ]),
  'reverse charge alone': linedInvoice([{ unitPrice: '500', category: 'reverse_charge' }]),
  'outside the scope of VAT': linedInvoice([{ unitPrice: '80', category: 'outside_scope' }]),
  'in USDC, each line rounded': linedInvoice(
    Array.from({ length: 9 }, (_, at) => ({
      quantity: `${at + 1}`,
      unitPrice: '0.004999',
      description: `Call ${at + 1}`,
    })),
    { currency: 'USDC' },
  ),
  'in yen, at prices with decimals': linedInvoice(
    [
      { quantity: '3', unitPrice: '33.5' },
      { quantity: '7', unitPrice: '100', category: 'reduced' },
    ],
    { currency: 'JPY' },
  ),
  'in dinars': linedInvoice([{ quantity: '1.5', unitPrice: '2.001' }], { currency: 'KWD' }),
}
