import { DomainError } from '../error.ts'

/** USDC has six decimals on every chain: 1 USDC = 1,000,000 `usdcBase`. */
export const usdcScale = 6

/** The largest amount in its smallest unit: JSON clients must hold it exactly. */
export const maxUnits = 2n ** 53n - 1n

const plain = /^(0|[1-9]\d*)(?:\.(\d+))?$/
/** Longer numbers exceed `maxUnits` or any currency's decimals. */
const mostDigits = 64
const lexeme = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/** Parses the JSON text of a positive decimal: a number or a string. Errors: `invalid_amount`. */
export function parseAmount(source: string, scale: number): bigint {
  const units = parseLimit(source, scale)
  if (units > maxUnits) throw invalidAmount('is too large')
  return units
}

/** Like `parseAmount`, for a limit, which may exceed `maxUnits`. Errors: `invalid_amount`. */
export function parseLimit(source: string, scale: number): bigint {
  const units = readDecimal(source, scale)
  if (typeof units === 'string') throw invalidAmount(units)
  if (units <= 0n) throw invalidAmount('must be positive')
  return units
}

/**
 * The units of the JSON text of a decimal, which is a number or a string; or what is wrong with it,
 * to complete the sentence "amount …".
 */
export function readDecimal(source: string, scale: number): bigint | string {
  const isText = source.startsWith('"')
  const text = isText ? source.slice(1, -1) : source
  if (isText && !plain.test(text)) return 'must be a decimal string such as "12.50"'
  const parts = lexeme.exec(text)
  if (!parts) return 'must be a number or a decimal string'
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts
  // JSON writers differ on 1000 and 1000.0; in a decimal amount every written place counts.
  const decimals = scale === 0 && /^0+$/.test(fraction) ? '' : fraction
  const places = decimals.length - Number(exponent)
  if (places > scale)
    return scale === 0 ? 'must be an integer' : `must have at most ${scale} decimals`
  if (whole.length + decimals.length > mostDigits) return 'has too many digits'
  const units = BigInt(whole + decimals) * 10n ** BigInt(scale - places)
  return sign === '-' ? -units : units
}

/** The units of an integer in smallest units. Errors: `invalid_amount`. */
export function parseMinor(source: string): bigint {
  if (source.startsWith('"')) throw invalidAmount('must be an integer, not a string')
  if (!lexeme.test(source)) throw invalidAmount('must be an integer')
  return parseAmount(source, 0)
}

/** What `toDecimal` made a text of. */
export function fromDecimal(decimal: string, scale: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

/** The shortest exact decimal: 12500000 at scale 6 is `12.5`. */
export function toDecimal(units: bigint, scale: number): string {
  return decimal(units, scale, 0)
}

/** At least two decimals, or `scale` if fewer: `12.50`. */
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

/** The decimals that the exact value of `units` needs. */
export function decimalsOf(units: bigint, scale: number): number {
  let needed = scale
  for (let left = units; needed > 0 && left % 10n === 0n; left /= 10n) needed--
  return needed
}

/** The sum of what `read` finds in each item. */
export function sumOf<Item>(items: readonly Item[], read: (item: Item) => bigint): bigint {
  return items.reduce((sum, item) => sum + read(item), 0n)
}

/** For non-negative integers; halves are rounded up. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n)
}

const basisPoints = 10_000n

/** `rateBasisPoints` 1900 is 19 %; halves are rounded up. */
export function share(units: bigint, rateBasisPoints: number): bigint {
  return divideHalfUp(units * BigInt(rateBasisPoints), basisPoints)
}

/** Decimals of a currency's smallest unit, by ISO 4217; USDC has six. */
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

/** The value of one unit of a currency in USD: a decimal such as `1.08`. */
export type Rate = { readonly rate: string; readonly source: string; readonly asOf: string }

/** The source of rates that come from the operator's own setting. */
export const setByOperator = 'FX_RATES'

export const rateScale = 9

const staleAfterMs = 8 * 86_400_000

/** Whether a rate of the day `asOf` is more than 7 days old. */
export function isStale(asOf: string, at: string): boolean {
  return Date.parse(at) - Date.parse(asOf) >= staleAfterMs
}

const usdcUnits = 10n ** BigInt(usdcScale)
const basePerCent = 10_000n

/**
 * What is due for `units`, in USDC base units, halves rounded up: whole cents of a USDC, and
 * millionths below 1 USDC. Null: not converted, 1 to 1.
 */
export function toDueUsdcBase(units: bigint, scale: number, rate: string | null): bigint {
  if (rate === null) return divideHalfUp(units * usdcUnits, 10n ** BigInt(scale))
  const numerator = units * parseAmount(rate, rateScale)
  const denominator = 10n ** BigInt(scale + rateScale)
  if (numerator < denominator) return divideHalfUp(numerator * usdcUnits, denominator)
  return divideHalfUp(numerator * 100n, denominator) * basePerCent
}

/** `problem` completes the sentence "amount …". */
export function invalidAmount(problem: string): DomainError {
  return new DomainError('invalid_amount', `amount ${problem}`, {
    details: [{ path: 'amount', message: problem }],
  })
}
