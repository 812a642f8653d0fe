import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { maxUnits } from '../../../src/domain/money/money.ts'
import * as Tax from '../../../src/domain/money/tax.ts'

// The specification's table, written by hand.
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

describe('calculation', () => {
  test.each([
    [1_000n, 'DE', 'standard', 1_900, 190n],
    [1_000n, 'DE', 'reduced', 700, 70n],
    [10n, 'FR', 'reduced', 550, 1n],
    [9n, 'FR', 'reduced', 550, 0n],
    [100n, 'DK', 'reduced', 0, 0n],
    [2n, 'FI', 'standard', 2_550, 1n],
    [1_000n, 'US', 'standard', 0, 0n],
  ] as const)('%p in %s at the %s rate', (amount, country, rateType, rateBasisPoints, taxMinor) => {
    expect(Tax.calculate(amount, country, rateType)).toEqual({
      country: expect.any(String),
      rateBasisPoints,
      taxMinor,
      totalMinor: amount + taxMinor,
    })
  })

  test('a total that a JSON client cannot hold is invalid_amount, one it just can is not', () => {
    expect(() => Tax.calculate(maxUnits, 'DE', 'standard')).toThrow(
      expect.objectContaining({ reason: 'invalid_amount' }),
    )
    expect(Tax.calculate(maxUnits, 'US', 'standard').totalMinor).toBe(maxUnits)
  })

  const amounts = fc.bigInt({ min: 1n, max: maxUnits / 2n })
  const countries = fc.constantFrom(...Object.keys(Tax.rates))
  const rateTypes = fc.constantFrom(...Tax.rateTypes)

  test('total is amount plus tax, and tax never further than half a unit from the exact share', () => {
    fc.assert(
      fc.property(amounts, countries, rateTypes, (amount, country, rateType) => {
        const tax = Tax.calculate(amount, country, rateType)
        expect(tax.totalMinor - tax.taxMinor).toBe(amount)
        const twice = 2n * (tax.taxMinor * 10_000n - amount * BigInt(tax.rateBasisPoints))
        expect(twice > -10_000n && twice <= 10_000n).toBe(true)
      }),
    )
  })

  test('more amount is never less tax, and the reduced rate never more than the standard one', () => {
    fc.assert(
      fc.property(amounts, amounts, countries, (one, other, country) => {
        const tax = (amount: bigint, rateType: Tax.RateType) =>
          Tax.calculate(amount, country, rateType).taxMinor
        const [less, more] = one < other ? [one, other] : [other, one]
        expect(tax(less, 'standard') <= tax(more, 'standard')).toBe(true)
        expect(tax(one, 'reduced') <= tax(one, 'standard')).toBe(true)
      }),
    )
  })

  test('an invoice is taxed as the calculation says', () => {
    fc.assert(
      fc.property(amounts, countries, (amount, country) => {
        const { taxMinor, rateBasisPoints } = Tax.calculate(amount, country, 'standard')
        expect(Tax.forAmount(amount, country)).toEqual({
          countryCode: country,
          rateBasisPoints,
          taxUnits: taxMinor,
        })
      }),
    )
  })
})
