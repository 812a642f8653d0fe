import { describe, expect, test } from 'bun:test'
import * as Tax from '../../src/domain/tax.ts'

// The specification's table, by hand.
const table: Record<string, [standard: number, reduced: number]> = {
  DE: [19, 7],
  FR: [20, 5.5],
  IT: [22, 10],
  ES: [21, 10],
  NL: [21, 9],
  BE: [21, 6],
  AT: [20, 10],
  PT: [23, 6],
  IE: [23, 13.5],
  SE: [25, 12],
  FI: [25.5, 14],
  DK: [25, 0],
  PL: [23, 8],
  GB: [20, 5],
  US: [0, 0],
}

test('the built-in rates are the fifteen of the specification, each with the date it holds from', () => {
  const percent = Object.fromEntries(
    Object.entries(Tax.rates).map(([code, row]) => [
      code,
      [row.standardBasisPoints / 100, row.reducedBasisPoints / 100],
    ]),
  )
  expect(percent).toEqual(table)
  for (const row of Object.values(Tax.rates)) expect(row.since).toMatch(/^\d{4}-\d\d-\d\d$/)
})

describe('tax of an amount', () => {
  test('1000 in DE is 190', () => {
    expect(Tax.forAmount(1_000n, 'DE')).toEqual({
      countryCode: 'DE',
      rateBasisPoints: 1_900,
      taxUnits: 190n,
    })
  })

  test('halves are rounded up: 25.5 % of 0.10 is 0.03', () => {
    expect(Tax.forAmount(10n, 'FI').taxUnits).toBe(3n)
  })

  test('without a country there is none', () => {
    expect(Tax.forAmount(1_000n, null)).toEqual({
      countryCode: null,
      rateBasisPoints: 0,
      taxUnits: 0n,
    })
  })

  test.each(['XX', 'Germany', '', '__proto__', 'constructor'])(
    'an unknown country (%p) is refused, never untaxed',
    (country) => {
      expect(() => Tax.forAmount(1_000n, country)).toThrow(
        expect.objectContaining({ reason: 'invalid_request' }),
      )
    },
  )
})
