import { fromDecimal, minorScale, toDecimal } from '../money/money.ts'
import { type Line, priceScale, type TaxShare } from './lines.ts'
import type { Form, Terms } from './terms.ts'

/** The members `lines` and `taxBreakdown`, with a comma behind; nothing in the flat form. */
export function linesText(terms: Terms, form: Form): string {
  const { lines, tax } = terms
  if (!lines || !tax.breakdown) return ''
  const shown = { ...terms, form }
  const reasons = new Map(tax.breakdown.map(({ category, reason }) => [category, reason]))
  const each = lines.map((line) => lineText(line, reasons.get(line.category) ?? null, shown))
  const shares = tax.breakdown.map((share) => shareText(share, shown))
  return `"lines":[${each}],"taxBreakdown":[${shares}],`
}

type Shown = Pick<Terms, 'form' | 'scale' | 'currency'>

function lineText(line: Line, reason: string | null, shown: Shown): string {
  const { description, quantity, unit, netUnits, category, rateBasisPoints } = line
  return (
    `{"description":${JSON.stringify(description)},"quantity":"${quantity}","unit":"${unit}",` +
    `"unitPrice":"${priceText(line, shown)}","net":${amountText(netUnits, shown)},` +
    `"taxCategory":"${category}","taxRate":${rateBasisPoints / 100},"taxExemptionReason":${JSON.stringify(reason)}}`
  )
}

function shareText({ category, rateBasisPoints, baseUnits, taxUnits }: TaxShare, shown: Shown) {
  return (
    `{"category":"${category}","rate":${rateBasisPoints / 100},` +
    `"base":${amountText(baseUnits, shown)},"tax":${amountText(taxUnits, shown)}}`
  )
}

/** A decimal: of minor units in the `/api` families, of whole units in `/v1`. */
function priceText({ unitPrice }: Line, { form, currency }: Shown): string {
  if (form === 'v1') return unitPrice
  return toDecimal(fromDecimal(unitPrice, priceScale), priceScale - minorScale(currency))
}

/** With lines, `scale` is that of the currency: units are minor units. */
function amountText(units: bigint, { form, scale }: Shown): string {
  return form === 'v1' ? toDecimal(units, scale) : `${units}`
}
