import type { Detail } from '../domain/error.ts'
import { amountRule, minorOf } from './format.ts'

/** The fields of a form, which are named by the API's paths: `buyer/email`. */
type Fields = Iterable<readonly [path: string, entry: unknown]>

/** The body of `POST /api/invoices` for a filled-in form. Throws where the amount is not valid. */
export function invoiceOf(fields: Fields) {
  const { amount, currency: code, ...rest } = bodyOf(fields)
  const currency = currencyOf(code)
  return {
    ...rest,
    amount: minor('The amount', amount, currency),
    currency,
  }
}

/**
 * The body of `PUT /api/budget/:agentId` for a filled-in form. Throws where an amount is not valid.
 */
export function budgetOf(fields: Fields) {
  const { limit, currency: code, period, perTransactionLimit: most } = bodyOf(fields)
  const currency = currencyOf(code)
  return {
    limit: limitMinor('The limit', limit, currency),
    currency,
    period,
    perTransactionLimit: most ? limitMinor('What one payment may take', most, currency) : null,
  }
}

type BudgetTerms = ReturnType<typeof budgetOf>

/**
 * The body of `PUT /api/budget/:agentId` that changes what somebody changed in a form that `began`
 * with these terms, so that a change made elsewhere meanwhile stays. No amount goes without the
 * currency it was read in, nor the limit without its period. Throws where an amount is not valid.
 */
export function budgetChangeOf(fields: Fields, began: BudgetTerms): Partial<BudgetTerms> {
  const { limit, currency, period, perTransactionLimit } = budgetOf(fields)
  const isOther = currency !== began.currency
  const isOtherLimit = isOther || limit !== began.limit || period !== began.period
  const isOtherMost = isOther || perTransactionLimit !== began.perTransactionLimit
  return {
    ...((isOtherLimit || isOtherMost) && { currency }),
    ...(isOtherLimit && { limit, period }),
    ...(isOtherMost && { perTransactionLimit }),
  }
}

/**
 * What the service objects to in a form, with the labels of the fields in place of the API's paths.
 * `labelOf` answers null for a path without a field; the service's own message stands in then.
 */
export function inLabels(
  { message, details = [] }: { readonly message: string; readonly details?: readonly Detail[] },
  labelOf: (path: string) => string | null,
): string {
  const labels = details.map(({ path }) => labelOf(path))
  if (labels.length === 0 || labels.includes(null)) return message
  return details.map((detail, at) => `${labels[at]}: ${detail.message}`).join('. ')
}

type Body = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** What is filled in, as a body: the field `buyer/email` is the member `email` of `buyer`. */
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

/** Of a limit, unlike of an amount to be paid, nothing is a value too. */
function limitMinor(name: string, typed: unknown, currency: string): number {
  return /^0+(\.0*)?$/.test(`${typed}`) ? 0 : minor(name, typed, currency)
}

function minor(name: string, typed: unknown, currency: string): number {
  const units = minorOf(`${typed ?? ''}`, currency)
  if (units === null) throw new Error(`${name} is ${amountRule(currency)}`)
  return units
}
