import { invalidField } from './error.ts'
import { share } from './money.ts'

/** VAT of one country in basis points (1900 = 19 %) and the date the standard rate holds from. */
export type Rates = {
  readonly country: string
  readonly standardBasisPoints: number
  readonly reducedBasisPoints: number
  readonly since: string
}

/** Spec, "Built-in tax rates". US state sales tax is not implemented. */
export const rates: Readonly<Record<string, Rates>> = {
  DE: rate('Germany', 1900, 700, '2021-01-01'),
  FR: rate('France', 2000, 550, '2014-01-01'),
  IT: rate('Italy', 2200, 1000, '2013-10-01'),
  ES: rate('Spain', 2100, 1000, '2012-09-01'),
  NL: rate('Netherlands', 2100, 900, '2012-10-01'),
  BE: rate('Belgium', 2100, 600, '1996-01-01'),
  AT: rate('Austria', 2000, 1000, '1984-01-01'),
  PT: rate('Portugal', 2300, 600, '2011-01-01'),
  IE: rate('Ireland', 2300, 1350, '2021-03-01'),
  SE: rate('Sweden', 2500, 1200, '1990-07-01'),
  FI: rate('Finland', 2550, 1400, '2024-09-01'),
  DK: rate('Denmark', 2500, 0, '1992-01-01'),
  PL: rate('Poland', 2300, 800, '2011-01-01'),
  GB: rate('United Kingdom', 2000, 500, '2011-01-04'),
  US: rate('United States', 0, 0, '1970-01-01'),
}

function rate(country: string, standard: number, reduced: number, since: string): Rates {
  return { country, standardBasisPoints: standard, reducedBasisPoints: reduced, since }
}

/** Tax of one invoice: `taxUnits` are in the amount's own smallest unit, never taken from the amount. */
export type Tax = {
  readonly countryCode: string | null
  readonly rateBasisPoints: number
  readonly taxUnits: bigint
}

/** The standard rate of a country on an amount; no country, no tax. */
export function forAmount(units: bigint, countryCode: string | null): Tax {
  if (countryCode === null) return { countryCode, rateBasisPoints: 0, taxUnits: 0n }
  const { standardBasisPoints } = ratesOf(countryCode)
  const taxUnits = share(units, standardBasisPoints)
  return { countryCode, rateBasisPoints: standardBasisPoints, taxUnits }
}

/** The rates of an upper-case country code; `invalid_request` for a country without a row. */
function ratesOf(countryCode: string): Rates {
  const found = Object.hasOwn(rates, countryCode) ? rates[countryCode] : undefined
  if (!found) throw invalidField('taxCountry', `no tax rates are known for this country`)
  return found
}
