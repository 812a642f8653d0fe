import { type CreditNote, numberOf as creditNoteNumberOf } from '../credit-notes/credit-note.ts'
import { dayOf } from '../instant.ts'
import { numberOf } from '../invoices/figures.ts'
import type { Invoice } from '../invoices/invoice.ts'
import { breakdownOf } from '../invoices/lines.ts'
import type { Payment } from '../invoices/progress.ts'
import type { Taxed, Terms } from '../invoices/terms.ts'
import { divideHalfUp, toAmount, usdcScale } from '../money/money.ts'

/** `clearing` is between documents, in their currency, and what was paid for them, in USDC. */
export const accounts = ['clearing', 'fees', 'purchases', 'sales', 'vat_payable', 'wallet'] as const

export type Account = (typeof accounts)[number]

/** One side of an entry: a decimal of the currency, and null on the other side. */
export type Row = {
  /** The UTC day. */
  readonly date: string
  /** Names the entry, and its kind: `sale:INV-2026-0001`. */
  readonly entry: string
  readonly account: Account
  readonly document: string
  readonly currency: string
  readonly debit: string | null
  readonly credit: string | null
}

/** What happened at one time. Its rows balance in each of their currencies. */
export type Entry = { readonly atMs: number; readonly rows: readonly Row[] }

type Numbered = Pick<Invoice, 'year' | 'number'>

/** A settled invoice. `payments` are those of a purchase; a sale has transfers instead. */
export type SettledDocument = Numbered & {
  readonly settledAt: Date
  readonly taxed: Taxed
  readonly payments: readonly Paid[] | null
}

type Paid = Pick<Payment, 'key' | 'usdcBase' | 'confirmed'>

/** A confirmed transfer to a sale; the last that it needed to settle has the service's fee. */
export type BookedTransfer = Numbered & {
  readonly key: string
  readonly blockTime: Date
  readonly usdcBase: bigint
  readonly feeBase: bigint
}

/** A credit note, from when it counts. */
export type CountedNote = Pick<CreditNote, 'id' | 'year' | 'number' | 'terms'> & {
  readonly countedAt: Date
}

/** The transfer that has proven a refund. */
export type BookedRefund = {
  readonly key: string
  readonly blockTime: Date
  readonly usdcBase: bigint
  /** The number of the credit note. */
  readonly document: string
  readonly isPurchase: boolean
}

/** A sale or purchase on the day of its settlement, and what a purchase was paid with. */
export function documentEntries(document: SettledDocument): readonly Entry[] {
  return document.payments === null ? [sale(document)] : purchase(document, document.payments)
}

/** Money that came, and what the service keeps of it, at the time of the block. */
export function transferEntries(transfer: BookedTransfer): readonly Entry[] {
  const { key, blockTime, usdcBase, feeBase } = transfer
  const payment = headingOf(transfer, blockTime, `payment:${key}`)
  const received = entryAt(blockTime, pair(payment, 'wallet', 'clearing', usdc, usdcBase))
  if (feeBase === 0n) return [received]
  const fee = headingOf(transfer, blockTime, 'fee')
  return [received, entryAt(blockTime, pair(fee, 'fees', 'wallet', usdc, feeBase))]
}

/** What a credit note takes back of its sale, or of the price of a purchase. */
export function noteEntries(note: CountedNote): readonly Entry[] {
  const { countedAt, terms } = note
  const document = creditNoteNumberOf(note)
  const name = terms.isPurchase
    ? `${numberOf({ ...terms.invoice, terms }, 'api')}:${document}`
    : document
  const heading = { date: dayOf(countedAt), document, entry: `credit_note:${name}` }
  const unit = unitOf(terms)
  const rows = terms.breakdown.flatMap(({ baseUnits, taxUnits }) => {
    const netMinor = inMinor(baseUnits, terms)
    const taxMinor = inMinor(taxUnits, terms)
    if (terms.isPurchase) return pair(heading, 'clearing', 'purchases', unit, netMinor)
    return [
      ...(netMinor === 0n ? [] : pair(heading, 'sales', 'clearing', unit, netMinor)),
      ...(taxMinor === 0n ? [] : pair(heading, 'vat_payable', 'clearing', unit, taxMinor)),
    ]
  })
  return rows.length === 0 ? [] : [entryAt(countedAt, rows)]
}

