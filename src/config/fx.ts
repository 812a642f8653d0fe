import type { Fx } from '../domain/invoices/request.ts'
import { currencies } from '../domain/money/currency.ts'
import { setByOperator } from '../domain/money/money.ts'
import type { EnvReader } from './env.ts'

/** USD for one unit; for trying the service out. */
const indicative: Fx = {
  rates: { EUR: '1.08', GBP: '1.27', SEK: '0.095', DKK: '0.145', PLN: '0.25', CHF: '1.13' },
  source: 'indicative default',
  asOf: '2026-01-01T00:00:00.000Z',
}
const none: Fx = { rates: {}, source: 'none', asOf: indicative.asOf }
const ecbDaily = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'
const dayMs = 86_400_000

/** With `ecbUrl` the rates are read from there, else `fixed` are all there are. */
export function fxFrom(read: EnvReader, isEmbedded: boolean) {
  const isEcb = read.oneOf('FX_SOURCE', ['ecb']) !== null
  const url = read.url('FX_ECB_URL', ['http:', 'https:'])
  const given = read.text('FX_RATES')
  const asOf = read.matching('FX_RATES_AS_OF', isPastDay, 'a day that has begun, as 2026-11-24')
  if (isEcb && given !== null) read.problems.push('FX_RATES cannot be set with FX_SOURCE=ecb')
  if (!isEcb && url !== null) read.problems.push('FX_ECB_URL needs FX_SOURCE=ecb')
  if ((given === null) !== (read.text('FX_RATES_AS_OF') === null))
    read.problems.push('FX_RATES and FX_RATES_AS_OF need each other')
  const rates = given === null ? {} : ratesFrom(read, given)
  const builtIn = isEmbedded && !isEcb ? indicative : none
  return {
    ecbUrl: isEcb ? (url ?? ecbDaily) : null,
    fixed:
      asOf === null ? builtIn : { rates, source: setByOperator, asOf: `${asOf}T00:00:00.000Z` },
    isIndicative: asOf === null && builtIn === indicative,
  }
}

/** A day may have begun in the operator's time zone and not in UTC. */
function isPastDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : null
  return (
    at !== null &&
    Number.isFinite(at.getTime()) &&
    at.toISOString().startsWith(text) &&
    at.getTime() < Date.now() + dayMs / 2
  )
}

function ratesFrom(read: EnvReader, given: string): Readonly<Record<string, string>> {
  const pairs = given.split(',').map((pair) => pair.trim().split('='))
  const isValid = pairs.every(
    ([code, rate, ...rest]) =>
      rest.length === 0 &&
      /^[A-Z]{3}$/.test(code ?? '') &&
      /^(?!0+(?:\.0+)?$)\d{1,6}(?:\.\d{1,9})?$/.test(rate ?? ''),
  )
  if (!isValid) read.problems.push('FX_RATES must look like EUR=1.08,GBP=1.27 (USD for one unit)')
  const codes = pairs.map(([code = '']) => code)
  const unknown = codes.filter((code) => !currencies.has(code))
  if (isValid && unknown.length > 0)
    read.problems.push(
      `FX_RATES has currency codes that ISO 4217 does not list: ${unknown.join(', ')}`,
    )
  const repeated = codes.filter((code, at) => codes.indexOf(code) < at)
  if (isValid && repeated.length > 0)
    read.problems.push(`FX_RATES has more than one rate for ${repeated.join(', ')}`)
  if (isValid && pairs.some(([code, rate = '']) => code === 'USD' && !/^0*1(?:\.0+)?$/.test(rate)))
    read.problems.push('FX_RATES states USD for one unit, so USD itself must be 1')
  return Object.fromEntries(pairs)
}
