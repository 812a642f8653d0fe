import type { Detail } from '../domain/error.ts'
import { amountRule, minorOf } from './format.ts'

/** Named by paths in the API's body: `buyer/email`. */
export type Fields = Iterable<readonly [path: string, entry: unknown]>

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

/** What is wrong with a budget's filled-in fields. */
export function budgetProblems(fields: Fields): readonly Detail[] {
  const typed = textsOf(fields)
  return ['limit', 'perTransactionLimit'].flatMap((path) => amountProblems(typed, path, isLimit))
}

export type Texts = ReadonlyMap<string, string>

/** What was typed, without space around it. */
export function textsOf(fields: Fields): Texts {
  return new Map(Array.from(fields, ([path, entry]) => [path, `${entry}`.trim()]))
}

/** Nothing is wrong with an empty field: whether it is required the browser knows. */
export function amountProblems(
  typed: Texts,
  path: string,
  isRight: (typed: string, currency: string) => boolean = isAmount,
): readonly Detail[] {
  const text = typed.get(path)
  const currency = currencyOf(typed.get('currency'))
  if (!text || isRight(text, currency)) return []
  return [{ path, message: `Enter ${amountRule(currency)}.` }]
}

function isAmount(typed: string, currency: string): boolean {
  return minorOf(typed, currency) !== null
}

/** A limit, unlike an amount to be paid, may be 0. */
function isLimit(typed: string, currency: string): boolean {
  return isZero(typed) || isAmount(typed, currency)
}

function isZero(typed: string): boolean {
  return /^0+(\.0*)?$/.test(typed)
}

/** What to say at a field whose constraint is not met, in place of the browser's own words. */
export function constraintText(field: {
  readonly type: string
  readonly placeholder: string
  readonly validity: { readonly valueMissing: boolean; readonly rangeUnderflow: boolean }
  readonly validationMessage: string
}): string {
  if (field.validity.valueMissing) return 'Fill this in.'
  if (field.type === 'email') return 'Enter an e-mail address, such as ada@example.com.'
  if (field.type === 'url') return `Enter a URL, such as ${field.placeholder}.`
  if (field.validity.rangeUnderflow) return 'Choose today or a later day.'
  return field.validationMessage
}

/**
 * The service's messages by the names of a form's fields: that of `events/0` is at `events`. None
 * if one is about no field, so that its own message is shown.
 */
export function placedAt(
  names: readonly string[],
  details: readonly Detail[] = [],
): ReadonlyMap<string, string> {
  const placed = details.map(({ path, message }) => {
    const name = names.find((one) => one === path || path.startsWith(`${one}/`))
    return [name, sentence(message)] as const
  })
  const known = placed.flatMap(([name, text]) => (name ? [[name, text] as const] : []))
  return new Map(known.length === details.length ? known : [])
}

/** `Must be positive.` for `must be positive`. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

type Body = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** What is filled in, but for lists. */
export function bodyOf(fields: Fields): Body {
  const body: Record<string, string | Record<string, string>> = {}
  for (const [path, entry] of fields) {
    const text = `${entry}`.trim()
    const [outer = '', inner, isInList] = path.split('/')
    if (!text || isInList) continue
    if (inner === undefined) body[outer] = text
    else body[outer] = { ...(body[outer] as object), [inner]: text }
  }
  return body
}

export function currencyOf(code: unknown): string {
  return `${code ?? ''}`.toUpperCase()
}

function limitMinor(name: string, typed: unknown, currency: string): number {
  return isZero(`${typed}`) ? 0 : minor(name, typed, currency)
}

/** Throws, naming the amount, if it is not valid. */
export function minor(name: string, typed: unknown, currency: string): number {
  const units = minorOf(`${typed ?? ''}`, currency)
  if (units === null) throw new Error(`${name} is ${amountRule(currency)}`)
  return units
}
