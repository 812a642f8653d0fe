import { DomainError } from '../error.ts'
import { creditedUnits } from '../invoices/balance.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { Terms } from '../invoices/terms.ts'
import { isDollar } from '../money/currency.ts'
import { toAmount } from '../money/money.ts'
import { type Cap, capOf, microScale } from './cap.ts'
import { isActive, type Mandate, stateInWords } from './mandate.ts'

/** `at` is when it was read, by PostgreSQL's clock; `boundMicro` sums the payments bound so far. */
export type Bindable = Pick<Mandate, 'id' | 'hash' | 'state' | 'expiresAt' | 'terms'> & {
  readonly boundMicro: bigint
  readonly at: Date
}

export type Payment = { readonly currency: string; readonly amountMicro: bigint }

/** What an invoice counts against a mandate: its total or, for a purchase, its net price. */
export function paymentOf(
  terms: Pick<Terms, 'isPurchase' | 'currency' | 'scale' | 'subtotalUnits' | 'totalUnits'>,
): Payment {
  const paidUnits = terms.isPurchase ? terms.subtotalUnits : terms.totalUnits
  const amountMicro = paidUnits * 10n ** BigInt(microScale - terms.scale)
  return { currency: terms.currency, amountMicro }
}

/** What an unpaid invoice still counts, in millionths: credit notes have given the rest back. */
export function boundMicro(invoice: Invoice): bigint {
  const { terms } = invoice
  return paymentOf({ ...terms, totalUnits: terms.totalUnits - creditedUnits(invoice) }).amountMicro
}

/** In millionths of the limit's currency. */
export type Use = { readonly cap: Cap; readonly boundMicro: bigint }

/**
 * Returns the mandate's hash and the use of its limit before this payment. Errors:
 * `mandate_not_active`, `mandate_currency_mismatch`, `mandate_limit_exceeded`.
 */
export function admit(
  mandate: Bindable | undefined,
  payment: Payment,
): Use & { readonly mandateHash: string } {
  requireActive(mandate)
  const { hash: mandateHash, boundMicro } = mandate
  const cap = capOf(mandate.terms)
  const { currency, amountMicro: capMicro } = cap
  if (cap.isUnreadable)
    throw limitExceeded('terms.amount of the mandate cannot be read as an amount', {
      use: { cap, boundMicro },
      payment,
    })
  if (currency !== null && !isSameCurrency(currency, payment.currency))
    throw new DomainError('mandate_currency_mismatch', `The mandate is about ${currency}`)
  if (capMicro !== null && boundMicro + payment.amountMicro > capMicro)
    throw tooMuch({ cap, boundMicro }, payment)
  return { mandateHash, cap, boundMicro }
}

/** Errors: `mandate_not_active`, also without a mandate. */
function requireActive(mandate: Bindable | undefined): asserts mandate is Bindable {
  if (!mandate) throw notActive('There is no such mandate')
  if (!isActive(mandate, mandate.at))
    throw notActive(`The mandate ${stateInWords(mandate, mandate.at)}: nothing is paid under it`)
}

/** `mandate_limit_exceeded`, with decimals of the mandate's currency. */
export function tooMuch(use: Use, payment: Payment): DomainError {
  return limitExceeded('The amount is more than the mandate leaves', { use, payment })
}

function notActive(message: string): DomainError {
  return new DomainError('mandate_not_active', message)
}

function limitExceeded(
  message: string,
  { use: { cap, boundMicro }, payment }: { readonly use: Use; readonly payment: Payment },
): DomainError {
  const amount = (micro: bigint) => toAmount(micro, microScale)
  const leftMicro = cap.amountMicro === null ? null : cap.amountMicro - boundMicro
  const details = {
    term: 'amount',
    limit: cap.amountMicro === null ? null : amount(cap.amountMicro),
    used: amount(boundMicro),
    requested: amount(payment.amountMicro),
    remaining: leftMicro === null ? null : amount(leftMicro > 0n ? leftMicro : 0n),
    currency: cap.currency,
  }
  return new DomainError('mandate_limit_exceeded', message, { details })
}

function isSameCurrency(one: string, other: string): boolean {
  return one === other || (isDollar(one) && isDollar(other))
}
