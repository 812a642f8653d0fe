import { DomainError } from './error.ts'

/** USDC on every chain has six decimals: 1 USDC = 1,000,000 `usdcBase`. */
export const usdcScale = 6

/** Largest amount of anything, in its smallest unit: JSON clients must be able to hold it exactly. */
export const maxUnits = 2n ** 53n - 1n

const plain = /^(0|[1-9]\d*)(?:\.(\d+))?$/
/** A number of more digits is beyond `maxUnits`, or has more places than any currency: it is not worth being read. */
const mostDigits = 64
const lexeme = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * The units of a positive decimal amount, exactly, or `invalid_amount`. `source` is the JSON text of the value as it was
 * sent (a number's digits, or a string in quotes), so nothing has been rounded before this sees it.
 */
export function parseAmount(source: string, scale: number): bigint {
  const units = parseLimit(source, scale)
  if (units > maxUnits) throw invalidAmount('is too large')
  return units
}

/** The same of what amounts must not pass and is none itself: it may be larger than any of them. */
export function parseLimit(source: string, scale: number): bigint {
  const text = source.startsWith('"') ? plainDecimal(source) : source
  const parts = lexeme.exec(text)
  if (!parts) throw invalidAmount('must be a number or a decimal string')
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts
  // JSON writers differ on 1000 and 1000.0, which are one number; in a decimal amount every place that was written counts.
  const decimals = scale === 0 && /^0+$/.test(fraction) ? '' : fraction
  const places = decimals.length - Number(exponent)
  if (places > scale) {
    throw invalidAmount(scale === 0 ? 'must be an integer' : `must have at most ${scale} decimals`)
  }
  if (whole.length + decimals.length > mostDigits) throw invalidAmount('has too many digits')
  const units = BigInt(whole + decimals) * 10n ** BigInt(scale - places)
  if (sign === '-' || units <= 0n) throw invalidAmount('must be positive')
  return units
}

/** The same for amounts that are sent in smallest units: a positive integer, and no string. */
export function parseMinor(source: string): bigint {
  if (source.startsWith('"')) throw invalidAmount('must be an integer, not a string')
  if (!lexeme.test(source)) throw invalidAmount('must be an integer')
  return parseAmount(source, 0)
}

function plainDecimal(source: string): string {
  const text = source.slice(1, -1)
  if (!plain.test(text)) throw invalidAmount('must be a decimal string such as "12.50"')
  return text
}

/** A number in a JSON body is `units` at `scale` as the shortest exact decimal: 12500000 at 6 is `12.5`. */
export function toDecimal(units: bigint, scale: number): string {
  return decimal(units, scale, 0)
}

/** The same for people and for decimal strings: always at least two decimals, `12.50`. */
export function toAmount(units: bigint, scale: number): string {
  return decimal(units, scale, Math.min(2, scale))
}

function decimal(units: bigint, scale: number, fewest: number): string {
  if (scale === 0) return units.toString()
  const digits = units.toString().padStart(scale + 1, '0')
  const point = digits.length - scale
  let end = digits.length
  while (end > point + fewest && digits.charCodeAt(end - 1) === 48) end--
  const whole = digits.slice(0, point)
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`
}

/** `numerator / denominator` of non-negative integers, halves rounded up. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n)
}

const basisPoints = 10_000n

/** The share of `units` that `rateBasisPoints` (1900 = 19 %) names, halves rounded up. */
export function share(units: bigint, rateBasisPoints: number): bigint {
  return divideHalfUp(units * BigInt(rateBasisPoints), basisPoints)
}

/** How many decimals a currency's smallest unit has; ISO 4217, with USDC as the chains count it. */
export function minorScale(currency: string): number {
  return minorScales[currency] ?? 2
}

const minorScales: Readonly<Record<string, number>> = {
  USDC: usdcScale,
  ...scaled(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...scaled(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...scaled(4, 'CLF UYW'),
}

function scaled(scale: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, scale]))
}

/** How many USD one unit of a currency is worth, as configured; `rate` is a decimal such as `1.08`. */
export type Rate = { readonly rate: string; readonly source: string; readonly asOf: string }

/** Decimals of a rate. */
export const rateScale = 9

/** What `units` at `scale` come to in USDC base units at `rate` USD each, halves rounded up. */
export function toUsdcBase(units: bigint, scale: number, rate = '1'): bigint {
  const rateUnits = parseAmount(rate, rateScale)
  return divideHalfUp(
    units * rateUnits * 10n ** BigInt(usdcScale),
    10n ** BigInt(scale + rateScale),
  )
}

/** `invalid_amount` naming the field; `problem` completes the sentence "amount …". */
export function invalidAmount(problem: string): DomainError {
  return new DomainError('invalid_amount', `amount ${problem}`, {
    details: [{ path: 'amount', message: problem }],
  })
}
