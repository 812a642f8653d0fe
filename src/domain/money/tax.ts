import { invalidField } from '../error.ts'
import { invalidAmount, maxUnits, share } from './money.ts'

/** In basis points (1900 = 19 %); `since` is when the standard rate began to apply. */
export type Rates = {
  readonly country: string
  readonly standardBasisPoints: number
  readonly reducedBasisPoints: number
  readonly since: string
}

export const rateTypes = ['standard', 'reduced'] as const

export type RateType = (typeof rateTypes)[number]

/**
 * Specification, "Built-in tax rates", or what a country has changed since; each row names its law.
 */
export const rates: Readonly<Record<string, Rates>> = {
  DE: rate('Germany', 1900, 700, '2021-01-01'), // UStG § 12; 16 % and 5 % in the second half of 2020
  FR: rate('France', 2000, 550, '2014-01-01'), // CGI art. 278, 278-0 bis
  IT: rate('Italy', 2200, 1000, '2013-10-01'), // DPR 633/1972 art. 16
  ES: rate('Spain', 2100, 1000, '2012-09-01'), // Ley 37/1992 art. 90, 91
  NL: rate('Netherlands', 2100, 900, '2012-10-01'), // Wet OB 1968 art. 9
  BE: rate('Belgium', 2100, 600, '1996-01-01'), // Royal Decree no. 20 of 1970
  AT: rate('Austria', 2000, 1000, '1984-01-01'), // UStG 1994 § 10
  PT: rate('Portugal', 2300, 600, '2011-01-01'), // CIVA art. 18, mainland
  IE: rate('Ireland', 2300, 1350, '2021-03-01'), // VAT Consolidation Act 2010 s. 46; 21 % from September 2020
  SE: rate('Sweden', 2500, 1200, '1990-07-01'), // Mervärdesskattelag 2023:200 ch. 9
  FI: rate('Finland', 2550, 1400, '2024-09-01'), // Arvonlisäverolaki 1501/1993 § 84, 85
  DK: rate('Denmark', 2500, 0, '1992-01-01'), // Momsloven § 33: one rate
  PL: rate('Poland', 2300, 800, '2011-01-01'), // Ustawa o VAT art. 41, 146ef
  GB: rate('United Kingdom', 2000, 500, '2011-01-04'), // VAT Act 1994 s. 2, 29A
  US: rate('United States', 0, 0, '1970-01-01'), // no federal VAT; state sales tax is not implemented
}

function rate(country: string, standard: number, reduced: number, since: string): Rates {
  return { country, standardBasisPoints: standard, reducedBasisPoints: reduced, since }
}

/** The rates of an upper-case country code, if there are any. */
export function find(countryCode: string): Rates | null {
  return (Object.hasOwn(rates, countryCode) && rates[countryCode]) || null
}

/** `taxUnits`, in the amount's smallest unit, are added to it. */
export type Tax = {
  readonly countryCode: string | null
  readonly rateBasisPoints: number
  readonly taxUnits: bigint
}

/** At the standard rate; none without a country. Errors: `invalid_request`. */
export function forAmount(units: bigint, countryCode: string | null): Tax {
  if (countryCode === null) return { countryCode, rateBasisPoints: 0, taxUnits: 0n }
  const { standardBasisPoints } = find(countryCode) ?? refuse('taxCountry')
  const taxUnits = share(units, standardBasisPoints)
  return { countryCode, rateBasisPoints: standardBasisPoints, taxUnits }
}

/** Specification, "Tax calculation result". */
export type Calculation = {
  readonly country: string
  readonly rateBasisPoints: number
  readonly taxMinor: bigint
  readonly totalMinor: bigint
}

/** In minor units. Errors: `invalid_request` without a row; `invalid_amount` if it is too large. */
export function calculate(
  amountMinor: bigint,
  countryCode: string,
  rateType: RateType,
): Calculation {
  const { country, standardBasisPoints, reducedBasisPoints } =
    find(countryCode) ?? refuse('countryCode')
  const rateBasisPoints = rateType === 'reduced' ? reducedBasisPoints : standardBasisPoints
  const taxMinor = share(amountMinor, rateBasisPoints)
  const totalMinor = amountMinor + taxMinor
  if (totalMinor > maxUnits) throw invalidAmount('is too large')
  return { country, rateBasisPoints, taxMinor, totalMinor }
}

function refuse(field: string): never {
  throw invalidField(field, 'no tax rates are known for this country')
}
