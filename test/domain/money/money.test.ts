import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  divideHalfUp,
  maxUnits,
  minorScale,
  parseAmount,
  share,
  toAmount,
  toDecimal,
  toUsdcBase,
} from '../../../src/domain/money/money.ts'

const units = fc.bigInt({ min: 1n, max: maxUnits })

describe('an amount that is exact is read exactly', () => {
  test.each([
    ['12.50', 12_500_000n],
    ['0.000001', 1n],
    ['1e-6', 1n],
    ['1e2', 100_000_000n],
    ['1.005', 1_005_000n],
    ['9007199254.740991', maxUnits],
    ['"12.50"', 12_500_000n],
    ['"0.1"', 100_000n],
  ])('%s USDC', (source, expected) => {
    expect(parseAmount(source, 6)).toBe(expected)
  })

  test('an exponent may make an integer of minor units: 1e3 is 1000 cents', () => {
    expect(parseAmount('1e3', 0)).toBe(1_000n)
  })

  test('zeros behind the point leave it an integer of minor units: 1000.0 is 1000 cents', () => {
    expect(['1000.0', '1000.000', '1.0e3'].map((source) => parseAmount(source, 0))).toEqual([
      1_000n,
      1_000n,
      1_000n,
    ])
    expect(() => parseAmount('1000.01', 0)).toThrow()
  })

  test('whatever is written by toDecimal or toAmount is read back as the same units', () => {
    fc.assert(
      fc.property(units, fc.constantFrom(0, 2, 3, 6), (amount, scale) => {
        expect(parseAmount(toDecimal(amount, scale), scale)).toBe(amount)
        expect(parseAmount(`"${toAmount(amount, scale)}"`, scale)).toBe(amount)
      }),
    )
  })
})

describe('an amount that is not exact, not positive or not a number is invalid_amount', () => {
  test.each([
    ...[
      '0',
      '-0',
      '-1',
      '0.0',
      '1e-7',
      '1.0000001',
      '1.0000000',
      '1e400',
      '1e20',
      '9007199254.740992',
    ],
    ...[
      'true',
      'null',
      '[1]',
      '{"a":1}',
      '"abc"',
      '"1e2"',
      '"0x10"',
      '" 1"',
      '""',
      '"-1"',
      '"01"',
      '".5"',
      '"1."',
    ],
  ])('%s', (source) => {
    expect(() => parseAmount(source, 6)).toThrow(
      expect.objectContaining({ reason: 'invalid_amount' }),
    )
  })

  test('of more digits than any amount has none is read', () => {
    for (const scale of [0, 6])
      expect(() => parseAmount('9'.repeat(1_000_000), scale)).toThrow('has too many digits')
  })

  test('a fraction of a cent is refused where amounts are minor units', () => {
    expect(() => parseAmount('10.5', 0)).toThrow(
      expect.objectContaining({ reason: 'invalid_amount' }),
    )
  })
})

describe('rounding is half up on integers', () => {
  test.each([
    [5n, 2n, 3n],
    [4n, 3n, 1n],
    [5n, 3n, 2n],
    [0n, 7n, 0n],
  ])('%d / %d = %d', (numerator, denominator, expected) => {
    expect(divideHalfUp(numerator, denominator)).toBe(expected)
  })

  test('a share is never further than half a unit from the exact product', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 10_000 }), (amount, basisPoints) => {
        const twice = 2n * (share(amount, basisPoints) * 10_000n - amount * BigInt(basisPoints))
        expect(twice > -10_000n && twice <= 10_000n).toBe(true)
      }),
    )
  })
})

describe('conversion to USDC', () => {
  test('dollars are one to one', () => {
    expect(toUsdcBase(1_250n, 2)).toBe(12_500_000n)
    expect(toUsdcBase(12_500_000n, 6)).toBe(12_500_000n)
  })

  test('other currencies at their rate, halves up', () => {
    expect(toUsdcBase(1_000n, 2, '1.08')).toBe(10_800_000n)
    expect(toUsdcBase(1n, 6, '0.5')).toBe(1n)
  })

  test('smallest units follow ISO 4217', () => {
    expect([minorScale('EUR'), minorScale('JPY'), minorScale('KWD'), minorScale('USDC')]).toEqual([
      2, 0, 3, 6,
    ])
  })
})
