import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Place } from '../../../src/domain/invoices/list.ts'
import { pageMembers } from '../../../src/http/request/paging.ts'
import { cursorOf, readListQuery } from '../../../src/http/shared/invoice-listing.ts'

const places = fc.record({
  year: fc.integer({ min: 2024, max: 9_999 }),
  place: fc.integer({ min: 1, max: 999_999_999 }),
})
const read = (query: Record<string, string>) =>
  readListQuery(`http://localhost/v1/invoices?${new URLSearchParams(query)}`, 'v1', false)

test('a cursor leads back to the invoice it was made from, whatever else is asked', () => {
  fc.assert(
    fc.property(places, fc.integer({ min: 1, max: 100 }), (place, limit) => {
      const { query } = read({ cursor: cursorOf(place), limit: `${limit}` })
      expect({ after: query.after, limit: query.limit }).toEqual({ after: place, limit })
    }),
  )
})

test('two invoices never share a cursor', () => {
  fc.assert(
    fc.property(places, places, (one, other) => {
      const [a, b] = [one, other].map(cursorOf)
      expect(a === b).toBe(one.year === other.year && one.place === other.place)
    }),
  )
})

test('a page has the cursor of its last item, and the last page has none', () => {
  const [first, last] = [4, 3].map((place) => ({ year: 2026, place })) as [Place, Place]
  const shown = { items: [first, last], limit: 2 }
  const membersOf = (hasMore: boolean) =>
    JSON.parse(`{${pageMembers({ ...shown, hasMore }, () => '{}', cursorOf)}}`)
  expect(membersOf(true)).toEqual({
    data: [{}, {}],
    limit: 2,
    hasMore: true,
    nextCursor: cursorOf(last),
  })
  expect(membersOf(false)).toMatchObject({ hasMore: false, nextCursor: null })
})

test('any text as cursor, page or limit is read exactly or refused as invalid_request, never read as something near', () => {
  const names = fc.constantFrom('cursor', 'page', 'limit')
  const texts = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.integer().map(String),
    fc.double().map(String),
  )
  fc.assert(
    fc.property(names, texts, (name, text) => {
      try {
        const { page, query } = read({ [name]: text })
        if (name === 'cursor') expect(query.after).not.toBeNull()
        else expect(`${name === 'page' ? page : query.limit}`).toBe(text)
      } catch (error) {
        expect(error).toMatchObject({ reason: 'invalid_request' })
      }
    }),
  )
})
