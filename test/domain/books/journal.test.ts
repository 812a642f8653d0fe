import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  documentEntries,
  type Entry,
  type SettledDocument,
  transferEntries,
} from '../../../src/domain/books/journal.ts'
import type { TaxCategory, TaxShare } from '../../../src/domain/invoices/lines.ts'
import type { Taxed } from '../../../src/domain/invoices/terms.ts'
import { payment } from '../../support/invoice.ts'
import { balances, faultsOf } from '../../support/journal.ts'

const settledAt = new Date('2026-07-01T00:00:00.000Z')
const numbered = { year: 2026, number: 7 }
const german = { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 19_000n }

function taxed(over: Partial<Taxed> = {}): Taxed {
  return { currency: 'EUR', scale: 2, subtotalUnits: 100_000n, tax: german, ...over }
}

function document(over: Partial<SettledDocument> = {}): SettledDocument {
  return { ...numbered, settledAt, taxed: taxed(), payments: null, ...over }
}

/** Each entry with its rows as `account debit/credit`. */
function written(entries: readonly Entry[]) {
  return entries.map(({ rows }) => [
    `${rows[0]?.date} ${rows[0]?.entry}`,
    ...rows.map(
      ({ account, currency, debit, credit }) => `${account} ${currency} ${debit}/${credit}`,
    ),
  ])
}

describe('in the journal', () => {
  test('a sale is owed whole, and is sales and tax', () => {
    expect(written(documentEntries(document()))).toEqual([
      [
        '2026-07-01 sale:INV-2026-0007',
        'clearing EUR 1190.00/null',
        'sales EUR null/1000.00',
        'vat_payable EUR null/190.00',
      ],
    ])
  })

  test('a sale without tax has no row for it', () => {
    const tax = { countryCode: null, rateBasisPoints: 0, taxUnits: 0n }
    const [, ...rows] = written(documentEntries(document({ taxed: taxed({ tax }) })))[0] ?? []
    expect(rows).toEqual(['clearing EUR 1000.00/null', 'sales EUR null/1000.00'])
  })

  test('a sale at several rates has net and tax of each', () => {
    const share = (category: TaxCategory, baseUnits: bigint, taxUnits: bigint): TaxShare => ({
      category,
      rateBasisPoints: 0,
      baseUnits,
      taxUnits,
      reason: null,
    })
    const breakdown = [share('standard', 10_000n, 1_900n), share('exempt', 500n, 0n)]
    const tax = { ...german, rateBasisPoints: null, breakdown }
    expect(written(documentEntries(document({ taxed: taxed({ tax }) })))[0]?.slice(1)).toEqual([
      'clearing EUR 124.00/null',
      'sales EUR null/100.00',
      'vat_payable EUR null/19.00',
      'sales EUR null/5.00',
    ])
  })

  test('a sale is rounded to the currency’s own decimals, as in the totals', () => {
    const tax = { ...german, taxUnits: 2_345n }
    const finer = taxed({ scale: 3, minorScale: 2, subtotalUnits: 12_345n, tax })
    expect(written(documentEntries(document({ taxed: finer })))[0]?.slice(1)).toEqual([
      'clearing EUR 14.70/null',
      'sales EUR null/12.35',
      'vat_payable EUR null/2.35',
    ])
  })

  test('a purchase leaves out the tax that nobody charged, and is paid from the wallet', () => {
    const price = taxed({ currency: 'USDC', scale: 6, subtotalUnits: 10_000n })
    const payments = [
      payment({ key: 'base:0x02:1', usdcBase: 10_000n, confirmed: true }),
      payment({ key: 'base:0x03:1', usdcBase: 5n }),
    ]
    expect(written(documentEntries(document({ taxed: price, payments })))).toEqual([
      ['2026-07-01 purchase:PUR-2026-0007', 'purchases USDC 0.01/null', 'clearing USDC null/0.01'],
      ['2026-07-01 payment:base:0x02:1', 'clearing USDC 0.01/null', 'wallet USDC null/0.01'],
    ])
  })

  test('a payment counts at the time of its block, and with it the fee', () => {
    const blockTime = new Date('2026-06-30T23:59:59.000Z')
    const transfer = { ...numbered, key: 'base:0x01:0', blockTime, usdcBase: 1_285_200_000n }
    const received = [
      '2026-06-30 payment:base:0x01:0',
      'wallet USDC 1285.20/null',
      'clearing USDC null/1285.20',
    ]
    expect(written(transferEntries({ ...transfer, feeBase: 0n }))).toEqual([received])
    expect(written(transferEntries({ ...transfer, feeBase: 12_852_000n }))).toEqual([
      received,
      ['2026-06-30 fee:INV-2026-0007', 'fees USDC 12.852/null', 'wallet USDC null/12.852'],
    ])
  })
})

test('whatever is sold, bought and paid, every entry balances to the last unit in each currency', () => {
  const units = fc.bigInt({ min: 1n, max: 2n ** 53n })
  const share = fc.record({
    category: fc.constantFrom<TaxCategory>('standard', 'reduced', 'export'),
    rateBasisPoints: fc.constantFrom(0, 700, 1_900),
    baseUnits: units,
    taxUnits: fc.oneof(fc.constant(0n), units),
    reason: fc.constant(null),
  })
  const unit = fc.constantFrom(
    { currency: 'EUR', scale: 2 },
    { currency: 'EUR', scale: 6, minorScale: 2 },
    { currency: 'JPY', scale: 2, minorScale: 0 },
    { currency: 'KWD', scale: 3 },
    { currency: 'USDC', scale: 6 },
  )
  const documents = fc
    .record({ unit, shares: fc.array(share, { minLength: 1, maxLength: 4 }), isSale: fc.boolean() })
    .map(({ unit, shares, isSale }) => {
      const tax = { ...german, rateBasisPoints: null, breakdown: shares }
      const payments = isSale ? null : [payment({ confirmed: true })]
      return document({ taxed: taxed({ ...unit, tax }), payments })
    })
  const transfers = fc
    .record({ usdcBase: units, feeBase: fc.oneof(fc.constant(0n), units) })
    .map((amounts) => ({ ...numbered, ...amounts, key: 'base:0x01:0', blockTime: settledAt }))
  fc.assert(
    fc.property(documents, transfers, (one, transfer) => {
      for (const entry of [...documentEntries(one), ...transferEntries(transfer)])
        expect(faultsOf(entry.rows)).toEqual([])
      const rows = documentEntries(one).flatMap((entry) => entry.rows)
      const {
        sales = 0n,
        vat_payable = 0n,
        clearing = 0n,
      } = balances(
        rows.filter(({ entry }) => entry.startsWith('sale:')),
        ({ account }) => account,
      )
      expect(clearing).toBe(-(sales + vat_payable))
    }),
  )
})
