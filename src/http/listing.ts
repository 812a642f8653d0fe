import { invalidField } from '../domain/error.ts'
import { parseInstant } from '../domain/instant.ts'
import type { Form, Invoice, State } from '../domain/invoice.ts'
import type { Listed, ListQuery } from '../domain/invoice-list.ts'
import { searchOf } from '../domain/invoice-search.ts'
import { queryOf } from './operation.ts'

/** The page that a caller asked for. */
export type Page = {
  readonly page: number
  readonly query: ListQuery
}

const statesOf: Readonly<Record<Form, Readonly<Record<string, readonly State[]>>>> = {
  api: {
    draft: ['draft'],
    sent: ['sent'],
    paid: ['paid'],
    settled: ['settled'],
    completed: ['completed'],
    failed: ['failed'],
  },
  v1: { PENDING: ['draft', 'sent', 'paid'], SETTLED: ['settled', 'completed'], FAILED: ['failed'] },
}

/**
 * Reads the query parameters `limit`, `page`, `cursor`, `status`, `startDate`, `endDate`, `agentId`
 * and `search`. Errors: `invalid_request` for any that is malformed or repeated.
 */
export function readListQuery(url: string, form: Form): Page {
  const one = parametersOf(url)
  const limit = integer('limit', one('limit'), 10, 100)
  const page = integer('page', one('page'), 1, 1_000_000)
  const cursor = one('cursor')
  const status = one('status')
  const search = text('search', one('search'))
  if (status !== null && !Object.hasOwn(statesOf[form], status)) {
    throw invalidField('status', `must be one of ${Object.keys(statesOf[form]).join(', ')}`)
  }
  return {
    page,
    query: {
      states: status === null ? null : (statesOf[form][status] ?? null),
      createdAfter: date('startDate', one('startDate')),
      createdBefore: date('endDate', one('endDate')),
      agentId: text('agentId', one('agentId')),
      search: search === null ? null : searchOf(search),
      after: cursor === null ? null : decodeCursor(cursor),
      offset: cursor === null ? (page - 1) * limit : 0,
      limit,
    },
  }
}

/**
 * Reads the query of a URL by name: null for a missing parameter, `invalid_request` for a repeated
 * one.
 */
export function parametersOf(url: string): (name: string) => string | null {
  const parameters = queryOf(url)
  return (name) => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw invalidField(name, 'must not be repeated')
    return values[0] ?? null
  }
}

/**
 * One of `values` from a filter that has two names, `status` and `state`; null where neither is
 * given. Errors: `invalid_request`, also when the two differ.
 */
export function stateFilter<State extends string>(
  one: (name: string) => string | null,
  values: readonly State[],
): State | null {
  const [status, state] = ['status', 'state'].map((name) => {
    const value = one(name)
    const found = values.find((known) => known === value) ?? null
    if (value !== null && found === null)
      throw invalidField(name, `must be one of ${values.join(', ')}`)
    return found
  })
  if (status && state && status !== state)
    throw invalidField('state', 'differs from status, which means the same')
  return status ?? state ?? null
}

/**
 * A query parameter as an integer from 1 to `most`; `fallback` where it is missing. Errors:
 * `invalid_request`.
 */
export function integer(
  name: string,
  value: string | null,
  fallback: number,
  most: number,
): number {
  if (value === null) return fallback
  const number = /^[1-9]\d{0,6}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > most) throw invalidField(name, `must be an integer from 1 to ${most}`)
  return number
}

/** Whether there is more after a page, and the cursor of the next. */
export function nextPage(found: Listed): { hasMore: boolean; nextCursor: string | null } {
  const last = found.invoices.at(-1)
  return { hasMore: found.hasMore, nextCursor: found.hasMore && last ? encodeCursor(last) : null }
}

// A + that is not encoded arrives as a space: the commonest way to send an offset that is none.
const notADate =
  'must be an ISO 8601 date or timestamp with Z or an offset; in a query + is written %2B'

function date(name: string, value: string | null): Date | null {
  if (value === null) return null
  const instant = parseInstant(value)
  if (!instant) throw invalidField(name, notADate)
  return instant
}

function text(name: string, value: string | null): string | null {
  const hasControls = value !== null && [...value].some((character) => character < ' ')
  if (value !== null && (value === '' || [...value].length > 256 || hasControls)) {
    throw invalidField(name, 'must be a text of 1 to 256 characters')
  }
  return value
}

// Opaque to callers. Lists are newest first, so a cursor names the last invoice shown.
function encodeCursor({ year, number }: Invoice): string {
  return Buffer.from(`${year}.${number}`).toString('base64url')
}

function decodeCursor(cursor: string): { year: number; number: number } {
  const parts = /^(\d{4})\.(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (!parts) throw invalidField('cursor', 'is not one of ours')
  return { year: Number(parts[1]), number: Number(parts[2]) }
}
