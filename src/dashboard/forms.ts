import type { Detail } from '../domain/error.ts'
import { amountRule, minorOf } from './format.ts'

/** Named by paths in the API's body: `buyer/email`. */
type Fields = Iterable<readonly [path: string, entry: unknown]>

/** The body of `POST /api/invoices` for a filled-in form. Throws if the amount is not valid. */
export function invoiceOf(fields: Fields) {
  const { amount, currency: code, ...rest } = bodyOf(fields)
  const currency = currencyOf(code)
  return {
    ...rest,
    amount: minor('The amount', amount, currency),
    currency,
  }
}

/** The body of `PUT /api/budget/:agentId`. Throws if an amount is not valid. */
export function budgetOf(fields: Fields) {
  const { limit, currency: code, period, perTransactionLimit: perPayment } = bodyOf(fields)
  const currency = currencyOf(code)
  return {
    limit: limitMinor('The limit', limit, currency),
    currency,
    period,
    perTransactionLimit: perPayment
      ? limitMinor('The limit per payment', perPayment, currency)
      : null,
  }
}

type BudgetTerms = ReturnType<typeof budgetOf>

/**
 * Only what somebody changed in a form that showed `before`, so that changes made elsewhere stay.
 * Amounts go with their currency, the limit with its period.
 */
export function budgetChangeOf(fields: Fields, before: BudgetTerms): Partial<BudgetTerms> {
  const { limit, currency, period, perTransactionLimit } = budgetOf(fields)
  const isOther = currency !== before.currency
  const isOtherLimit = isOther || limit !== before.limit || period !== before.period
  const isOtherPerTransaction = isOther || perTransactionLimit !== before.perTransactionLimit
  return {
    ...((isOtherLimit || isOtherPerTransaction) && { currency }),
    ...(isOtherLimit && { limit, period }),
    ...(isOtherPerTransaction && { perTransactionLimit }),
  }
}

/**
 * Uses the labels of fields in place of the API's paths. The message stays if a path has no field.
 */
export function withLabels(
  { message, details = [] }: { readonly message: string; readonly details?: readonly Detail[] },
  labelOf: (path: string) => string | null,
): string {
  const labels = details.map(({ path }) => labelOf(path))
  if (labels.length === 0 || labels.includes(null)) return message
  return details.map((detail, at) => `${labels[at]}: ${detail.message}`).join('. ')
}

type Body = Readonly<Record<string, string | Readonly<Record<string, string>>>>

function bodyOf(fields: Fields): Body {
  const body: Record<string, string | Record<string, string>> = {}
  for (const [path, entry] of fields) {
    const text = `${entry}`.trim()
    const [outer = '', inner] = path.split('/')
    if (!text) continue
    if (inner === undefined) body[outer] = text
    else body[outer] = { ...(body[outer] as object), [inner]: text }
  }
  return body
}

function currencyOf(code: unknown): string {
  return `${code ?? ''}`.toUpperCase()
}

/** A limit, unlike an amount to be paid, may be 0. */
function limitMinor(name: string, typed: unknown, currency: string): number {
  return /^0+(\.0*)?$/.test(`${typed}`) ? 0 : minor(name, typed, currency)
}

function minor(name: string, typed: unknown, currency: string): number {
  const units = minorOf(`${typed ?? ''}`, currency)
  if (units === null) throw new Error(`${name} is ${amountRule(currency)}`)
  return units
}
