import { fromDecimal, minorScale, toDecimal } from '../money/money.ts'
import { amountText } from './figures.ts'
import { type Line, priceScale, type TaxShare } from './lines.ts'
import type { Form, Terms } from './terms.ts'

/** The members `lines` and `taxBreakdown`, with a comma behind; nothing in the flat form. */
export function linesText(terms: Terms, form: Form): string {
  const { lines, tax } = terms
  if (!lines || !tax.breakdown) return ''
  const amount = (units: bigint) => amountText(units, terms, form)
  const reasons = new Map(tax.breakdown.map(({ category, reason }) => [category, reason]))
  const each = lines.map((line) => {
    const price = priceText(line, terms, form)
    return lineText(line, price, amount(line.netUnits), reasons.get(line.category) ?? null)
  })
  return `"lines":[${each}],"taxBreakdown":${breakdownText(tax.breakdown, amount)},`
}

/** JSON text. `amount` writes units of the document. */
export function breakdownText(
  shares: readonly TaxShare[],
  amount: (units: bigint) => string,
): string {
  const texts = shares.map(
    ({ category, rateBasisPoints, baseUnits, taxUnits }) =>
      `{"category":"${category}","rate":${rateBasisPoints / 100},` +
      `"base":${amount(baseUnits)},"tax":${amount(taxUnits)}}`,
  )
  return `[${texts.join(',')}]`
}

function lineText(line: Line, price: string, net: string, reason: string | null): string {
  const { description, quantity, unit, category, rateBasisPoints } = line
  return (
    `{"description":${JSON.stringify(description)},"quantity":"${quantity}","unit":"${unit}",` +
    `"unitPrice":"${price}","net":${net},` +
    `"taxCategory":"${category}","taxRate":${rateBasisPoints / 100},"taxExemptionReason":${JSON.stringify(reason)}}`
  )
}

/** A decimal: of minor units in the `/api` families, of whole units in `/v1`. */
function priceText({ unitPrice }: Line, { currency }: Terms, form: Form): string {
  if (form === 'v1') return unitPrice
  return toDecimal(fromDecimal(unitPrice, priceScale), priceScale - minorScale(currency))
}
