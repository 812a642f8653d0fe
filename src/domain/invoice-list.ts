import type { Invoice } from './invoice.ts'

/** Filters of a list; `after` continues behind the invoice with that year and number. */
export type ListQuery = {
  readonly states: readonly string[] | null
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
  readonly agentId: string | null
  readonly after: { readonly year: number; readonly number: number } | null
  readonly offset: number
  readonly limit: number
}

export type Listed = {
  readonly invoices: readonly Invoice[]
  readonly total: number
  readonly hasMore: boolean
}
