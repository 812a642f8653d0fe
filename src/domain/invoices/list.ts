import { isUuid } from '../id.ts'
import { isTxHash } from '../network.ts'
import type { Invoice } from './invoice.ts'

/** An invoice's place in its account's list, which is ordered by year and number, newest first. */
export type Place = { readonly year: number; readonly number: number }

/** Which invoices are wanted; a null member does not filter. */
export type ListFilter = {
  readonly states: readonly string[] | null
  /** Inclusive. */
  readonly createdFrom: Date | null
  /** Exclusive. */
  readonly createdBefore: Date | null
  readonly agentId: string | null
  readonly search: Search | null
}

/** One page of a list: what follows `after`, skipping the first `offset` of it. */
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

/** How many invoices an account has numbered in a year. */
export type YearCount = { readonly year: number; readonly count: number }

/** Whether the filter lets every invoice through. */
export function wantsAll(filter: ListFilter): boolean {
  const { states, createdFrom, createdBefore, agentId, search } = filter
  return [states, createdFrom, createdBefore, agentId, search].every((wanted) => wanted === null)
}

/**
 * The place of an account's `nth` newest invoice, computed from gapless numbers. `counts` is
 * ordered newest year first. With fewer invoices: a place behind all of them.
 */
export function placeOf(counts: readonly YearCount[], nth: number): Place {
  let left = nth
  for (const { year, count } of counts) {
    if (left <= count) return { year, number: count - left + 1 }
    left -= count
  }
  return { year: 0, number: 0 }
}

/** What somebody searching for an invoice may know of it. */
export type Search =
  /** The number on the invoice; without a year, in any year. */
  | { readonly kind: 'number'; readonly year: number | null; readonly number: number }
  | { readonly kind: 'id'; readonly id: string }
  /** A transaction's hash or a payment reference: 32 bytes of hex, or a Solana signature. */
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

/** Replaces a hash that is an invoice's reference by the id that `read` decodes from it. */
export function withReference(search: Search, read: (reference: string) => string | null): Search {
  const id = search.kind === 'hash' ? read(search.hash) : null
  return id === null ? search : { kind: 'id', id }
}
