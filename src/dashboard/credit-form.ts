import { type Figures, figuresOf, type Wanted } from '../domain/credit-notes/amounts.ts'
import { grossOf, type Left, leftOf, quantityScale } from '../domain/credit-notes/left.ts'
import type { Detail } from '../domain/error.ts'
import { priceScale, type TaxCategory, type TaxShare } from '../domain/invoices/lines.ts'
import { fromDecimal, minorScale, readDecimal, sumOf, toDecimal } from '../domain/money/money.ts'
import { amountRule, decimalIn, minorOf } from './format.ts'
import { type Fields, sentence, textsOf } from './forms.ts'

/** What the API answers about lines and tax: amounts are in minor units, rates in percent. */
export type ShownLine = {
  readonly description: string
  readonly quantity: string
  readonly unit: string
  readonly unitPrice: string
  readonly net: number
  readonly taxCategory: TaxCategory
  readonly taxRate: number
}

export type ShownShare = {
  readonly category: TaxCategory
  readonly rate: number
  readonly base: number
  readonly tax: number
}

export type Invoiced = {
  readonly kind: string
  readonly currency: string
  readonly subtotal: number
  readonly taxAmount: number
  readonly taxRate: number | null
  readonly taxCountry: string | null
  readonly total: number
  readonly lines?: readonly ShownLine[]
  readonly taxBreakdown?: readonly ShownShare[]
}

/** What a credit note takes back. */
export type Credited = {
  readonly taxBreakdown: readonly ShownShare[]
  readonly lines?: readonly {
    readonly line: number
    readonly quantity: string
    readonly net: number
  }[]
}

export function sharesOf(invoice: Invoiced): readonly ShownShare[] {
  const { taxBreakdown, taxCountry, taxRate, subtotal, taxAmount } = invoice
  if (taxBreakdown) return taxBreakdown
  const category = taxCountry === null ? 'outside_scope' : 'standard'
  return [{ category, rate: taxRate ?? 0, base: subtotal, tax: taxAmount }]
}

/** A unit price in whole units of the currency. */
export function priceOf({ unitPrice }: ShownLine, currency: string): string {
  return toDecimal(fromDecimal(unitPrice, priceScale - minorScale(currency)), priceScale)
}

/** What `notes` have left of an invoice, in minor units. */
export function leftTo(invoice: Invoiced, notes: readonly Credited[]): Left {
  const { currency, subtotal, taxAmount, taxCountry, lines } = invoice
  const breakdown = sharesOf(invoice).map(shareIn)
  const tax = {
    countryCode: taxCountry,
    rateBasisPoints: null,
    taxUnits: BigInt(taxAmount),
    breakdown,
  }
  const invoiced = lines?.map((line) => ({
    ...line,
    unitPrice: priceOf(line, currency),
    netUnits: BigInt(line.net),
    category: line.taxCategory,
    rateBasisPoints: basisPoints(line.taxRate),
  }))
  const figures = { subtotalUnits: BigInt(subtotal), scale: minorScale(currency), tax }
  return leftOf(
    { description: null, ...figures, ...(invoiced && { lines: invoiced }) },
    notes.map((note) => ({
      breakdown: note.taxBreakdown.map(shareIn),
      lines: (note.lines ?? []).map((line) => ({ ...line, netUnits: BigInt(line.net) })),
    })),
  )
}

function shareIn({ category, rate, base, tax }: ShownShare): TaxShare {
  const rateBasisPoints = basisPoints(rate)
  return { category, rateBasisPoints, baseUnits: BigInt(base), taxUnits: BigInt(tax), reason: null }
}

function basisPoints(percent: number): number {
  return Math.round(percent * 100)
}

/** With tax; of a purchase, the price alone, since its tax is only recorded. */
export function leftIn({ shares }: Left, { kind }: Invoiced): bigint {
  return sumOf(shares, kind === 'purchase' ? ({ baseUnits }) => baseUnits : grossOf)
}

/** What a filled-in form asks for. */
export type Asked = {
  /** Of `POST /api/invoices/:id/credit-notes`. */
  readonly body: object
  /** What it would credit; null if something is wrong. */
  readonly figures: Figures | null
  readonly problems: readonly Detail[]
  /** The field that says how much. */
  readonly path: string
}

export function askedIn(fields: Fields, left: Left, invoice: Invoiced): Asked {
  const typed = textsOf(fields)
  const { path, wanted, ...how } = { ...howMuch(fields, invoice) }
  const texts = ['reason', 'number'].flatMap((name) => {
    const text = typed.get(name)
    return text ? [[name, text]] : []
  })
  const body = { ...Object.fromEntries(texts), ...how.body }
  if (how.problems.length > 0) return { body, figures: null, problems: how.problems, path }
  try {
    const figures = figuresOf(left, wanted, minorScale(invoice.currency))
    return { body, figures, problems: [], path }
  } catch (error) {
    const message = sentence((error as Error).message)
    return { body, figures: null, problems: [{ path, message }], path }
  }
}

type HowMuch = Omit<Asked, 'figures'> & { readonly wanted: Wanted }

function howMuch(fields: Fields, { kind, currency }: Invoiced): HowMuch {
  const typed = textsOf(fields)
  const by = typed.get('by')
  if (by === 'lines') return quantities(typed)
  if (by !== 'amount') return { body: {}, problems: [], path: 'by', wanted: { kind: 'all' } }
  const amount = minorOf(typed.get('amount') ?? '', currency)
  const problems = amount ? [] : [{ path: 'amount', message: `Enter ${amountRule(currency)}.` }]
  const wanted = {
    kind: kind === 'purchase' ? 'net' : 'gross',
    units: BigInt(amount ?? 0),
  } as const
  return { body: { amount }, problems, path: 'amount', wanted }
}

/** Lines are named by their place from 1, and fields by that from 0. */
function quantities(typed: ReadonlyMap<string, string>): HowMuch {
  const fields = [...typed].filter(([path]) => path.endsWith('/quantity'))
  const filled = fields
    .filter(([, text]) => text !== '')
    .map(([path, text]) => {
      const quantity = decimalIn(text)
      const read = readDecimal(`"${quantity}"`, quantityScale)
      const quantityMicro = typeof read === 'bigint' ? read : 0n
      return { path, line: Number(path.split('/')[1]) + 1, quantity, quantityMicro }
    })
  const path = filled[0]?.path ?? fields[0]?.[0] ?? ''
  const wrong = filled.filter(({ quantityMicro }) => quantityMicro <= 0n).map((one) => one.path)
  return {
    body: { lines: filled.map(({ line, quantity }) => ({ line, quantity })) },
    problems: (filled.length > 0 ? wrong : [path]).map((place) => ({
      path: place,
      message: 'Enter a number above 0.',
    })),
    path,
    wanted: { kind: 'lines', lines: filled },
  }
}
