import { describe, expect, test } from 'bun:test'
import { type Order, sorted } from '../../src/dashboard/sorting.ts'

const rows = [
  { name: 'inv-10', currency: 'USDC', minor: 5 },
  { name: 'INV-9', currency: 'EUR', minor: 30 },
  { name: 'inv-100', currency: 'EUR', minor: 4 },
]
const sorts = {
  Name: ({ name }: (typeof rows)[number]) => [name],
  Total: ({ currency, minor }: (typeof rows)[number]) => [currency, minor],
}

describe('a list is sorted', () => {
  test.each([
    ['not at all', null, [0, 1, 2]],
    ['by words, whose numbers count', { by: 'Name', direction: 'ascending' }, [1, 0, 2]],
    ['the other way round', { by: 'Name', direction: 'descending' }, [2, 0, 1]],
    ['by amounts, each currency apart', { by: 'Total', direction: 'ascending' }, [2, 1, 0]],
    ['not by what it is not sorted by', { by: 'Other', direction: 'ascending' }, [0, 1, 2]],
  ] as const)('%s', (_, order, places) => {
    expect(sorted(rows, sorts, order as Order | null)).toEqual(
      places.map((at) => rows[at] as never),
    )
  })
})
