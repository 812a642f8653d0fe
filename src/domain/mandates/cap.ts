import { currencies } from '../money/currency.ts'
import { parseLimit } from '../money/money.ts'

/** The limit that a mandate's terms set on its payments. */
export type Cap = {
  readonly currency: string | null
  /** In millionths; null: the terms lack an amount or a currency. */
  readonly amountMicro: bigint | null
  /** The terms name both, but the amount cannot be read. */
  readonly isUnreadable?: true
}

export const microScale = 6

/** The limit in a mandate's `terms`, JSON text of an object. */
export function capOf(terms: string): Cap {
  const { amount, currency } = JSON.parse(terms) as Record<string, unknown>
  if (currency === undefined) return { currency: null, amountMicro: null }
  const named = nameOf(currency)
  if (amount === undefined) return { currency: named, amountMicro: null }
  const amountMicro = microOf(amount)
  return { currency: named, amountMicro, ...(amountMicro === null && { isUnreadable: true }) }
}

/**
 * What is odd about the limit. Terms may be anything, so none of it is an error:
 * - `amount_unreadable`: with a currency, no payment is admitted
 * - `amount_without_currency`: the amount limits nothing
 * - `currency_unknown`: no payment is in that currency, so none is admitted
 */
export type Warning = 'amount_unreadable' | 'amount_without_currency' | 'currency_unknown'

/** The warnings about a mandate's `terms`, JSON text of an object. */
export function warningsOf(terms: string): readonly Warning[] {
  const { amount, currency } = JSON.parse(terms) as Record<string, unknown>
  const found: Warning[] = []
  if (amount !== undefined && microOf(amount) === null) found.push('amount_unreadable')
  if (amount !== undefined && currency === undefined) found.push('amount_without_currency')
  if (currency !== undefined && !currencies.has(nameOf(currency))) found.push('currency_unknown')
  return found
}

/** A `currency` that is no string becomes its JSON text, which equals no currency. */
function nameOf(currency: unknown): string {
  return typeof currency === 'string' ? currency : JSON.stringify(currency)
}

function microOf(amount: unknown): bigint | null {
  try {
    return parseLimit(JSON.stringify(amount), microScale)
  } catch {
    return null
  }
}
