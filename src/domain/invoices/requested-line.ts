import { divideHalfUp, maxUnits, minorScale, readDecimal, toDecimal } from '../money/money.ts'
import type { RateType } from '../money/tax.ts'
import { problemOfReason } from '../vat/exemptions.ts'
import type { Line, TaxCategory } from './lines.ts'
import type { Form } from './terms.ts'
import { unitCodes } from './units.ts'

/** A line as it was sent; `*Source` are JSON texts, and null is left to the service. */
export type RequestedLine = {
  readonly description: string
  readonly quantitySource: string
  readonly unitPriceSource: string
  readonly unit: string | null
  readonly category: TaxCategory | null
  /** In percent. */
  readonly taxRate: number | null
  readonly reason: string | null
}

/** What all lines of an invoice have in common. */
export type Pricing = {
  readonly form: Form
  readonly currency: string
  readonly taxCountry: string | null
  /** In basis points; null where no rate is known. */
  readonly rateOf: (type: RateType) => number | null
}

/** Is told what is wrong with a member of the line. */
type Refuse = (member: string, message: string) => void

/** Both quantities and unit prices have at most six places, prices on `/api` in minor units. */
const places = 6
/** More would be too large at any price above the smallest. */
const mostUnits = maxUnits * 10n ** BigInt(places)

/** The line with its net and tax. Where something is refused, its figures mean nothing. */
export function lineOf(requested: RequestedLine, pricing: Pricing, refuse: Refuse): Line {
  const { description, unit } = requested
  const quantityUnits = quantityOf(requested, refuse)
  const price = priceOf(requested, pricing, refuse)
  const scale = minorScale(pricing.currency)
  if (unit !== null && !unitCodes.has(unit))
    refuse('unit', 'must be a code of UN/ECE Recommendation 20, such as C62 (one) or HUR (hour)')
  return {
    description,
    quantity: toDecimal(quantityUnits, places),
    unit: unit ?? 'C62',
    unitPrice: toDecimal(price.units, price.scale),
    netUnits: divideHalfUp(
      quantityUnits * price.units,
      10n ** BigInt(places + price.scale - scale),
    ),
    ...taxOf(requested, pricing, refuse),
  }
}

function quantityOf({ quantitySource }: RequestedLine, refuse: Refuse): bigint {
  const units = readDecimal(quantitySource, places)
  if (typeof units !== 'bigint') refuse('quantity', units)
  else if (units <= 0n) refuse('quantity', 'must be positive')
  else if (units > mostUnits) refuse('quantity', 'is too large')
  else return units
  return 0n
}

/** In whole units of the currency. */
function priceOf(
  { unitPriceSource: source }: RequestedLine,
  { form, currency }: Pricing,
  refuse: Refuse,
) {
  const scale = form === 'api' ? places + minorScale(currency) : places
  const isWhole = form === 'api' && !source.startsWith('"')
  const read = readDecimal(source, isWhole ? 0 : places)
  if (typeof read !== 'bigint') refuse('unitPrice', isWhole ? wholeOnly : read)
  else if (read < 0n) refuse('unitPrice', 'must not be negative')
  else if (read > mostUnits) refuse('unitPrice', 'is too large')
  else return { units: isWhole ? read * 10n ** BigInt(places) : read, scale }
  return { units: 0n, scale }
}

const wholeOnly = 'must be an integer of minor units, or a decimal string of them such as "12.5"'

function taxOf(requested: RequestedLine, { taxCountry, rateOf }: Pricing, refuse: Refuse) {
  const { taxRate, reason } = requested
  const category = requested.category ?? (taxCountry === null ? 'outside_scope' : 'standard')
  const isRated = category === 'standard' || category === 'reduced'
  if (reason !== null) refuseReason(reason, category, refuse)
  if (!isRated && taxRate !== null)
    refuse('taxRate', `must be left out with taxCategory ${category}`)
  if (!isRated) return { category, rateBasisPoints: 0 }
  const known = rateOf(category)
  const rateBasisPoints = known ?? 0
  if (known !== null && taxRate !== null && taxRate !== known / 100)
    refuse('taxRate', `must be ${known / 100}, the rate in ${taxCountry}, or left out`)
  // A rate of 0 % is a category of its own in EN 16931.
  return { category: rateBasisPoints === 0 ? ('zero' as const) : category, rateBasisPoints }
}

function refuseReason(reason: string, category: TaxCategory, refuse: Refuse): void {
  const isTaxable = category === 'standard' || category === 'reduced' || category === 'zero'
  const problem = isTaxable
    ? `must be left out with taxCategory ${category}`
    : problemOfReason(reason, category)
  if (problem !== null) refuse('taxExemptionReason', problem)
}
