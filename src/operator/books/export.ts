import { createHash } from 'node:crypto'
import { treeOfMonth } from '../../actors/months.ts'
import {
  type Booking,
  booking,
  bookingOfInvoice,
  bookingOfNote,
  document,
  joined,
  monthOf,
  numberOf,
  rowsOf,
  type Series,
  saltsOf,
  seriesOf,
} from '../../domain/books/documents.ts'
import { monthsOf, type Period } from '../../domain/books/period.ts'
import { fromText } from '../../domain/codec.ts'
import { progress as noteProgress } from '../../domain/credit-notes/credit-note.ts'
import { toHex } from '../../domain/hash.ts'
import { progress as invoiceProgress } from '../../domain/invoices/progress.ts'
import { fromDecimal, usdcScale } from '../../domain/money/money.ts'
import { bundleOf, type Issued } from '../../domain/receipts/bundle.ts'
import type { BooksMonth } from '../../domain/receipts/receipt.ts'
import {
  type DocumentRow,
  documentsIn,
  monthReceipts,
  monthsTouched,
  seriesIn,
} from '../../storage/books/documents.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { receiptReader } from '../../storage/receipts/receipts.ts'

export type Wanted = {
  readonly accountId: string
  readonly period: string
  readonly days: Period
  readonly exportedAt: string
}

export type Exported = {
  documents: number
  receipts: number
  entries: number
}

type Line = { readonly type: 'header' | 'receipt' | 'document' | 'entry' | 'end' }

/**
 * Writes the auditor's file of a period by `write`, some lines at a time: docs/audit.md. It has the
 * documents that there were at `exportedAt`, each as it was when it was read.
 */
export async function exportBooks(
  sql: Sql,
  wanted: Wanted,
  write: (text: string) => unknown,
): Promise<Exported> {
  const hash = createHash('sha256')
  const counts = { documents: 0, receipts: 0, entries: 0 }
  for await (const lines of linesOf(sql, wanted)) {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    hash.update(text)
    await write(text)
    for (const { type } of lines) {
      if (type === 'document') counts.documents++
      if (type === 'receipt') counts.receipts++
      if (type === 'entry') counts.entries++
    }
  }
  const end = { type: 'end', sha256: `0x${hash.digest('hex')}`, ...counts }
  await write(`${JSON.stringify(end)}\n`)
  return counts
}

async function* linesOf(sql: Sql, wanted: Wanted): AsyncGenerator<readonly Line[], void> {
  const { accountId, period, days, exportedAt } = wanted
  const series = new Map<string, readonly Series[]>()
  for (const month of monthsOf(days))
    if (month <= monthOf(exportedAt)) series.set(month, await seriesIn(sql, accountId, month))
  const months = [...(await monthsTouched(sql, accountId, days)), ...series.keys()]
  const read = receiptReader(sql)
  const closed = await read(await monthReceipts(sql, accountId, months))
  const issued = joined([...series.values()].flat())
  const header = {
    type: 'header',
    version: 1,
    accountId,
    period,
    exportedAt,
    series: issued,
  } as const
  yield [header, ...closed.map(receiptLine)]
  for (const month of months) {
    const receipt = closed.find(({ claims }) =>
      claims.some(([name, value]) => name === 'month' && value === month),
    )
    const placeOf = receipt ? await placesOf(sql, accountId, month, receipt) : () => null
    const isOwn = series.has(month)
    const listed = series.get(month) ?? (await seriesIn(sql, accountId, month))
    for await (const page of documentsIn(sql, accountId, month, listed)) {
      const states = page.map((row) => ({ row, place: placeOf(row), ...stateOf(row) }))
      const found = await read(states.flatMap(({ receiptIds }) => receiptIds))
      const receipts = new Map(found.map((one) => [one.receiptId, one]))
      yield states.flatMap((state) => groupOf(state, receipts, days, isOwn))
    }
  }
}

type State = {
  readonly row: DocumentRow
  readonly place: object | null
  readonly receiptIds: readonly string[]
  readonly bookingBy: (receipts: readonly Issued[]) => Booking
}

/** A document with its receipts and its entries in the period; an older one without is left out. */
function groupOf(
  { row: { stored }, place, receiptIds, bookingBy }: State,
  all: ReadonlyMap<string, Issued>,
  days: Period,
  isOwn: boolean,
): readonly Line[] {
  const receipts = receiptIds.flatMap((id) => all.get(id) ?? [])
  const booked = bookingBy(receipts)
  const rows = rowsOf(document.decode(structuredClone(stored)), booked, days)
  if (rows.length === 0 && !isOwn) return []
  const line = {
    type: 'document',
    document: stored,
    place,
    booking: booking.encode?.(booked),
  } as const
  return [
    line,
    ...receipts.map(receiptLine),
    ...rows.map((row) => ({ type: 'entry', ...row }) as const),
  ]
}

function receiptLine(receipt: Issued) {
  return { type: 'receipt', bundle: bundleOf(receipt, null) } as const
}

/** The receipts that a document needs, and what they and its state say of it. */
function stateOf({ stored, progress, countedAt, invoiceProgress: sold }: DocumentRow) {
  if (stored.kind === 'invoice') {
    const state = fromText(invoiceProgress, progress)
    const bookingBy = (receipts: readonly Issued[]) =>
      bookingOfInvoice(state, stored.terms.isPurchase === true, feeBaseIn(receipts))
    return { receiptIds: state.settlement ? [state.settlement.receiptId] : [], bookingBy }
  }
  const state = fromText(noteProgress, progress)
  const settlement = sold === null ? null : fromText(invoiceProgress, sold).settlement
  const ofRefunds = state.refunds.flatMap(({ receiptId }) => receiptId ?? [])
  const at = countedAt?.toISOString() ?? null
  return {
    receiptIds: settlement ? [settlement.receiptId, ...ofRefunds] : ofRefunds,
    bookingBy: () => bookingOfNote(state, `${stored.terms.chain}`, at),
  }
}

function feeBaseIn(receipts: readonly Issued[]): bigint {
  const [, fee] = receipts[0]?.claims.find(([name]) => name === 'fee') ?? []
  return fromDecimal(`${fee ?? 0}`, usdcScale)
}

/** How each document of a month is proven by the month's receipt; null: it came too late. */
async function placesOf(sql: Sql, accountId: string, month: string, receipt: Issued) {
  const stated = Object.fromEntries(receipt.claims) as unknown as BooksMonth
  const tree = await treeOfMonth(sql, { accountId, month }, stated.series, receipt.seed)
  const saltOf = saltsOf(receipt.seed)
  const next = new Map<string, { index: number; readonly end: number }>()
  let end = 0
  for (const { name, count } of stated.series) {
    next.set(name, { index: end, end: end + count })
    end += count
  }
  return ({ stored }: DocumentRow) => {
    const at = next.get(seriesOf(stored))
    if (!tree || !at || at.index >= Math.min(at.end, tree.size)) return null
    const index = at.index++
    const path = tree.pathOf(index).map(toHex)
    return { salt: toHex(saltOf(numberOf(stored))), index, size: tree.size, path }
  }
}
