import { isDollar } from './currency.ts'
import { DomainError } from './error.ts'
import type { Terms } from './invoice.ts'
import { isActive, type Mandate, standing } from './mandate.ts'
import { parseLimit } from './money.ts'

/** Payments bound to a mandate must keep to its terms: what of them can be read as a limit. */
export type Cap = {
  /** null: the terms name none. */
  readonly currency: string | null
  /** In millionths of `currency`; null: the terms name no amount of a currency. */
  readonly amountMicro: bigint | null
}

/** What a payment must know of a mandate, as it was `at` a time by PostgreSQL's clock. `boundMicro` is what is bound to it so far. */
export type Bindable = Pick<Mandate, 'id' | 'hash' | 'state' | 'expiresAt' | 'terms'> & {
  readonly boundMicro: bigint
  readonly at: Date
}

export type Payment = { readonly currency: string; readonly amountMicro: bigint }

const microScale = 6

/** What a mandate's terms, JSON text of an object, allow. Errors: `mandate_limit_exceeded` for an amount that cannot be read as one. */
export function capOf(terms: string): Cap {
  const { amount, currency } = JSON.parse(terms) as Record<string, unknown>
  const named = currency === undefined ? null : nameOf(currency)
  const isCapped = amount !== undefined && named !== null
  return { currency: named, amountMicro: isCapped ? microOf(amount) : null }
}

/**
 * What an invoice with these amounts counts for against a mandate, in millionths of its currency: what is paid, which is its total, or of a
 * purchase from others the price without the tax that is on top for the books alone.
 */
export function paymentOf(terms: Terms): Payment {
  const paidUnits = terms.isPurchase ? terms.subtotalUnits : terms.totalUnits
  const amountMicro = paidUnits * 10n ** BigInt(microScale - terms.scale)
  return { currency: terms.currency, amountMicro }
}

/**
 * The mandate's hash, and what all payments bound to it may add up to (null: anything). Refuses a payment that must not be bound to this
 * mandate, or to none such (undefined). Errors: `mandate_not_active`, `mandate_currency_mismatch`, `mandate_limit_exceeded`.
 */
export function admit(
  mandate: Bindable | undefined,
  payment: Payment,
): { readonly mandateHash: string; readonly capMicro: bigint | null } {
  insistActive(mandate)
  const { currency, amountMicro: capMicro } = capOf(mandate.terms)
  if (currency !== null && !isSameCurrency(currency, payment.currency))
    throw new DomainError('mandate_currency_mismatch', `The mandate is about ${currency}`)
  if (capMicro !== null && mandate.boundMicro + payment.amountMicro > capMicro) throw tooMuch()
  return { mandateHash: mandate.hash, capMicro }
}

/** Refuses a mandate under which nothing is paid, or none (undefined): `mandate_not_active`. */
export function insistActive(mandate: Bindable | undefined): asserts mandate is Bindable {
  if (!mandate) throw notActive('There is no such mandate')
  if (!isActive(mandate, mandate.at))
    throw notActive(`The mandate ${standing(mandate, mandate.at)}: nothing is paid under it`)
}

/** There is less left of the mandate: `mandate_limit_exceeded`. */
export function tooMuch(): DomainError {
  return limitExceeded('The amount is more than the mandate leaves')
}

/** What is no text is no currency either: its JSON is the name of none. */
function nameOf(currency: unknown): string {
  return typeof currency === 'string' ? currency : JSON.stringify(currency)
}

function microOf(amount: unknown): bigint {
  try {
    return parseLimit(JSON.stringify(amount), microScale)
  } catch {
    throw limitExceeded('terms.amount of the mandate cannot be read as an amount')
  }
}

function notActive(message: string): DomainError {
  return new DomainError('mandate_not_active', message)
}

function limitExceeded(message: string): DomainError {
  return new DomainError('mandate_limit_exceeded', message)
}

function isSameCurrency(one: string, other: string): boolean {
  return one === other || (isDollar(one) && isDollar(other))
}
