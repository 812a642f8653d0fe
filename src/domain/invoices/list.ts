import type { Days } from '../books/period.ts'
import { isUuid } from '../id.ts'
import { isTxHash } from '../network.ts'
import type { Invoice } from './invoice.ts'

/** A place in the list of an account, newest first. */
export type Place = { readonly year: number; readonly number: number }

/** A null member does not filter. */
export type ListFilter = {
  readonly states: readonly string[] | null
  readonly createdFrom: Date | null
  /** Exclusive; `createdFrom` is inclusive. */
  readonly createdBefore: Date | null
  /** The days on which they settled. */
  readonly settled: Days | null
  readonly agentId: string | null
  readonly search: Search | null
}

/** What follows `after`, without its first `offset` invoices. */
export type ListQuery = ListFilter & {
  readonly after: Place | null
  readonly offset: number
  readonly limit: number
}

export type Listed = {
  readonly invoices: readonly Invoice[]
  readonly total: number
  readonly hasMore: boolean
}

export type YearCount = { readonly year: number; readonly count: number }

/** Whether the filter lets every invoice through. */
export function wantsAll(filter: ListFilter): boolean {
  const { states, createdFrom, createdBefore, settled, agentId, search } = filter
  const filters = [states, createdFrom, createdBefore, settled, agentId, search]
  return filters.every((wanted) => wanted === null)
}

/**
 * The place of the `nth` newest invoice, computed from gapless numbers. `counts` begins with the
 * newest year. With fewer invoices: a place behind all of them.
 */
export function placeOf(counts: readonly YearCount[], nth: number): Place {
  let left = nth
  for (const { year, count } of counts) {
    if (left <= count) return { year, number: count - left + 1 }
    left -= count
  }
  return { year: 0, number: 0 }
}

export type Search =
  /** Without a year: in any year. */
  | { readonly kind: 'number'; readonly year: number | null; readonly number: number }
  | { readonly kind: 'id'; readonly id: string }
  /** 32 bytes of hex (a hash or payment reference) or a Solana signature. */
  | { readonly kind: 'hash'; readonly hash: string }
  /** Part of the buyer's name or e-mail address, in any case. */
  | { readonly kind: 'buyer'; readonly part: string }

const invoiceNumber = /^(?:INV-)?(?:(\d{4})-)?0*(\d{1,9})$/i

/** The most likely meaning of a search text. */
export function searchOf(typed: string): Search {
  const text = typed.trim()
  const [, year, number] = invoiceNumber.exec(text) ?? []
  if (number) return { kind: 'number', year: year ? Number(year) : null, number: Number(number) }
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
