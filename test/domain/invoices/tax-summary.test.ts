import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as Summary from '../../../src/domain/invoices/tax-summary.ts'
import { builtIn, withOthers } from '../../../src/domain/money/tax-rates.ts'

type Total = Summary.Total

function summarize(totals: readonly Total[]) {
  return Summary.summarize(totals, builtIn)
}

function total(over: Partial<Total> = {}): Total {
  return {
    currency: 'EUR',
    scale: 2,
    countryCode: 'DE',
    rateBasisPoints: 1_900,
    invoiceCount: 1,
    subtotalUnits: 1_000n,
    taxUnits: 190n,
    isPurchase: false,
    ...over,
  }
}

const nothing = { invoiceCount: 0, currencies: [] }

test('nothing settled is an empty summary', () => {
  expect(summarize([])).toEqual({ ...nothing, purchases: nothing })
})

test('B2 a country that the operator has added is named as in its last row', () => {
  const row = { country: 'HU', standardBasisPoints: 2_700, reducedBasisPoints: 500, source: '' }
  const table = withOthers([
    { ...row, from: '2012-01-01', name: 'Hungary' },
    { ...row, from: '2009-07-01', name: 'Magyarország' },
  ])
  const { currencies } = Summary.summarize([total({ countryCode: 'HU' })], table)
  expect(currencies[0]?.byCountry[0]?.country).toBe('Hungary')
})

test('what was bought is summed up apart', () => {
  const summary = summarize([total(), total({ isPurchase: true, subtotalUnits: 500n })])
  const { purchases } = summary
  expect([summary, purchases].map(({ invoiceCount }) => invoiceCount)).toEqual([1, 1])
  const subtotals = [summary, purchases].map(({ currencies }) => currencies[0]?.subtotalMinor)
  expect(subtotals).toEqual([1_000n, 500n])
})

test('currencies in order, never added; within one, countries in order with the unnamed last', () => {
  const summary = summarize([
    total({ currency: 'USD', countryCode: null, rateBasisPoints: 0, taxUnits: 0n }),
    total({ currency: 'USD', countryCode: 'FR', rateBasisPoints: 2_000, taxUnits: 200n }),
    total({ invoiceCount: 2, subtotalUnits: 3_000n, taxUnits: 570n }),
  ])
  const unnamed = { countryCode: null, country: null, rateBasisPoints: 0 }
  const france = { countryCode: 'FR', country: 'France', rateBasisPoints: 2_000 }
  const germany = { countryCode: 'DE', country: 'Germany', rateBasisPoints: 1_900 }
  const figures = (subtotalMinor: bigint, taxMinor: bigint, invoiceCount: number) => ({
    subtotalMinor,
    taxMinor,
    totalMinor: subtotalMinor + taxMinor,
    invoiceCount,
  })
  expect(summary).toEqual({
    purchases: nothing,
    invoiceCount: 4,
    currencies: [
      {
        currency: 'EUR',
        ...figures(3_000n, 570n, 2),
        byCountry: [{ ...germany, ...figures(3_000n, 570n, 2) }],
      },
      {
        currency: 'USD',
        ...figures(2_000n, 200n, 2),
        byCountry: [
          { ...france, ...figures(1_000n, 200n, 1) },
          { ...unnamed, ...figures(1_000n, 0n, 1) },
        ],
      },
    ],
  })
})

test('two rates of one country are two lines', () => {
  const [currency] = summarize([total(), total({ rateBasisPoints: 1_600 })]).currencies
  expect(currency?.byCountry.map(({ rateBasisPoints }) => rateBasisPoints)).toEqual([1_600, 1_900])
})

describe('fractions of a minor unit', () => {
  const cents = (subtotalUnits: bigint) => total({ scale: 6, subtotalUnits, taxUnits: 0n })

  test('are added exactly and rounded once: ten times 0.004 is 4 cents, 0.005 is 1', () => {
    expect(summarize([cents(40_000n)]).currencies[0]?.subtotalMinor).toBe(4n)
    expect(summarize([cents(5_000n)]).currencies[0]?.subtotalMinor).toBe(1n)
    expect(summarize([cents(4_999n)]).currencies[0]?.subtotalMinor).toBe(0n)
  })

  test('are added to whole ones of the same country in one line', () => {
    const [currency] = summarize([cents(10_004_000n), total()]).currencies
    expect(currency?.byCountry).toHaveLength(1)
    expect(currency?.subtotalMinor).toBe(2_000n)
  })

  test('do not exist in a currency whose smallest unit is as small as we count', () => {
    const [usdc] = summarize([total({ currency: 'USDC', scale: 6, subtotalUnits: 1n })]).currencies
    expect(usdc?.subtotalMinor).toBe(1n)
  })

  test('are rounded to whole units where a currency has no smaller ones', () => {
    const yen = total({ currency: 'JPY', scale: 6, subtotalUnits: 1_500_000n, taxUnits: 0n })
    expect(summarize([yen]).currencies[0]?.subtotalMinor).toBe(2n)
  })
})

test('whatever the totals, every line adds up, counts agree, and no sum is off by more than its rounding', () => {
  const totals = fc.array(
    fc.record({
      currency: fc.constantFrom('EUR', 'USD', 'JPY', 'USDC'),
      scale: fc.constantFrom(0, 2, 6),
      countryCode: fc.constantFrom('DE', 'FR', null),
      rateBasisPoints: fc.constantFrom(0, 1_900),
      invoiceCount: fc.integer({ min: 1, max: 1_000 }),
      subtotalUnits: fc.bigInt({ min: 1n, max: 10n ** 18n }),
      taxUnits: fc.bigInt({ min: 0n, max: 10n ** 18n }),
      isPurchase: fc.constant(false),
    }),
  )
  fc.assert(
    fc.property(totals, (given) => {
      const summary = summarize(given)
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
      const counts = (rows: readonly { invoiceCount: number }[]) =>
        sum(rows.map(({ invoiceCount }) => invoiceCount))
      expect(summary.invoiceCount).toBe(counts(given))
      expect(counts(summary.currencies)).toBe(summary.invoiceCount)
      for (const line of summary.currencies) {
        expect(counts(line.byCountry)).toBe(line.invoiceCount)
        for (const one of [line, ...line.byCountry])
          expect(one.totalMinor).toBe(one.subtotalMinor + one.taxMinor)
        const parts = line.byCountry.reduce((sum, { taxMinor }) => sum + taxMinor, 0n)
        const off = parts - line.taxMinor
        expect((off < 0n ? -off : off) <= BigInt(line.byCountry.length)).toBe(true)
      }
    }),
  )
})