/** Money that went back, or came back from the seller of a purchase. */
export function refundEntries(refund: BookedRefund): readonly Entry[] {
  const { key, blockTime, usdcBase, document, isPurchase } = refund
  const heading = { date: dayOf(blockTime), document, entry: `refund:${key}` }
  const [debited, credited] = isPurchase
    ? (['wallet', 'clearing'] as const)
    : (['clearing', 'wallet'] as const)
  return [entryAt(blockTime, pair(heading, debited, credited, usdc, usdcBase))]
}

/** Net and tax of each share are rounded as in the totals, so both say the same. */
function sale(document: SettledDocument): Entry {
  const { taxed, settledAt } = document
  const sold = headingOf(document, settledAt, 'sale')
  const unit = unitOf(taxed)
  const shares: Row[] = []
  let totalMinor = 0n
  for (const { baseUnits, taxUnits } of breakdownOf(taxed)) {
    const netMinor = inMinor(baseUnits, taxed)
    const taxMinor = inMinor(taxUnits, taxed)
    if (netMinor !== 0n) shares.push(credit(sold, 'sales', unit, netMinor))
    if (taxMinor !== 0n) shares.push(credit(sold, 'vat_payable', unit, taxMinor))
    totalMinor += netMinor + taxMinor
  }
  return entryAt(settledAt, [debit(sold, 'clearing', unit, totalMinor), ...shares])
}

/** The tax on a purchase is recorded, and nobody has charged it. */
function purchase(document: SettledDocument, payments: readonly Paid[]): readonly Entry[] {
  const { settledAt, taxed } = document
  const bought = headingOf(document, settledAt, 'purchase', asPurchase)
  const priceMinor = inMinor(taxed.subtotalUnits, taxed)
  const price = pair(bought, 'purchases', 'clearing', unitOf(taxed), priceMinor)
  const paid = payments
    .filter(({ confirmed }) => confirmed)
    .map(({ key, usdcBase }) => {
      const payment = headingOf(document, settledAt, `payment:${key}`, asPurchase)
      return entryAt(settledAt, pair(payment, 'clearing', 'wallet', usdc, usdcBase))
    })
  return [entryAt(settledAt, price), ...paid]
}

type Kinded = Pick<Terms, 'isPurchase'>
const asPurchase: Kinded = { isPurchase: true }

type Heading = Pick<Row, 'date' | 'entry' | 'document'>

/** `name` is a kind, or names the entry where a document may have several of them. */
function headingOf(numbered: Numbered, at: Date, name: string, terms: Kinded = {}): Heading {
  const document = numberOf({ ...numbered, terms }, 'api')
  const entry = name.includes(':') ? name : `${name}:${document}`
  return { date: dayOf(at), entry, document }
}

function entryAt(at: Date, rows: readonly Row[]): Entry {
  return { atMs: at.getTime(), rows }
}

type Unit = { readonly currency: string; readonly scale: number }

const usdc: Unit = { currency: 'USDC', scale: usdcScale }

type Scaled = Pick<Taxed, 'currency' | 'scale' | 'minorScale'>

function unitOf({ currency, scale, minorScale = scale }: Scaled): Unit {
  return { currency, scale: minorScale }
}

/** In the smallest unit of the currency. */
function inMinor(units: bigint, { scale, minorScale = scale }: Scaled): bigint {
  return scale === minorScale ? units : divideHalfUp(units, 10n ** BigInt(scale - minorScale))
}

function pair(
  heading: Heading,
  debited: Account,
  credited: Account,
  unit: Unit,
  units: bigint,
): readonly Row[] {
  return [debit(heading, debited, unit, units), credit(heading, credited, unit, units)]
}

function debit(heading: Heading, account: Account, { currency, scale }: Unit, units: bigint): Row {
  return rowOf(heading, account, currency, toAmount(units, scale), null)
}

function credit(heading: Heading, account: Account, { currency, scale }: Unit, units: bigint): Row {
  return rowOf(heading, account, currency, null, toAmount(units, scale))
}

/** Members stand in the order of the columns. */
function rowOf(
  { date, entry, document }: Heading,
  account: Account,
  currency: string,
  debit: string | null,
  credit: string | null,
): Row {
  return { date, entry, account, document, currency, debit, credit }
}
