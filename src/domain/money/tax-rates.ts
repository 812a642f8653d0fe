import { invalidField } from '../error.ts'

/** The VAT rates of a country from a day on, in basis points (1900 = 19 %). */
export type RateRow = {
  /** ISO 3166, upper case. */
  readonly country: string
  readonly name: string
  /** A UTC day, `2026-01-01`. */
  readonly from: string
  readonly standardBasisPoints: number
  readonly reducedBasisPoints: number
  /** The law. */
  readonly source: string
}

/** The rows of each country, oldest first. */
export type TaxTable = ReadonlyMap<string, readonly RateRow[]>

/**
 * Specification, "Built-in tax rates", or what a country has changed since. A row begins with its
 * standard rate.
 */
const builtInRows: readonly RateRow[] = [
  row('DE', 'Germany', '2021-01-01', 1900, 700, 'UStG § 12'),
  row('FR', 'France', '2014-01-01', 2000, 550, 'CGI art. 278, 278-0 bis'),
  row('IT', 'Italy', '2013-10-01', 2200, 1000, 'DPR 633/1972 art. 16'),
  row('ES', 'Spain', '2012-09-01', 2100, 1000, 'Ley 37/1992 art. 90, 91'),
  row('NL', 'Netherlands', '2012-10-01', 2100, 900, 'Wet OB 1968 art. 9'),
  row('BE', 'Belgium', '1996-01-01', 2100, 600, 'Royal Decree no. 20 of 1970'),
  row('AT', 'Austria', '1984-01-01', 2000, 1000, 'UStG 1994 § 10'),
  row('PT', 'Portugal', '2011-01-01', 2300, 600, 'CIVA art. 18, mainland'),
  row('IE', 'Ireland', '2021-03-01', 2300, 1350, 'VAT Consolidation Act 2010 s. 46'),
  row('SE', 'Sweden', '1990-07-01', 2500, 1200, 'Mervärdesskattelag 2023:200 ch. 9'),
  row('FI', 'Finland', '2024-09-01', 2550, 1400, 'Arvonlisäverolaki 1501/1993 § 84, 85'),
  row('DK', 'Denmark', '1992-01-01', 2500, 0, 'Momsloven § 33: one rate'),
  row('PL', 'Poland', '2011-01-01', 2300, 800, 'Ustawa o VAT art. 41, 146ef'),
  row('GB', 'United Kingdom', '2011-01-04', 2000, 500, 'VAT Act 1994 s. 2, 29A'),
  row('US', 'United States', '1970-01-01', 0, 0, 'no federal VAT; state sales tax is not included'),
]

function row(
  country: string,
  name: string,
  from: string,
  standardBasisPoints: number,
  reducedBasisPoints: number,
  source: string,
): RateRow {
  return { country, name, from, standardBasisPoints, reducedBasisPoints, source }
}

/** The fifteen countries of the specification. */
export const builtIn: TaxTable = withRows([], builtInRows)

/** The built-in table and `rows` of other countries. */
export function withOthers(rows: readonly RateRow[]): TaxTable {
  return withRows(builtIn, rows)
}

function withRows(known: Iterable<[string, readonly RateRow[]]>, rows: readonly RateRow[]) {
  const countries = new Set(rows.map(({ country }) => country))
  const added = Array.from(countries, (country) => {
    const dated = rows.filter((row) => row.country === country)
    return [country, dated.toSorted((a, b) => (a.from < b.from ? -1 : 1))] as const
  })
  return new Map<string, readonly RateRow[]>([...known, ...added])
}

/** The rates of an upper-case country code on a UTC day (`2026-05-01`), if there are any. */
export function ratesOn(table: TaxTable, countryCode: string, day: string): RateRow | null {
  return table.get(countryCode)?.findLast(({ from }) => from <= day) ?? null
}

/**
 * The same where there must be some. Errors: `invalid_request` at `path` for a country without
 * rates, or for a day before its first.
 */
export function requireRates(
  table: TaxTable,
  countryCode: string,
  day: string,
  path: string,
): RateRow {
  const found = ratesOn(table, countryCode, day)
  if (found) return found
  const first = table.get(countryCode)?.[0]?.from
  const problem = first === undefined ? 'for this country' : `for this country before ${first}`
  throw invalidField(path, `no tax rates are known ${problem}`)
}
