import { divideHalfUp, fromDecimal, rateScale, toDecimal } from './money.ts'

export const ecbSource = 'ECB'

/** `rates` are USD for one unit. */
export type RateDay = { readonly asOf: string; readonly rates: Readonly<Record<string, string>> }

const day = /<Cube\s+time=(["'])(\d{4}-\d{2}-\d{2})\1\s*>(.*?)<\/Cube>/gs
const row =
  /\s*<Cube\s+currency=(["'])([A-Z]{3})\1\s+rate=(["'])(\d{1,9}(?:\.\d{1,9})?)\3\s*\/>\s*/gy
const rateUnits = 10n ** BigInt(rateScale)

/**
 * The rates in the European Central Bank's daily XML, which has units for one EUR. Throws an
 * `Error` that says what is wrong with the text.
 */
export function readEcbDay(xml: string): RateDay {
  const [found, another] = xml.matchAll(day)
  if (!found || another) throw new Error('the answer is not the ECB’s XML of one day')
  const [, , date = '', rows = ''] = found
  if (Number.isNaN(Date.parse(date))) throw new Error(`${date} is not a day`)
  const unitsPerEur = rowsOf(rows)
  const usdPerEur = unitsPerEur.get('USD')
  if (usdPerEur === undefined) throw new Error('the ECB’s XML has no rate for USD')
  const rates = [['EUR', usdPerEur] as const, ...valuesOf(unitsPerEur, usdPerEur)].map(
    ([code, units]) => [code, toDecimal(units, rateScale)] as const,
  )
  return { asOf: `${date}T00:00:00.000Z`, rates: Object.fromEntries(rates) }
}

function rowsOf(text: string): ReadonlyMap<string, bigint> {
  const rows = [...text.matchAll(row)]
  if (rows.map(([all]) => all).join('') !== text || rows.length === 0)
    throw new Error('the ECB’s XML has something else than rates in its day')
  const units = rows.map(
    ([, , code = '', , rate = '']) => [code, fromDecimal(rate, rateScale)] as const,
  )
  const unitsPerEur = new Map(units)
  if (unitsPerEur.size < rows.length || unitsPerEur.has('EUR'))
    throw new Error('the ECB’s XML has two rates for one currency')
  if (units.some(([, perEur]) => perEur === 0n)) throw new Error('the ECB’s XML has a rate of 0')
  return unitsPerEur
}

/** USD for one unit of each other currency, without those worth less than a billionth of a USD. */
function valuesOf(unitsPerEur: ReadonlyMap<string, bigint>, usdPerEur: bigint) {
  return [...unitsPerEur]
    .filter(([code]) => code !== 'USD')
    .map(([code, perEur]) => [code, divideHalfUp(usdPerEur * rateUnits, perEur)] as const)
    .filter(([, usd]) => usd > 0n)
}
