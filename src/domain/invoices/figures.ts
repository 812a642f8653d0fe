import { divideHalfUp, minorScale, toDecimal } from '../money/money.ts'
import { type Invoice, isOpen, type State, states } from './invoice.ts'
import type { Form, Terms } from './terms.ts'

/** `INV-2026-0001`, of a purchase `PUR-2026-0001`, in the `/api` families; the integer in `/v1`. */
export function numberOf(
  { year, number, terms }: Pick<Invoice, 'year' | 'number'> & { terms: Pick<Terms, 'isPurchase'> },
  form: Form,
): string {
  if (form === 'v1') return `${number}`
  return `${terms.isPurchase ? 'PUR' : 'INV'}-${year}-${String(number).padStart(4, '0')}`
}

/** A draft is issued when it is sent; `/v1` has no drafts. */
export function issuedAtOf({ terms, progress, createdAt }: Invoice): string {
  return terms.form === 'v1' ? createdAt : (progress.sentAt ?? createdAt)
}

/** Contract §4. */
export function statusOf(state: State, form: Form): string {
  return form === 'api' ? state : v1Status[state]
}

const v1Status: Readonly<Record<State, string>> = {
  draft: 'PENDING',
  sent: 'PENDING',
  paid: 'PENDING',
  settled: 'SETTLED',
  completed: 'SETTLED',
  failed: 'FAILED',
}

/** Every status of a family, in the order of an invoice's life. */
export function statusesOf(form: Form): readonly string[] {
  return [...new Set(states.map((state) => statusOf(state, form)))]
}

/** The states that have the status. */
export function statesOf(status: string, form: Form): readonly State[] {
  return states.filter((state) => statusOf(state, form) === status)
}

export const statusDetails = [
  'draft',
  'sent',
  'partly_paid',
  'paid',
  'settled',
  'completed',
  'expired',
  'void',
  'credited',
] as const

export type StatusDetail = (typeof statusDetails)[number]

/** `partly_paid` if open with payments; `expired`, `void` or `credited` if failed. */
export function statusDetailOf(invoice: Invoice): StatusDetail {
  const { state, progress } = invoice
  if (state === 'failed') return detailOf[progress.failure ?? 'voided']
  return isOpen(invoice) && progress.payments.length > 0 ? 'partly_paid' : state
}

const detailOf = { expired: 'expired', voided: 'void', credited: 'credited' } as const

/** JSON texts: decimals in `/v1`, integers of the smallest unit in the `/api` families. */
export type Amounts = {
  readonly amount: string
  readonly subtotal: string
  readonly taxAmount: string
  readonly total: string
}

/** `/api` shows whole smallest units: subtotal and tax are rounded half up, then added. */
export function amountsOf(terms: Terms, form: Form): Amounts {
  const { subtotal, taxAmount, total } = form === 'v1' ? decimals(terms) : integers(terms)
  const amount = terms.form === form ? terms.submittedAmount : subtotal
  return { amount, subtotal, taxAmount, total }
}

/** JSON text of one amount: a decimal, or rounded half up to the smallest unit. */
export function amountText(
  units: bigint,
  { scale, currency }: Pick<Terms, 'scale' | 'currency'>,
  form: Form,
): string {
  if (form === 'v1') return toDecimal(units, scale)
  return `${divideHalfUp(units, 10n ** BigInt(scale - minorScale(currency)))}`
}

function decimals({ scale, subtotalUnits, tax, totalUnits }: Terms) {
  return {
    subtotal: toDecimal(subtotalUnits, scale),
    taxAmount: toDecimal(tax.taxUnits, scale),
    total: toDecimal(totalUnits, scale),
  }
}

function integers({ scale, currency, subtotalUnits, tax }: Terms) {
  const unitsPerMinor = 10n ** BigInt(scale - minorScale(currency))
  const subtotalMinor = divideHalfUp(subtotalUnits, unitsPerMinor)
  const taxMinor = divideHalfUp(tax.taxUnits, unitsPerMinor)
  return {
    subtotal: `${subtotalMinor}`,
    taxAmount: `${taxMinor}`,
    total: `${subtotalMinor + taxMinor}`,
  }
}
