import { DomainError, invalidField } from '../error.ts'
import { refundOf, requireCreditable } from '../invoices/crediting.ts'
import type { Invoice } from '../invoices/invoice.ts'
import type { Credit } from '../invoices/progress.ts'
import type { Form } from '../invoices/terms.ts'
import {
  minorScale,
  parseAmount,
  parseMinor,
  readDecimal,
  sumOf,
  toDueUsdcBase,
} from '../money/money.ts'
import { type Figures, figuresOf, type Wanted, type WantedLine } from './amounts.ts'
import type { CreditNote, Terms } from './credit-note.ts'
import type { Promised } from './evolve.ts'
import { grossOf, type Left, leftOf, quantityScale } from './left.ts'
import { allocate } from './refunds.ts'

/** A request checked by its schema; `*Source` are JSON texts. */
export type Request = {
  readonly form: Form
  readonly reason: string | null
  readonly sellerNumber: string | null
  /** At most one of these two. */
  readonly amountSource: string | null
  readonly lines: readonly RequestedLine[] | null
}

type RequestedLine = { readonly line: number; readonly quantitySource: string }

/** What a new note says, and what it does to its invoice. */
export type Draft = {
  readonly terms: Terms
  readonly refunds: readonly Promised[]
  readonly credit: Omit<Credit, 'noteId' | 'number'>
}

/**
 * `notes` are those of the invoice so far. Errors: `invalid_request`, `invalid_amount`,
 * `invalid_state`, `credit_exceeded`, `limit_reached`.
 */
export function draftOf(invoice: Invoice, notes: readonly CreditNote[], request: Request): Draft {
  requireFields(invoice, request)
  const wanted = wantedOf(invoice, request)
  requireCreditable(invoice)
  requireNew(notes, request)
  const left = leftOf(
    invoice.terms,
    notes.map(({ terms }) => terms),
  )
  const figures = figuresOf(left, wanted, invoice.terms.scale)
  const usdcBase = takenOff(invoice, left, figures)
  const refundUsdcBase = refundOf(invoice, usdcBase)
  const earlier = notes.flatMap(({ progress }) => progress.refunds)
  return {
    terms: { ...headOf(invoice, request), ...figures, usdcBase },
    refunds: allocate(invoice.progress.payments, earlier, refundUsdcBase),
    credit: { totalUnits: figures.totalUnits, usdcBase, refundUsdcBase },
  }
}

function requireFields({ terms }: Invoice, { reason, sellerNumber }: Request): void {
  if (terms.isPurchase && sellerNumber === null)
    throw invalidField('number', 'is required for a purchase: that of its seller’s credit note')
  if (terms.isPurchase) return
  if (sellerNumber !== null)
    throw invalidField('number', 'is only for a purchase: this service numbers your credit notes')
  if (reason === null) throw invalidField('reason', 'is required')
}

/** In the unit of the caller's family, which may be coarser than that of the invoice. */
function wantedOf({ terms }: Invoice, { form, amountSource, lines }: Request): Wanted {
  const { scale, currency, isPurchase } = terms
  if (lines && isPurchase) throw invalidField('lines', 'are only for what you sell')
  if (lines) return { kind: 'lines', lines: lines.map(wantedLine) }
  if (amountSource === null) return { kind: 'all' }
  const units =
    form === 'v1'
      ? parseAmount(amountSource, scale)
      : parseMinor(amountSource) * 10n ** BigInt(scale - minorScale(currency))
  return { kind: isPurchase ? 'net' : 'gross', units }
}

function wantedLine({ line, quantitySource }: RequestedLine, at: number): WantedLine {
  const quantity = readDecimal(quantitySource, quantityScale)
  const problem = typeof quantity === 'string' ? quantity : 'must be positive'
  if (typeof quantity === 'string' || quantity <= 0n)
    throw invalidField(`lines/${at}/quantity`, problem)
  return { line, quantityMicro: quantity }
}

/** The invoice's row holds a line for each note. */
const mostNotes = 100

function requireNew(notes: readonly CreditNote[], { sellerNumber }: Request): void {
  if (notes.length >= mostNotes)
    throw new DomainError('limit_reached', `An invoice takes at most ${mostNotes} credit notes`)
  if (notes.some(({ terms }) => sellerNumber !== null && terms.sellerNumber === sellerNumber))
    throw new DomainError('invalid_state', 'This credit note of the seller is recorded already')
}

/**
 * What is due for the rest is what is due for all of it, less this. It is worked out from the rest,
 * so that all notes together take off all that was due.
 */
function takenOff({ terms, progress }: Invoice, left: Left, figures: Figures): bigint {
  const { isPurchase, scale, fx } = terms
  // The tax of a purchase is only recorded.
  const paidFor = isPurchase ? ({ baseUnits }: { baseUnits: bigint }) => baseUnits : grossOf
  const restUnits = sumOf(left.shares, paidFor) - sumOf(figures.breakdown, paidFor)
  const before = terms.dueUsdcBase - sumOf(progress.credits ?? [], ({ usdcBase }) => usdcBase)
  const after = restUnits === 0n ? 0n : toDueUsdcBase(restUnits, scale, fx?.rate ?? null)
  return before > after ? before - after : 0n
}

function headOf({ terms, year, number }: Invoice, { reason, sellerNumber }: Request) {
  const { form, currency, scale, minorScale, tax, chain, payTo, usdcAddress, isPurchase } = terms
  return {
    form,
    reason,
    currency,
    scale,
    ...(minorScale !== undefined && { minorScale }),
    invoice: { year, number },
    countryCode: tax.countryCode,
    chain,
    payTo,
    usdcAddress,
    ...(isPurchase && { isPurchase }),
    ...(sellerNumber !== null && { sellerNumber }),
  }
}
