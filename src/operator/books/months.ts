import {
  type Document,
  joined,
  monthOf,
  numberOf,
  type Series,
  seriesOf,
} from '../../domain/books/documents.ts'
import { daysOfMonth, monthsOf, type Period } from '../../domain/books/period.ts'
import { type Decoded, list, nullable, number, object, oneOf, text } from '../../domain/codec.ts'
import type { BooksMonth } from '../../domain/receipts/receipt.ts'
import type { Note } from './faults.ts'

const series = object({
  name: text,
  first: nullable(number),
  last: nullable(number),
  count: number,
})
/** The first line of a file. */
export const header = object({
  type: oneOf(['header']),
  version: number,
  accountId: text,
  period: text,
  exportedAt: text,
  series: list(series),
})

export type Header = Decoded<typeof header>

/** A month's receipt is on chain within this time after the month. */
const issuedWithinMs = 3 * 3_600_000
const mostNamed = 1_000

/** Follows which documents of each month a file has, and what the receipt of the month says. */
export function monthBook(
  { accountId, series }: Header,
  { days, now, note }: { readonly days: Period; readonly now: Date; readonly note: Note },
) {
  const own = new Set(monthsOf(days).filter((month) => month <= monthOf(now.toISOString())))
  const stated = new Map<string, BooksMonth | null>()
  const seen = numberSet()
  const found: Found[] = []
  const settlements = new Map<string, number>()
  let first: Document | null = null

  /** Null: its receipt is not valid, which is noted already. */
  function addReceipt(month: string, receipt: BooksMonth | null): void {
    if (stated.has(month)) note('altered', month, 'it has two receipts')
    else if (receipt && !own.has(month) && month >= monthOf(days.from))
      note('altered', 'header', `the receipt of ${month} is later`)
    else if (receipt && receipt.accountId !== accountId)
      note('altered', month, 'its receipt is of another account')
    stated.set(month, receipt)
  }

  /** Answers what the receipt of its month states; null: nothing can be said of its place. */
  function add(document: Document, settledAt: string | null): BooksMonth | 'open' | null {
    const [month, name] = [monthOf(document.createdAt), seriesOf(document)]
    const [receipt, isOwn] = [stated.get(month), own.has(month)]
    const wrong = (message: string) => note('number', numberOf(document), message)
    if (settledAt) {
      const of = monthOf(settledAt)
      settlements.set(of, (settlements.get(of) ?? 0) + 1)
    }
    if (isOwn) first ??= document
    else if (month >= monthOf(days.from)) wrong('it was issued after the period')
    const limits = receipt?.series ?? (isOwn ? series : null)
    if (!seen.add(name, document.number)) wrong('it comes twice')
    else if (limits && !isWithin(limits, name, document.number)) wrong('it is in no series')
    else if (isOwn) count(month, name, document.number)
    if (receipt === undefined && isOver(month)) missingReceipt(month)
    return receipt === undefined ? 'open' : receipt
  }

  function count(month: string, name: string, number: number | null): void {
    const one = { name, first: number, last: number, count: 1 }
    const known = found.find((some) => some.month === month && some.name === name)
    if (known) Object.assign(known, joined([known, one])[0])
    else found.push({ ...one, month })
  }

  function isOver(month: string): boolean {
    return Date.parse(daysOfMonth(month).to) + issuedWithinMs <= now.getTime()
  }

  function missingReceipt(month: string): void {
    const message = 'the month is over by now, and no receipt proves its documents: export again'
    note('missing receipt', month, message)
  }

  /** Notes what is missing. When the file was exported, nothing proves: today's date counts. */
  function finish(): void {
    const receipts = [...stated.values()].filter((one) => one !== null)
    const since =
      receipts[0]?.since ?? (first?.number === 1 ? monthOf(first.createdAt) : monthOf(days.from))
    for (const month of own)
      if (!stated.has(month) && month >= since && isOver(month)) missingReceipt(month)
    for (const receipt of receipts) if (own.has(receipt.month)) checkMonth(receipt)
    const all = joined(found)
    for (const name of new Set([...all, ...series].map((one) => one.name)))
      compare(name, series, all, 'header')
  }

  function checkMonth({ month, series: issued, settlements: settled }: BooksMonth): void {
    const ofMonth = found.filter((one) => one.month === month)
    for (const { name } of issued) compare(name, issued, ofMonth, month)
    const count = settlements.get(month) ?? 0
    const message = `${settled} invoices settled in it, and the file has ${count}`
    if (count !== settled) note(count < settled ? 'missing receipt' : 'altered', month, message)
  }

  function compare(
    name: string,
    wanted: readonly Series[],
    actual: readonly Series[],
    of: string,
  ): void {
    const [want, have] = [wanted, actual].map((some) => some.find((one) => one.name === name))
    const lacking = (want?.count ?? 0) - (have?.count ?? 0)
    const numbers = lacking > 0 && want ? seen.missing(want) : []
    for (const number of numbers) note('missing document', number, `it is in the series of ${of}`)
    const isSame = want?.first === have?.first && want?.last === have?.last && lacking === 0
    if (lacking > 0 && name === 'received')
      note('missing document', `${name} in ${of}`, `${lacking} of them`)
    else if (!isSame && numbers.length === 0)
      note('number', of, `${name} is said to have ${textOf(want)}, and has ${textOf(have)}`)
  }

  return { addReceipt, add, finish }
}

type Found = Series & { readonly month: string }

function isWithin(series: readonly Series[], name: string, number: number | null): boolean {
  const of = series.find((one) => one.name === name)
  return (
    of !== undefined && (number === null || (number >= (of.first ?? 0) && number <= (of.last ?? 0)))
  )
}

function textOf(series: Series | undefined): string {
  return series ? `${series.count} from ${series.first} to ${series.last}` : 'none'
}

/** Numbers by their series: 32 of a run of them take one place. */
function numberSet() {
  const words = new Map<string, number>()
  const placeOf = (name: string, number: number) =>
    [`${name} ${Math.floor(number / 32)}`, 1 << (number % 32)] as const

  return {
    /** False: it was there. */
    add(name: string, number: number | null): boolean {
      if (number === null) return true
      const [key, bit] = placeOf(name, number)
      const word = words.get(key) ?? 0
      words.set(key, word | bit)
      return (word & bit) === 0
    },
    /** The numbers of a series that are not there; a thousand at most. */
    missing({ name, first, last }: Series): readonly string[] {
      const found: string[] = []
      for (let number = first ?? 1; number <= (last ?? 0) && found.length < mostNamed; number++) {
        const [key, bit] = placeOf(name, number)
        if (((words.get(key) ?? 0) & bit) === 0)
          found.push(`${name}-${`${number}`.padStart(4, '0')}`)
      }
      return found
    },
  }
}
