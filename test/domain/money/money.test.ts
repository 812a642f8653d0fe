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
  toDueUsdcBase,
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
  test.each<[string, bigint, number, string | null, bigint]>([
    ['a dollar is one USDC', 1_250n, 2, null, 12_500_000n],
    ['a dollar’s millionths stay', 1_234_567n, 6, null, 1_234_567n],
    ['a whole cent', 1_000n, 2, '1.08', 10_800_000n],
    ['half a cent goes up', 1_000n, 2, '1.0805', 10_810_000n],
    ['less than half a cent goes down', 1_000n, 2, '1.080499999', 10_800_000n],
    [
      'rounded once, not to millionths and then to cents',
      10_000_000n,
      7,
      '1.004999999',
      1_000_000n,
    ],
    ['a USDC is a whole cent', 1n, 0, '1', 1_000_000n],
    ['below 1 USDC millionths are due', 1n, 0, '0.0065', 6_500n],
    ['below 1 USDC half a millionth goes up', 1n, 6, '0.5', 1n],
    ['what rounds up to 1 USDC is 1 USDC', 1n, 0, '0.9999995', 1_000_000n],
  ])('%s', (_, units, scale, rate, base) => {
    expect(toDueUsdcBase(units, scale, rate)).toBe(base)
  })

  test('smallest units follow ISO 4217', () => {
    expect([minorScale('EUR'), minorScale('JPY'), minorScale('KWD'), minorScale('USDC')]).toEqual([
      2, 0, 3, 6,
    ])
  })
})
