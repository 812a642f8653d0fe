import type { Invoice } from './invoice.ts'
import type { Search } from './invoice-search.ts'

/** Where an invoice stands in its account's list, which is ordered by year and number, newest first. */
export type Place = { readonly year: number; readonly number: number }

/** Which invoices are wanted; null: all the same. */
export type ListFilter = {
  readonly states: readonly string[] | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
  readonly agentId: string | null
  readonly search: Search | null
}

/** One page of a list: what comes behind `after`, but for the first `offset` of it. */
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

/** Whether every invoice is wanted. */
export function wantsAll(filter: ListFilter): boolean {
  const { states, createdAfter, createdBefore, agentId, search } = filter
  return [states, createdAfter, createdBefore, agentId, search].every((wanted) => wanted === null)
}

/**
 * The place of an account's `nth` newest invoice (1 is the newest), known without looking because numbers have no gaps. `counts` come
 * newest year first. When there are fewer invoices: a place behind all of them.
 */
export function placeOf(counts: readonly YearCount[], nth: number): Place {
  let left = nth
  for (const { year, count } of counts) {
    if (left <= count) return { year, number: count - left + 1 }
    left -= count
  }
  return { year: 0, number: 0 }
}
