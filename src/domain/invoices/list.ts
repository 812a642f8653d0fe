import type { Invoice } from './invoice.ts'
import type { Search } from './search.ts'

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
 * The place of an account's `nth` newest invoice (1 is the newest). It is computed without a query,
 * since numbers have no gaps. `counts` is ordered newest year first. With fewer than `nth`
 * invoices: a place behind all of them.
 */
export function placeOf(counts: readonly YearCount[], nth: number): Place {
  let left = nth
  for (const { year, count } of counts) {
    if (left <= count) return { year, number: count - left + 1 }
    left -= count
  }
  return { year: 0, number: 0 }
}
