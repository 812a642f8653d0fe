import { type Rate, setByOperator, toAmount, usdcScale } from '../../domain/money/money.ts'
import { clean } from '../texts.ts'
import type { en } from './en.ts'
import type { Language } from './language.ts'

export type Key = keyof typeof en

/** The texts of a language, as a page carries them: plain JSON. */
export type Texts = Readonly<Record<Key, string>>

/** The names in `{}` in a text. */
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never

type Values<K extends Key> = [Names<(typeof en)[K]>] extends [never]
  ? []
  : [Readonly<Record<Names<(typeof en)[K]>, string | number>>]

export type Words = ReturnType<typeof wordsOf>

/** What speaks one language: its texts, and its way to write amounts and days, in UTC. */
export function wordsOf(language: Language, texts: Texts) {
  const locale = locales[language] ?? language
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const regions = new Intl.DisplayNames(locale, { type: 'region' })

  function say<K extends Key>(key: K, ...[values]: Values<K>): string {
    return values ? filled(texts[key], values) : texts[key]
  }

  /** A decimal with its currency: `1,234.50 EUR`. */
  function amount(decimal: string, currency: string): string {
    return `${number(decimal)} ${currency}`
  }

  /** All digits of a decimal, which may be more than a number can hold. */
  function number(decimal: string, more: Intl.NumberFormatOptions = {}): string {
    const digits = decimal.split('.')[1]?.length ?? 0
    const style = { minimumFractionDigits: digits, maximumFractionDigits: digits, ...more }
    return new Intl.NumberFormat(locale, style).format(decimal as Intl.StringNumericLiteral)
  }

  /** `12.5 hrs`; a unit without a name is its code of UN/ECE Recommendation 20. */
  function quantity(decimal: string, unitCode: string): string {
    const unit = units[unitCode]
    if (unit === undefined) return `${number(decimal)} ${unitCode}`
    return unit ? number(decimal, { style: 'unit', unit, unitDisplay: 'short' }) : number(decimal)
  }

  /** `1,234.50 EUR` of units of the scale. */
  function money(units: bigint, scale: number, currency: string): string {
    return amount(toAmount(units, scale), currency)
  }

  function usdc(usdcBase: bigint): string {
    return money(usdcBase, usdcScale, 'USDC')
  }

  function percent(rateBasisPoints: number): string {
    const style = { style: 'percent', maximumFractionDigits: 2 } as const
    return new Intl.NumberFormat(locale, style).format(rateBasisPoints / 10_000)
  }

  /** The day of an ISO 8601 instant: `1 May 2026`. */
  function day(instant: string): string {
    return days.format(new Date(instant))
  }

  /** The minute of an ISO 8601 instant: `1 May 2026, 12:00 UTC`. */
  function moment(instant: string): string {
    return `${day(instant)}, ${instant.slice(11, 16)} UTC`
  }

  /** `2 days 03:04:05`. */
  function duration(seconds: number): string {
    const style = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const
    const whole = Math.floor(seconds / 86_400)
    const clock = new Date((seconds % 86_400) * 1_000).toISOString().slice(11, 19)
    return whole > 0 ? `${new Intl.NumberFormat(locale, style).format(whole)} ${clock}` : clock
  }

  /** `1 EUR = 1.08 USDC, ECB, 1 May 2026`. */
  function exchangeRate({ rate, source, asOf }: Rate, currency: string): string {
    const from = source === setByOperator ? say('fixedRate') : clean(source)
    return `1 ${currency} = ${amount(rate, 'USDC')}, ${from}, ${day(asOf)}`
  }

  /** The name of an upper-case country code. */
  function country(code: string): string {
    return regions.of(code) ?? code
  }

  return {
    ...{ language, texts, say, number, quantity, amount, money, usdc, percent },
    ...{ day, moment, duration, exchangeRate, country },
  }
}

/** Names that every language has for units; pieces have none. */
const units: Readonly<Record<string, string>> = {
  ...{ C62: '', EA: '', H87: '', SEC: 'second', MIN: 'minute', HUR: 'hour', DAY: 'day' },
  ...{ WEE: 'week', MON: 'month', ANN: 'year', GRM: 'gram', KGM: 'kilogram', LTR: 'liter' },
  ...{ MMT: 'millimeter', CMT: 'centimeter', MTR: 'meter', KMT: 'kilometer', P1: 'percent' },
  ...{ AD: 'byte', '2P': 'kilobyte', '4L': 'megabyte', E34: 'gigabyte', E35: 'terabyte' },
}

/** The text with its values. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`)
}

// Portugal's spaces between thousands are read as such in Brazil, too; its points in Portugal are
// not read everywhere.
const locales: Partial<Record<Language, string>> = { en: 'en-GB', pt: 'pt-PT' }
