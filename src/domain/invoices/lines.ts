import { bigint, type Decoded, list, nullable, number, object, oneOf, text } from '../codec.ts'
import { share as partOf, sumOf, toDecimal } from '../money/money.ts'
import type { Terms } from './terms.ts'

/** How a line is taxed: the VAT categories of EN 16931 as this API names them. */
export const taxCategories = [
  'standard',
  'reduced',
  'zero',
  'exempt',
  'reverse_charge',
  'intra_community',
  'export',
  'outside_scope',
] as const

export type TaxCategory = (typeof taxCategories)[number]

const line = object({
  description: text,
  /** A decimal above 0, of at most six places. */
  quantity: text,
  /** UN/ECE Recommendation 20. */
  unit: text,
  /** A decimal in whole units of the currency, such as EUR, of at most `priceScale` places. */
  unitPrice: text,
  /** Quantity × unit price, rounded half up to the currency's own decimals. */
  netUnits: bigint,
  category: oneOf(taxCategories),
  rateBasisPoints: number,
})

export const lines = list(line)

export type Line = Decoded<typeof line>

/** Six places of the smallest unit of USDC, which itself has six. */
export const priceScale = 12

const share = object({
  category: oneOf(taxCategories),
  rateBasisPoints: number,
  baseUnits: bigint,
  taxUnits: bigint,
  /** Why there is no tax: a text, or a VATEX code. */
  reason: nullable(text),
})

export const breakdown = list(share)

/** What is taxed alike: tax is worked out once for each category and rate. */
export type TaxShare = Decoded<typeof share>

type Figures = Pick<Terms, 'tax' | 'subtotalUnits'>

/** What an invoice is for, and how it is taxed. */
export type Sold = Figures & Pick<Terms, 'description' | 'scale' | 'lines'>

/** An invoice in the flat form is one line. */
export function linesOf(terms: Sold): readonly Line[] {
  return terms.lines ?? [flatLine(terms)]
}

/** What is taxed alike has the same. */
export function taxKindOf({
  category,
  rateBasisPoints,
}: Pick<TaxShare, 'category' | 'rateBasisPoints'>): string {
  return `${category} ${rateBasisPoints}`
}

/** What lines are taxed with, in the order of the first line of each share. */
export function sharesOf(
  lines: readonly Line[],
  reasons: ReadonlyMap<TaxCategory, string>,
): readonly TaxShare[] {
  return [...Map.groupBy(lines, taxKindOf).values()].map((alike) => {
    const { category, rateBasisPoints } = alike[0] as Line
    const baseUnits = sumOf(alike, ({ netUnits }) => netUnits)
    const taxUnits = partOf(baseUnits, rateBasisPoints)
    return { category, rateBasisPoints, baseUnits, taxUnits, reason: reasons.get(category) ?? null }
  })
}

/** In the order of the first line of each; bases add up to the subtotal, taxes to the tax. */
export function breakdownOf({ tax, subtotalUnits }: Figures): readonly TaxShare[] {
  if (tax.breakdown) return tax.breakdown
  return [
    {
      category: flatCategory(tax),
      rateBasisPoints: tax.rateBasisPoints ?? 0,
      baseUnits: subtotalUnits,
      taxUnits: tax.taxUnits,
      reason: null,
    },
  ]
}

function flatLine(terms: Sold): Line {
  const { description, subtotalUnits, scale, tax } = terms
  return {
    description: description ?? '',
    quantity: '1',
    unit: 'C62',
    unitPrice: toDecimal(subtotalUnits, scale),
    netUnits: subtotalUnits,
    category: flatCategory(tax),
    rateBasisPoints: tax.rateBasisPoints ?? 0,
  }
}

function flatCategory({ countryCode }: Terms['tax']): TaxCategory {
  return countryCode === null ? 'outside_scope' : 'standard'
}
