import { untaxed } from '../documents/pdf/items.ts'
import { english } from '../documents/words/english.ts'
import type { TaxCategory } from '../domain/invoices/lines.ts'
import { divideHalfUp, fromDecimal, minorScale, toAmount } from '../domain/money/money.ts'

const dates = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** `1,234.50 EUR`. */
export function money(minor: number | bigint, currency: string): string {
  return figureOf(minor, currency).exact
}

/**
 * `shown` has two decimals, halves rounded up, and none in a currency without: `1,234.50`. Less
 * than half a hundredth is `<0.01`. `exact` names the currency.
 */
export function figureOf(minor: number | bigint, currency: string) {
  const sign = minor < 0 ? '−' : ''
  const units = minor < 0 ? -BigInt(minor) : BigInt(minor)
  const scale = minorScale(currency)
  const places = Math.min(2, scale)
  const rounded = divideHalfUp(units, 10n ** BigInt(scale - places))
  const isTiny = rounded === 0n && units > 0n
  return {
    shown: sign + (isTiny ? '<0.01' : english.number(toAmount(rounded, places))),
    exact: sign + english.amount(toAmount(units, scale), currency),
  }
}

/** What somebody typed as decimals are sent: `12.5` for `012.5`, `12` for `12.`. */
export function decimalIn(typed: string): string {
  return typed
    .trim()
    .replace(/^0+(?=\d)/, '')
    .replace(/\.$/, '')
}

/** `19 %`, or why there is none: `Reverse charge`. `rate` is in percent. */
export function taxText(category: TaxCategory, rate: number): string {
  const key = untaxed[category]
  return key ? english.say(key.word) : `${rate}\u00a0%`
}

/** Null if the text is not a valid positive amount. */
export function minorOf(typed: string, currency: string): number | null {
  const digits = minorScale(currency)
  const [whole = '', fraction = '', ...more] = typed.trim().split('.')
  if (more.length > 0 || !/^\d+$/.test(whole) || !/^\d*$/.test(fraction)) return null
  if (fraction.length > digits) return null
  const minor = Number(fromDecimal(typed.trim(), digits))
  return Number.isSafeInteger(minor) && minor > 0 ? minor : null
}

export function amountRule(currency: string): string {
  const digits = minorScale(currency)
  if (digits === 0) return `a positive number, without decimals in ${currency}, such as 1250`
  return `a positive number, with at most ${digits} decimals in ${currency}, such as 1250.${'0'.repeat(Math.min(digits, 2))}`
}

/** Unchanged if it is not valid percent-encoding. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The day in UTC: `2026-12-22`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** `22 Dec 2026, 00:00 UTC`. */
export function when(instant: string): string {
  return `${dates.format(new Date(instant))} UTC`
}

export function headline(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

export function short(text: string): string {
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text
}

export function warningText(code: string): string {
  const words = taxWarnings[code]
  if (words) return words
  const [, side, what = '', fault] = /^(seller|buyer)_(\w+)_(missing|format)$/.exec(code) ?? []
  if (!side) return code.replaceAll('_', ' ')
  const thing = `the ${side}’s ${warningSubjects[what] ?? what}`
  return fault === 'missing' ? `${thing} is missing` : `${thing} does not look valid`
}

const taxWarnings: Readonly<Record<string, string>> = {
  tax_currency_missing: 'the tax is not in the currency of its country',
  exemption_reason_missing: 'no legal reason is given for charging no tax',
  tax_not_charged: 'the tax is only recorded: the seller charged none',
}

const warningSubjects: Readonly<Record<string, string>> = { vat: 'VAT id', id: 'VAT id or wallet' }
