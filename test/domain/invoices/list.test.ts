import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { placeOf, wantsAll } from '../../../src/domain/invoices/list.ts'

const everything = {
  states: null,
  createdFrom: null,
  createdBefore: null,
  agentId: null,
  search: null,
}

describe('a place in a list without filters', () => {
  test('is the one that counting from the newest would find', () => {
    const years = fc.uniqueArray(fc.integer({ min: 2024, max: 2050 }), { maxLength: 4 })
    const counts = years.chain((found) =>
      fc.tuple(
        ...found
          .sort((a, b) => b - a)
          .map((year) => fc.record({ year: fc.constant(year), count: fc.nat({ max: 20 }) })),
      ),
    )
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 100 }), (found, nth) => {
        const newestFirst = found.flatMap(({ year, count }) =>
          Array.from({ length: count }, (_, at) => ({ year, number: count - at })),
        )
        expect(placeOf(found, nth)).toEqual(newestFirst[nth - 1] ?? { year: 0, number: 0 })
      }),
    )
  })
})

describe('a filter', () => {
  test('wants everything only if nothing is asked of the invoices', () => {
    expect(wantsAll(everything)).toBe(true)
    const filters = [
      { states: ['draft'] },
      { createdFrom: new Date(0) },
      { createdBefore: new Date(0) },
      { agentId: 'a' },
      { search: { kind: 'buyer', part: 'a' } as const },
    ]
    expect(filters.map((filter) => wantsAll({ ...everything, ...filter }))).toEqual(
      filters.map(() => false),
    )
  })
})
