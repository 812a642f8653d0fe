import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { maxUnits } from '../../../src/domain/money/money.ts'
import * as Tax from '../../../src/domain/money/tax.ts'
import {
  builtIn,
  type RateRow,
  ratesOn,
  requireRates,
  withOthers,
} from '../../../src/domain/money/tax-rates.ts'

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

const today = '2026-11-24'

function ratesOf(country: string): RateRow {
  return requireRates(builtIn, country, today, 'taxCountry')
}

describe('the table of rates', () => {
  test('has the fifteen countries of the specification, each with its law and first day', () => {
    const percent = [...builtIn].map(([code, rows]) => {
      const { standardBasisPoints, reducedBasisPoints } = ratesOf(code)
      for (const row of rows) {
        expect(row.from).toMatch(/^\d{4}-\d\d-\d\d$/)
        expect(row.source).not.toBe('')
      }
      return [code, [standardBasisPoints / 100, reducedBasisPoints / 100]]
    })
    expect(Object.fromEntries(percent)).toEqual(table)
  })

  const hungary = { country: 'HU', name: 'Hungary', reducedBasisPoints: 500, source: 'Áfa tv.' }
  const dated = withOthers([
    { ...hungary, from: '2012-01-01', standardBasisPoints: 2_700 },
    { ...hungary, from: '2009-07-01', standardBasisPoints: 2_500 },
  ])

  test.each([
    ['2009-07-01', 2_500],
    ['2011-12-31', 2_500],
    ['2012-01-01', 2_700],
    ['2026-11-24', 2_700],
  ])('on %s the rate in force is %d, in whatever order rows are given', (day, standard) => {
    expect(ratesOn(dated, 'HU', day)?.standardBasisPoints).toBe(standard)
  })

  test.each([
    ['HU', '2009-06-30', 'no tax rates are known for this country before 2009-07-01'],
    ['XX', today, 'no tax rates are known for this country'],
    ['Germany', today, 'no tax rates are known for this country'],
    ['', today, 'no tax rates are known for this country'],
    ['__proto__', today, 'no tax rates are known for this country'],
    ['constructor', today, 'no tax rates are known for this country'],
  ])('%p on %s is refused, never untaxed', (country, day, message) => {
    expect(ratesOn(dated, country, day)).toBeNull()
    expect(() => requireRates(dated, country, day, 'country')).toThrow(
      expect.objectContaining({
        reason: 'invalid_request',
        details: [{ path: 'country', message }],
      }),
    )
  })

  test('other countries leave those built in as they are', () => {
    for (const code of builtIn.keys())
      expect(ratesOn(dated, code, today)).toEqual(ratesOn(builtIn, code, today))
  })
})

describe('tax of an amount', () => {
  test('1000 in DE is 190', () => {
    expect(Tax.forAmount(1_000n, ratesOf('DE'))).toEqual({
      countryCode: 'DE',
      rateBasisPoints: 1_900,
      taxUnits: 190n,
    })
  })

  test('halves are rounded up: 25.5 % of 0.10 is 0.03', () => {
    expect(Tax.forAmount(10n, ratesOf('FI')).taxUnits).toBe(3n)
  })

  test('without a country there is none', () => {
    expect(Tax.forAmount(1_000n, null)).toEqual({
      countryCode: null,
      rateBasisPoints: 0,
      taxUnits: 0n,
    })
  })
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
    expect(Tax.calculate(amount, ratesOf(country), rateType)).toEqual({
      rateBasisPoints,
      taxMinor,
      totalMinor: amount + taxMinor,
    })
  })

  test('a total that a JSON client cannot hold is invalid_amount, one it just can is not', () => {
    expect(() => Tax.calculate(maxUnits, ratesOf('DE'), 'standard')).toThrow(
      expect.objectContaining({ reason: 'invalid_amount' }),
    )
    expect(Tax.calculate(maxUnits, ratesOf('US'), 'standard').totalMinor).toBe(maxUnits)
  })

  const amounts = fc.bigInt({ min: 1n, max: maxUnits / 2n })
  const countries = fc.constantFrom(...builtIn.keys()).map(ratesOf)
  const rateTypes = fc.constantFrom(...Tax.rateTypes)

  test('total is amount plus tax, and tax never further than half a unit from the exact share', () => {
    fc.assert(
      fc.property(amounts, countries, rateTypes, (amount, rates, rateType) => {
        const tax = Tax.calculate(amount, rates, rateType)
        expect(tax.totalMinor - tax.taxMinor).toBe(amount)
        const twice = 2n * (tax.taxMinor * 10_000n - amount * BigInt(tax.rateBasisPoints))
        expect(twice > -10_000n && twice <= 10_000n).toBe(true)
      }),
    )
  })

  test('more amount is never less tax, and the reduced rate never more than the standard one', () => {
    fc.assert(
      fc.property(amounts, amounts, countries, (one, other, rates) => {
        const tax = (amount: bigint, rateType: Tax.RateType) =>
          Tax.calculate(amount, rates, rateType).taxMinor
        const [less, more] = one < other ? [one, other] : [other, one]
        expect(tax(less, 'standard') <= tax(more, 'standard')).toBe(true)
        expect(tax(one, 'reduced') <= tax(one, 'standard')).toBe(true)
      }),
    )
  })

  test('an invoice is taxed as the calculation says', () => {
    fc.assert(
      fc.property(amounts, countries, (amount, rates) => {
        const { taxMinor, rateBasisPoints } = Tax.calculate(amount, rates, 'standard')
        expect(Tax.forAmount(amount, rates)).toEqual({
          countryCode: rates.country,
          rateBasisPoints,
          taxUnits: taxMinor,
        })
      }),
    )
  })
})
