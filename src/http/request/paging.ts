import { invalidField } from '../../domain/error.ts'
import type { Parameter } from './request-url.ts'

/** Limits the lists in memory: a page may have two megabytes, and its reader may be slow. */
export const mostLists = {
  total: 256,
  perAccount: 16,
  // Reading takes eight seconds at most, and a connection may be silent for ten.
  maxWaitMs: 1_000,
  maxStreamMs: Number.POSITIVE_INFINITY,
  refusal: 'Too many lists are being read; try again shortly',
}

/**
 * The `limit` and `cursor` of a list. `placeIn` reads the cursor, and answers null where it is not
 * one of ours. Errors: `invalid_request`.
 */
export function cursorPageIn<Place>(
  parameter: Parameter,
  placeIn: (cursor: string) => Place | null,
): { readonly limit: number; readonly after: Place | null } {
  const limit = integerIn(parameter, 'limit', 10, 100)
  const cursor = parameter('cursor')
  if (cursor === null) return { limit, after: null }
  const after = placeIn(cursor)
  if (after === null) throw invalidField('cursor', 'is not one of ours')
  return { limit, after }
}

/** The same for a list that can be read by `page` as well, which a cursor overrides. */
export function pageIn<Place>(parameter: Parameter, placeIn: (cursor: string) => Place | null) {
  const { limit, after } = cursorPageIn(parameter, placeIn)
  const page = integerIn(parameter, 'page', 1, 1_000_000)
  return { page, limit, after, offset: after === null ? (page - 1) * limit : 0 }
}

/** A cursor names the last item that was shown. */
export function encodeCursor(text: string): string {
  return Buffer.from(text).toString('base64url')
}

export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString()
}

/** A list that is not counted has neither `total` nor `page`. */
type Page<Item> = {
  readonly items: readonly Item[]
  readonly total?: number
  readonly page?: number
  readonly limit: number
  readonly hasMore: boolean
}

/** The members of a page as JSON text. */
export function pageMembers<Item>(
  { items, total, page, limit, hasMore }: Page<Item>,
  toJson: (item: Item) => string,
  cursorOf: (item: Item) => string,
): string {
  const data = items.map((item) => toJson(item)).join(',')
  const last = items.at(-1)
  const nextCursor = hasMore && last ? cursorOf(last) : null
  const rest = JSON.stringify({ total, page, limit, hasMore, nextCursor })
  return `"data":[${data}],${rest.slice(1, -1)}`
}

function integerIn(parameter: Parameter, name: string, fallback: number, most: number): number {
  const value = parameter(name)
  if (value === null) return fallback
  const number = /^[1-9]\d{0,6}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > most) throw invalidField(name, `must be an integer from 1 to ${most}`)
  return number
}
