import { invalidAmount, maxUnits, share } from './money.ts'
import type { RateRow } from './tax-rates.ts'

export const rateTypes = ['standard', 'reduced'] as const

export type RateType = (typeof rateTypes)[number]

/** `taxUnits`, in the amount's smallest unit, are added to it. */
export type Tax = {
  readonly countryCode: string | null
  readonly rateBasisPoints: number
  readonly taxUnits: bigint
}

/** At the standard rate; none without a country. */
export function forAmount(units: bigint, rates: RateRow | null): Tax {
  if (rates === null) return { countryCode: null, rateBasisPoints: 0, taxUnits: 0n }
  const { country, standardBasisPoints } = rates
  const taxUnits = share(units, standardBasisPoints)
  return { countryCode: country, rateBasisPoints: standardBasisPoints, taxUnits }
}

/** Specification, "Tax calculation result". */
export type Calculation = {
  readonly rateBasisPoints: number
  readonly taxMinor: bigint
  readonly totalMinor: bigint
}

/** In minor units. Errors: `invalid_amount` for a total that is too large. */
export function calculate(amountMinor: bigint, rates: RateRow, rateType: RateType): Calculation {
  const { standardBasisPoints, reducedBasisPoints } = rates
  const rateBasisPoints = rateType === 'reduced' ? reducedBasisPoints : standardBasisPoints
  const taxMinor = share(amountMinor, rateBasisPoints)
  const totalMinor = amountMinor + taxMinor
  if (totalMinor > maxUnits) throw invalidAmount('is too large')
  return { rateBasisPoints, taxMinor, totalMinor }
}
