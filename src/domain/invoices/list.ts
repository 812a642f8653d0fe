import type { Days } from '../books/period.ts'
import { isUuid } from '../id.ts'
import { isTxHash } from '../network.ts'
import type { Invoice } from './invoice.ts'
import type { Kind } from './terms.ts'

/** A place in the list of an account, newest first. */
export type Place = { readonly year: number; readonly place: number }

/** A null member does not filter. */
export type ListFilter = {
  readonly states: readonly string[] | null
  readonly createdFrom: Date | null
  /** Exclusive; `createdFrom` is inclusive. */
  readonly createdBefore: Date | null
  /** The days on which they settled. */
  readonly settled: Days | null
  readonly kind: Kind | null
  readonly agentId: string | null
  readonly search: Search | null
}

/** What follows `after`, without its first `offset` invoices. */
export type ListQuery = ListFilter & {
  readonly after: Place | null
  readonly offset: number
  readonly limit: number
}

/** An invoice with its place in the list. */
export type Placed = Invoice & Pick<Place, 'place'>

export type Listed = {
  readonly invoices: readonly Placed[]
  readonly total: number
  readonly hasMore: boolean
}

export type YearCount = { readonly year: number; readonly count: number }

/** Whether the filter lets every invoice through. */
export function wantsAll(filter: ListFilter): boolean {
  const { states, createdFrom, createdBefore, settled, kind, agentId, search } = filter
  const filters = [states, createdFrom, createdBefore, settled, kind, agentId, search]
  return filters.every((wanted) => wanted === null)
}

/**
 * The place of the `nth` newest invoice, computed from gapless places. `counts` begins with the
 * newest year. With fewer invoices: a place behind all of them.
 */
export function placeOf(counts: readonly YearCount[], nth: number): Place {
  let left = nth
  for (const { year, count } of counts) {
    if (left <= count) return { year, place: count - left + 1 }
    left -= count
  }
  return { year: 0, place: 0 }
}

export type Search =
  /** Without a year: in any year; without a series: in either. */
  | {
      readonly kind: 'number'
      readonly series: Kind | null
      readonly year: number | null
      readonly number: number
    }
  | { readonly kind: 'id'; readonly id: string }
  /** 32 bytes of hex (a hash or payment reference) or a Solana signature. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** Part of the buyer's name or e-mail address, or of a purchase's host, in any case. */
  | { readonly kind: 'buyer'; readonly part: string }

const invoiceNumber = /^(?:(INV|PUR)-)?(?:(\d{4})-)?0*(\d{1,9})$/i

/** The most likely meaning of a search text. */
export function searchOf(typed: string): Search {
  const text = typed.trim()
  const [, prefix, year, number] = invoiceNumber.exec(text) ?? []
  if (number) {
    const series = prefix ? (prefix.toUpperCase() === 'PUR' ? 'purchase' : 'sale') : null
    return { kind: 'number', series, year: year ? Number(year) : null, number: Number(number) }
  }
  const lowered = text.toLowerCase()
  if (isUuid(lowered)) return { kind: 'id', id: lowered }
  if (isTxHash('base', text)) return { kind: 'hash', hash: lowered }
  if (isTxHash('solana', text)) return { kind: 'hash', hash: text }
  return { kind: 'buyer', part: text }
}

/** Replaces a hash by the id that `read` decodes from it, if it is an invoice's reference. */
export function withReference(search: Search, read: (reference: string) => string | null): Search {
  const id = search.kind === 'hash' ? read(search.hash) : null
  return id === null ? search : { kind: 'id', id }
}
