import { type Booking, type Document, numberOf, rowsOf } from '../../domain/books/documents.ts'
import type { Row } from '../../domain/books/journal.ts'
import type { Period } from '../../domain/books/period.ts'
import { canonical, type Json } from '../../domain/canonical.ts'
import { numberOf as invoiceNumberOf } from '../../domain/invoices/figures.ts'
import { fromDecimal, sumOf, toAmount, usdcScale } from '../../domain/money/money.ts'
import { documentClaims } from '../../domain/receipts/receipt.ts'
import type { Note } from './faults.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A document of a file with the lines that follow it. */
export type Group = {
  readonly document: Document
  readonly booking: Booking
  /** What its valid receipts state. */
  readonly claims: Claims[]
  /** Its entries, with whatever members they have. */
  readonly rows: Claims[]
  /** A receipt of it is not valid, which is noted already. */
  isReceiptBad: boolean
}

/** Notes where a document, its receipts and its entries say different things. */
export function checkGroup(group: Group, days: Period, note: Note): void {
  const { document, booking, claims } = group
  const number = numberOf(document)
  const altered = (message: string) => note('altered', number, message)
  const sales = claims.filter(({ kind }) => kind === 'settlement' || kind === 'purchase')
  const refunds = claims.filter(({ kind }) => kind === 'refund')
  if (sales.length > 1 || sales.length + refunds.length < claims.length)
    altered('it has a receipt too many')
  const [sale] = sales
  if (booking.bookedAt !== null && !sale && !group.isReceiptBad)
    note('missing receipt', number, 'it is settled, and has no receipt')
  if (sale) {
    const wrong =
      document.kind === 'invoice'
        ? invoiceFault(document, booking, sale)
        : noteFault(document, booking, sale)
    if (wrong) altered(wrong)
  }
  if (document.kind === 'invoice' && refunds.length > 0) altered('it has a receipt of a refund')
  if (document.kind === 'credit_note') checkRefunds(group, document, refunds, note)
  checkEntries(group, number, days, note)
}

/** What a receipt of a settlement says otherwise than its invoice, if anything. */
function invoiceFault(
  document: Extract<Document, { kind: 'invoice' }>,
  booking: Booking,
  sale: Claims,
): string | null {
  const stated = { ...documentClaims(document), settledAt: booking.bookedAt }
  const other = Object.entries(stated).find(([name, value]) => !isSame(sale[name], value))
  if (other) return `its receipt states another ${other[0]}`
  const { isPurchase } = document.terms
  const paid = booking.transfers.map(({ key, usdcBase }) => ({ key, amount: amountOf(usdcBase) }))
  for (const { txHash, amount } of sale.transfers as readonly Claims[]) {
    const at = paid.findIndex((one) => one.amount === amount && isOf(one.key, sale.chain, txHash))
    if (at < 0) return `its receipt states a transfer of ${amount} USDC more`
    paid.splice(at, 1)
  }
  if (booking.transfers.some(({ blockTime }) => (blockTime === null) !== (isPurchase === true)))
    return 'a transfer has no time, or one too many'
  const fee = amountOf(sumOf(booking.transfers, ({ feeBase = 0n }) => feeBase))
  return isSame(sale.fee, fee) ? null : 'its receipt states another fee'
}

/** The same of a credit note, which counts from its issue or the settlement of its invoice. */
function noteFault(
  document: Extract<Document, { kind: 'credit_note' }>,
  { bookedAt }: Booking,
  sale: Claims,
): string | null {
  const { terms, invoiceId, createdAt } = document
  const number = invoiceNumberOf({ ...terms.invoice, terms }, 'api')
  if (sale.invoiceId !== invoiceId || sale.invoiceNumber !== number)
    return 'the receipt is not that of its invoice'
  const from = [createdAt, `${sale.settledAt}`].sort().at(-1)
  return bookedAt === from ? null : `it counts from ${from}, by the receipt of its invoice`
}

function checkRefunds(
  { booking, isReceiptBad }: Group,
  document: Extract<Document, { kind: 'credit_note' }>,
  refunds: readonly Claims[],
  note: Note,
): void {
  const number = numberOf(document)
  const left = [...refunds]
  for (const { key, blockTime, usdcBase } of booking.transfers) {
    const at = left.findIndex(
      ({ chain, txHash, amount, ...claims }) =>
        isOf(key, chain, txHash) &&
        amount === amountOf(usdcBase) &&
        claims.blockTime === blockTime &&
        claims.creditNoteId === document.id &&
        claims.creditNoteNumber === number,
    )
    if (at >= 0) left.splice(at, 1)
    else if (refunds.length < booking.transfers.length) {
      if (!isReceiptBad)
        note('missing receipt', number, `the refund of ${amountOf(usdcBase)} USDC has no receipt`)
    } else note('altered', number, 'a receipt states another refund')
  }
  if (refunds.length > booking.transfers.length)
    note('altered', number, 'its receipts state a refund more')
}

/** Notes entries that are not those of the document and its receipts. */
function checkEntries(
  { document, booking, rows }: Group,
  number: string,
  days: Period,
  note: Note,
): void {
  const expected = rowsOf(document, booking, days)
  const wrong = (message: string) => note('balance', number, message)
  const actual = rows.map(textOf)
  const wanted = expected.map(textOf)
  if (actual.join('\n') === wanted.join('\n')) return
  const unbalanced = rows.find(({ entry, currency }) => balanceOf(rows, entry, currency) !== 0n)
  const missing = expected.find((row) => !actual.includes(textOf(row)))
  const more = rows.find((row) => !wanted.includes(textOf(row))) ?? rows.at(-1)
  if (unbalanced) wrong(`the rows of ${unbalanced.entry} do not balance`)
  else if (missing) wrong(`${missing.entry} is missing, or says something else`)
  else wrong(`${more?.entry} is an entry too many, or out of place`)
}

function balanceOf(rows: readonly Claims[], entry: unknown, currency: unknown): bigint {
  const of = rows.filter((row) => row.entry === entry && row.currency === currency)
  const units = (side: unknown) =>
    /^\d+(\.\d{1,18})?$/.test(`${side}`) ? fromDecimal(`${side}`, 18) : 0n
  return sumOf(of, ({ debit, credit }) => units(debit) - units(credit))
}

function textOf(row: Row | Claims): string {
  return canonical(row as Json)
}

/** Whether a transfer is of a transaction: `base:0x…:3`, and `x402:base:0x…` of a purchase. */
function isOf(key: string, chain: unknown, txHash: unknown): boolean {
  return `:${key}:`.includes(`:${chain}:${txHash}:`)
}

function amountOf(usdcBase: bigint): string {
  return toAmount(usdcBase, usdcScale)
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && canonical(one as Json) === canonical(other as Json)
}
