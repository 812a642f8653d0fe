import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as Summary from '../../../src/domain/invoices/tax-summary.ts'
import { builtIn, withOthers } from '../../../src/domain/money/tax-rates.ts'

type Total = Summary.Total

function summarize(totals: readonly Total[]) {
  return Summary.summarize(totals, builtIn)
}

/** The total of `count` invoices in one line. */
function total(over: Partial<Total> = {}, count = 1): Total {
  return {
    kind: 'sale',
    currency: 'EUR',
    countryCode: 'DE',
    category: 'standard',
    rateBasisPoints: 1_900,
    shareCount: count,
    documentCount: count,
    netMinor: 1_000n,
    taxMinor: 190n,
    ...over,
  }
}

function amounts(subtotalMinor: bigint, taxMinor: bigint) {
  return { subtotalMinor, taxMinor, totalMinor: subtotalMinor + taxMinor }
}

/** Figures of invoices without credits. */
function figures(subtotalMinor: bigint, taxMinor: bigint, invoiceCount: number) {
  const sum = amounts(subtotalMinor, taxMinor)
  return { ...sum, invoiceCount, credits: { ...amounts(0n, 0n), creditNoteCount: 0 }, net: sum }
}

const nothing = { invoiceCount: 0, currencies: [] }

test('nothing settled is an empty summary', () => {
  expect(summarize([])).toEqual({ ...nothing, purchases: nothing })
})

test('a country that the operator has added is named as in its last row', () => {
  const row = { country: 'HU', standardBasisPoints: 2_700, reducedBasisPoints: 500, source: '' }
  const table = withOthers([
    { ...row, from: '2012-01-01', name: 'Hungary' },
    { ...row, from: '2009-07-01', name: 'Magyarország' },
  ])
  const { currencies } = Summary.summarize([total({ countryCode: 'HU' })], table)
  expect(currencies[0]?.byCountry[0]?.country).toBe('Hungary')
})

test('what was bought is summed up apart', () => {
  const summary = summarize([total(), total({ kind: 'purchase', netMinor: 500n })])
  const { purchases } = summary
  expect([summary, purchases].map(({ invoiceCount }) => invoiceCount)).toEqual([1, 1])
  const subtotals = [summary, purchases].map(({ currencies }) => currencies[0]?.subtotalMinor)
  expect(subtotals).toEqual([1_000n, 500n])
})

test('currencies in order, never added; within one, countries in order with the unnamed last', () => {
  const none = { countryCode: null, category: 'outside_scope', rateBasisPoints: 0 } as const
  const summary = summarize([
    total({ currency: 'USD', ...none, taxMinor: 0n }),
    total({ currency: 'USD', countryCode: 'FR', rateBasisPoints: 2_000, taxMinor: 200n }),
    total({ netMinor: 3_000n, taxMinor: 570n }, 2),
  ])
  const standard = { category: 'standard' } as const
  const france = { countryCode: 'FR', country: 'France', rateBasisPoints: 2_000, ...standard }
  const germany = { countryCode: 'DE', country: 'Germany', rateBasisPoints: 1_900, ...standard }
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
          { ...none, country: null, ...figures(1_000n, 0n, 1) },
        ],
      },
    ],
  })
})

test('two rates of one country are two lines, and so are two categories of one rate', () => {
  const [currency] = summarize([
    total(),
    total({ rateBasisPoints: 1_600 }),
    total({ rateBasisPoints: 0, category: 'export' }),
    total({ rateBasisPoints: 0, category: 'exempt' }),
  ]).currencies
  expect(currency?.byCountry.map((one) => [one.category, one.rateBasisPoints])).toEqual([
    ['exempt', 0],
    ['export', 0],
    ['standard', 1_600],
    ['standard', 1_900],
  ])
})

test('an invoice at two rates counts at each, and once in its currency', () => {
  const reduced = { category: 'reduced', rateBasisPoints: 700, documentCount: 0 } as const
  const { invoiceCount, currencies } = summarize([total(), total(reduced)])
  expect([invoiceCount, currencies[0]?.invoiceCount]).toEqual([1, 1])
  expect(currencies[0]?.byCountry.map((one) => one.invoiceCount)).toEqual([1, 1])
})

test('what was credited leaves the sales as they are, and is taken from the net figures', () => {
  const credit = { kind: 'credit', netMinor: 400n, taxMinor: 76n } as const
  const { invoiceCount, currencies, purchases } = summarize([
    total(),
    total(credit, 2),
    total({ ...credit, currency: 'USD' }),
    total({ kind: 'purchase_credit', netMinor: 1n, taxMinor: 0n }),
  ])
  expect(invoiceCount).toBe(1)
  expect(currencies).toMatchObject([
    {
      currency: 'EUR',
      ...amounts(1_000n, 190n),
      credits: { ...amounts(400n, 76n), creditNoteCount: 2 },
      net: amounts(600n, 114n),
    },
    { currency: 'USD', ...amounts(0n, 0n), invoiceCount: 0, net: amounts(-400n, -76n) },
  ])
  expect(purchases.currencies).toMatchObject([{ currency: 'EUR', net: amounts(-1n, 0n) }])
})

test('whatever the totals, every line adds up, and the lines of a currency add up to it', () => {
  const totals = fc.array(
    fc
      .record({
        kind: fc.constantFrom<Total['kind']>('sale', 'credit'),
        currency: fc.constantFrom('EUR', 'USD', 'JPY', 'USDC'),
        countryCode: fc.constantFrom('DE', 'FR', null),
        category: fc.constantFrom<Total['category']>('standard', 'zero'),
        rateBasisPoints: fc.constantFrom(0, 1_900),
        count: fc.integer({ min: 1, max: 1_000 }),
        netMinor: fc.bigInt({ min: 1n, max: 10n ** 18n }),
        taxMinor: fc.bigInt({ min: 0n, max: 10n ** 18n }),
      })
      .map(({ count, ...rest }) => total(rest, count)),
  )
  fc.assert(
    fc.property(totals, (given) => {
      const summary = summarize(given)
      const sold = given.filter(({ kind }) => kind === 'sale')
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
      const counts = (rows: readonly { invoiceCount: number }[]) =>
        sum(rows.map(({ invoiceCount }) => invoiceCount))
      expect(summary.invoiceCount).toBe(sum(sold.map(({ documentCount }) => documentCount)))
      expect(counts(summary.currencies)).toBe(summary.invoiceCount)
      for (const line of summary.currencies) {
        expect(counts(line.byCountry)).toBe(line.invoiceCount)
        const lines = [line, ...line.byCountry]
        for (const one of lines.flatMap((of) => [of, of.credits, of.net]))
          expect(one.totalMinor).toBe(one.subtotalMinor + one.taxMinor)
        for (const part of ['subtotalMinor', 'taxMinor', 'totalMinor'] as const) {
          const parts = line.byCountry.reduce((sum, { net }) => sum + net[part], 0n)
          expect(parts).toBe(line.net[part])
        }
      }
    }),
  )
})
