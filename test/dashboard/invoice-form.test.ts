import { describe, expect, test } from 'bun:test'
import {
  invoiceOf,
  invoiceProblems,
  isFlat,
  pricedOf,
  type Rates,
} from '../../src/dashboard/invoice-form.ts'

/** The fields of a form, some filled in. */
const fields = (filled: Readonly<Record<string, string>>) => Object.entries(filled)

const one = { 'lines/0/quantity': '1', 'lines/0/unit': 'C62', 'lines/0/taxCategory': '' }
const some = {
  ...one,
  amount: '12.50',
  currency: ' eur',
  chain: 'base',
  'buyer/companyName': 'Ada',
}

test('only filled-in fields are sent', () => {
  const sides = {
    'seller/address': 'Am Markt 1\n10115 Berlin',
    'buyer/vat': 'ATU12345675',
    'buyer/address': ' ',
  }
  const wanted: unknown = invoiceOf(fields({ ...some, ...sides, taxCountry: '', dueAt: '' }))
  expect(wanted).toEqual({
    amount: 1_250,
    currency: 'EUR',
    chain: 'base',
    buyer: { companyName: 'Ada', vat: 'ATU12345675' },
    seller: { address: 'Am Markt 1\n10115 Berlin' },
  })
})

test('an amount with too many decimals is refused with the rule', () => {
  expect(() => invoiceOf(fields({ ...some, amount: '1.234' }))).toThrow(
    'The amount is a positive number, with at most 2 decimals',
  )
})

const germany: Rates = {
  countryCode: 'DE',
  country: 'Germany',
  standard: 19,
  reduced: 7,
  from: '2021-01-01',
}

/** As a form has lines: texts by member. */
function lined(currency: string, lines: readonly Readonly<Record<string, string>>[]) {
  const named = lines.flatMap((line, at) =>
    Object.entries({ quantity: '1', unit: 'C62', taxCategory: '', ...line }).map(
      ([name, text]) => [`lines/${at}/${name}`, text] as const,
    ),
  )
  return [['currency', currency] as const, ...named]
}

describe('lines', () => {
  test.each([
    [[{}], true],
    [[{ quantity: '1.' }], true],
    [[{ quantity: '2' }], false],
    [[{ unit: 'HUR' }], false],
    [[{ taxCategory: 'zero' }], false],
    [[{}, {}], false],
    [[], true],
  ])('%p need no more than an amount: %p', (lines, expected) => {
    expect(isFlat(lined('EUR', lines))).toBe(expected)
  })

  test('are sent with prices in minor units, and what is not filled in is left to the service', () => {
    const typed = lined('EUR', [
      { description: 'Work', quantity: '02.50', unit: 'HUR', unitPrice: '80.125' },
      {
        description: 'Book',
        unitPrice: '20',
        taxCategory: 'exempt',
        taxExemptionReason: 'A school',
      },
    ])
    expect<object>(invoiceOf(typed)).toHaveProperty('lines', [
      { description: 'Work', quantity: '2.50', unitPrice: '8012.5', unit: 'HUR' },
      {
        description: 'Book',
        quantity: '1',
        unitPrice: '2000',
        unit: 'C62',
        taxCategory: 'exempt',
        taxExemptionReason: 'A school',
      },
    ])
  })

  test.each([
    [
      'EUR',
      germany,
      [
        { quantity: '2.5', unitPrice: '80' },
        { unitPrice: '20', taxCategory: 'reduced' },
      ],
      22_000n,
      25_940n,
    ],
    // Once for each rate, not line by line: 0.19 × 0.05 is nothing, twice.
    ['EUR', germany, [{ unitPrice: '0.02' }, { unitPrice: '0.01' }], 3n, 4n],
    ['JPY', germany, [{ quantity: '0.5', unitPrice: '1' }], 1n, 1n],
    ['USDC', undefined, [{ unitPrice: '1.000001' }], 1_000_001n, 1_000_001n],
    [
      'EUR',
      germany,
      [{ unitPrice: '1e3' }, { quantity: 'one', unitPrice: '5' }, { unitPrice: '1' }],
      100n,
      119n,
    ],
  ] as const)('in %s come to what the service says', (currency, rates, lines, net, total) => {
    const priced = pricedOf(lined(currency, lines), rates)
    expect([priced.netUnits, priced.totalUnits]).toEqual([net, total])
  })

  test('of one line the amount is its price', () => {
    expect(pricedOf(fields(some), germany).totalUnits).toBe(1_488n)
  })
})

describe('what is wrong with an invoice is said at its fields, all at once', () => {
  const wallet = `0x${'aa'.repeat(20)}`

  test.each([
    [{}, []],
    [{ amount: '1.234', currency: 'EUR' }, ['amount']],
    [{ amount: '1.234', currency: 'USDC' }, []],
    [
      { amount: 'much', currency: 'EUR', chain: 'base', 'seller/wallet': '0xaa' },
      ['amount', 'seller/wallet'],
    ],
    [{ chain: 'base', 'seller/wallet': wallet }, []],
    [{ chain: 'solana', 'seller/wallet': wallet }, ['seller/wallet']],
  ])('of %p: %p', (typed, paths) => {
    expect(invoiceProblems(fields(typed as never)).map(({ path }) => path)).toEqual(paths)
  })

  test('of lines, by their places', () => {
    const typed = lined('EUR', [
      { unitPrice: '1' },
      { quantity: '0', unitPrice: '-1' },
      { unitPrice: '1.123456789' },
    ])
    expect(invoiceProblems(typed)).toEqual([
      {
        path: 'lines/1/quantity',
        message: 'Enter a number above 0, with at most 6 decimals, such as 2.5.',
      },
      ...['lines/1/unitPrice', 'lines/2/unitPrice'].map((path) => ({
        path,
        message: 'Enter a number, with at most 8 decimals in EUR, such as 12.50.',
      })),
    ])
  })
})
