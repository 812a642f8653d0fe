import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  amountRule,
  decoded,
  figureOf,
  minorOf,
  money,
  short,
  warningText,
  when,
} from '../../src/dashboard/format.ts'
import { fromDecimal, toAmount, usdcScale } from '../../src/domain/money/money.ts'

test.each([
  [0, 'USDC', '0.00 USDC'],
  [1, 'USDC', '0.000001 USDC'],
  [14_875_000, 'USDC', '14.875 USDC'],
  [1_234_500_000_000, 'USDC', '1,234,500.00 USDC'],
  [5, 'EUR', '0.05 EUR'],
  [-123_450, 'EUR', '−1,234.50 EUR'],
  [1_234, 'JPY', '1,234 JPY'],
])('%d of %s reads %s', (minor, currency, text) => {
  expect(money(minor, currency)).toBe(text)
})

test.each([
  [0, 'USDC', '0.00', '0.00 USDC'],
  [14_875_000, 'USDC', '14.88', '14.875 USDC'],
  [14_874_999, 'USDC', '14.87', '14.874999 USDC'],
  [19_399_847_472_772, 'USDC', '19,399,847.47', '19,399,847.472772 USDC'],
  [5_000, 'USDC', '0.01', '0.005 USDC'],
  [4_999, 'USDC', '<0.01', '0.004999 USDC'],
  [999_995_000, 'USDC', '1,000.00', '999.995 USDC'],
  [-1_500_000, 'USDC', '−1.50', '−1.50 USDC'],
  [123_450, 'EUR', '1,234.50', '1,234.50 EUR'],
  [1_234, 'JPY', '1,234', '1,234 JPY'],
  [1_235, 'KWD', '1.24', '1.235 KWD'],
  [9_007_199_254_740_993n, 'USDC', '9,007,199,254.74', '9,007,199,254.740993 USDC'],
])('%p of %s is %s in a list, and its tooltip %s', (minor, currency, shown, exact) => {
  expect(figureOf(minor, currency)).toEqual({ shown, exact })
})

test.each([
  ['12.50', 'USDC', 12_500_000],
  [' 12 ', 'EUR', 1_200],
  ['0.000001', 'USDC', 1],
  ['12.', 'EUR', 1_200],
  ['7', 'JPY', 7],
])('%s %s is %d minor units', (typed, currency, minor) => {
  expect(minorOf(typed, currency)).toBe(minor)
})

test.each([
  ['', 'EUR'],
  ['0', 'EUR'],
  ['-1', 'EUR'],
  ['1.001', 'EUR'],
  ['1.5', 'JPY'],
  ['1,50', 'EUR'],
  ['1.2.3', 'EUR'],
  ['1e3', 'EUR'],
  ['99999999999999999999', 'EUR'],
])('%p is not an amount of %s', (typed, currency) => {
  expect(minorOf(typed, currency)).toBeNull()
})

test('a formatted amount is parsed as the same amount', () => {
  const currencies = fc.constantFrom('USDC', 'EUR', 'JPY', 'KWD')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 50 }), currencies, (minor, currency) => {
      const typed = money(minor, currency).split(' ')[0]?.replaceAll(',', '') ?? ''
      expect(minorOf(typed, currency)).toBe(minor)
    }),
  )
})

test('a decimal is parsed as the units it was formatted from', () => {
  expect(['0.00', '14.875', '2700'].map((decimal) => fromDecimal(decimal, usdcScale))).toEqual([
    0n,
    14_875_000n,
    2_700_000_000n,
  ])
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 60n }), fc.nat(8), (units, scale) => {
      expect(fromDecimal(toAmount(units, scale), scale)).toBe(units)
    }),
  )
})

test('an instant is shown in UTC', () => {
  expect(when('2026-12-22T00:00:00.000Z')).toBe('22 Dec 2026, 00:00 UTC')
  expect(when('2026-12-21T16:05:59.999-08:00')).toBe('22 Dec 2026, 00:05 UTC')
})

test('only the ends of a long text are shown', () => {
  expect(short(`0x${'5e'.repeat(32)}`)).toBe('0x5e5e5e5e…5e5e5e')
  expect(short('0x5e')).toBe('0x5e')
})

test.each([
  ['USDC', 'a positive number, with at most 6 decimals in USDC, such as 1250.00'],
  ['EUR', 'a positive number, with at most 2 decimals in EUR, such as 1250.00'],
  ['JPY', 'a positive number, without decimals in JPY, such as 1250'],
])('the rule for amounts of %s has a valid example', (currency, rule) => {
  expect(amountRule(currency)).toBe(rule)
  expect(minorOf(rule.split(' ').at(-1) ?? '', currency)).toBeGreaterThan(0)
})

test('a part of an address is decoded, or unchanged if it is not valid encoding', () => {
  expect(['agent%2F7', '100%', '%E0%A4%A'].map(decoded)).toEqual(['agent/7', '100%', '%E0%A4%A'])
})

test.each([
  ['seller_address_missing', 'the seller’s address is missing'],
  ['buyer_vat_format', 'the buyer’s VAT id does not look valid'],
  ['seller_id_missing', 'the seller’s VAT id or wallet is missing'],
  ['tax_currency_missing', 'the tax is not in the currency of its country'],
  ['tax_not_charged', 'the tax is only recorded: the seller charged none'],
  ['exemption_reason_missing', 'no legal reason is given for charging no tax'],
  ['terms_of_payment', 'terms of payment'],
])('warning %s as text: %s', (code, words) => {
  expect(warningText(code)).toBe(words)
})
