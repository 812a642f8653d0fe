import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { placeOf, searchOf, wantsAll, withReference } from '../../../src/domain/invoices/list.ts'

const everything = {
  states: null,
  createdFrom: null,
  createdBefore: null,
  settled: null,
  kind: null,
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
          Array.from({ length: count }, (_, at) => ({ year, place: count - at })),
        )
        expect(placeOf(found, nth)).toEqual(newestFirst[nth - 1] ?? { year: 0, place: 0 })
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
      { settled: { from: null, to: '2026-01-01' } },
      { kind: 'sale' as const },
      { agentId: 'a' },
      { search: { kind: 'buyer', part: 'a' } as const },
    ]
    expect(filters.map((filter) => wantsAll({ ...everything, ...filter }))).toEqual(
      filters.map(() => false),
    )
  })
})

const id = '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'
const hash = `0x${'5e'.repeat(32)}`
const signature = '5'.repeat(88)

test.each([
  ['INV-2026-0001', { kind: 'number', series: 'sale', year: 2026, number: 1 }],
  [' inv-2026-12345 ', { kind: 'number', series: 'sale', year: 2026, number: 12_345 }],
  ['PUR-2026-0001', { kind: 'number', series: 'purchase', year: 2026, number: 1 }],
  ['pur-7', { kind: 'number', series: 'purchase', year: null, number: 7 }],
  ['2026-7', { kind: 'number', series: null, year: 2026, number: 7 }],
  ['17', { kind: 'number', series: null, year: null, number: 17 }],
  ['0017', { kind: 'number', series: null, year: null, number: 17 }],
  [id.toUpperCase(), { kind: 'id', id }],
  [`0x${'5E'.repeat(32)}`, { kind: 'hash', hash }],
  [signature, { kind: 'hash', hash: signature }],
  ['Ada Example', { kind: 'buyer', part: 'Ada Example' }],
  ['ada@example.com', { kind: 'buyer', part: 'ada@example.com' }],
  ['0x5e', { kind: 'buyer', part: '0x5e' }],
  ['INV-', { kind: 'buyer', part: 'INV-' }],
  ['CN-2026-0001', { kind: 'buyer', part: 'CN-2026-0001' }],
  ['1234567890', { kind: 'buyer', part: '1234567890' }],
] as const)('%s is looked for as what it most likely is', (typed, search) => {
  expect(searchOf(typed)).toEqual(search)
})

test('a reference of ours finds its invoice, any other hash a transaction', () => {
  const read = (reference: string) => (reference === hash ? id : null)
  expect(withReference(searchOf(hash), read)).toEqual({ kind: 'id', id })
  expect(withReference(searchOf(signature), read)).toEqual({ kind: 'hash', hash: signature })
  expect(withReference(searchOf('Ada'), read)).toEqual({ kind: 'buyer', part: 'Ada' })
})
