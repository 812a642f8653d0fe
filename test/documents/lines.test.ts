import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { documentOf } from '../../src/documents/pdf/invoice-document.ts'
import { english } from '../../src/documents/words/english.ts'
import { ciiOf } from '../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../src/documents/xml/ubl.ts'
import { amountsOf } from '../../src/domain/invoices/figures.ts'
import { breakdownOf, linesOf, type TaxCategory } from '../../src/domain/invoices/lines.ts'
import type { Terms } from '../../src/domain/invoices/terms.ts'
import { toDecimal } from '../../src/domain/money/money.ts'
import { readEInvoice, type Said } from '../support/e-invoice.ts'
import { brokenRules } from '../support/en16931.ts'
import { after } from '../support/invoice.ts'
import { linedTerms } from './lined.ts'

/** In units of 12 decimals, of what the API, the page or the XML says. */
function exact(decimal: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)([\d,]+)\.?(\d*)/.exec(decimal) ?? []
  return BigInt(`${sign}${whole.replaceAll(',', '')}${fraction.padEnd(12, '0')}`)
}

const cent = 10n ** 10n

function toCents(units: bigint): bigint {
  return ((units + cent / 2n) / cent) * cent
}

function sum(all: readonly bigint[]): bigint {
  return all.reduce((total, one) => total + one, 0n)
}

const decimals = (places: number, most: number) =>
  fc
    .record({
      units: fc.bigInt({ min: 1n, max: BigInt(most) * 10n ** BigInt(places) }),
      places: fc.constant(places),
    })
    .map(({ units, places: scale }) => toDecimal(units, scale))

const taxed: readonly TaxCategory[] = [
  'standard',
  'reduced',
  'zero',
  'exempt',
  'reverse_charge',
  'intra_community',
  'export',
]

const line = (categories: readonly TaxCategory[]) =>
  fc.record({
    quantity: fc.oneof(decimals(0, 100), decimals(6, 50)),
    unitPrice: fc.oneof(decimals(2, 10_000), decimals(12, 10)),
    unit: fc.constantFrom('C62', 'HUR', 'KGM', 'XPP'),
    category: fc.constantFrom(...categories),
  })

const invoices = fc.record({
  currency: fc.constantFrom('EUR', 'USD', 'USDC', 'JPY', 'KWD', 'PLN'),
  lines: fc.oneof(
    fc.array(line(taxed), { minLength: 1, maxLength: 12 }),
    fc.array(line(['outside_scope']), { minLength: 1, maxLength: 4 }),
  ),
})

test('the API, the page, UBL and CII state the same lines, taxes and totals, and the rules of EN 16931 hold', () => {
  fc.assert(
    fc.property(invoices, ({ currency, lines }) => {
      const terms = linedTerms(lines, { currency })
      if (terms.totalUnits === 0n) return
      const invoice = after([{ kind: 'send' }], terms)
      isOnPage(terms, documentOf(invoice, english))
      const stated = eInvoiceOf(invoice)
      const [ubl, cii] = [readEInvoice(ublOf(stated)), readEInvoice(ciiOf(stated))]
      expect(ubl).toEqual(cii)
      expect(brokenRules(ubl)).toEqual([])
      isInXml(terms, ubl)
    }),
    { numRuns: 400 },
  )
})

/** Exactly, figure by figure. */
function isOnPage(terms: Terms, { items, totals, total }: ReturnType<typeof documentOf>): void {
  const { scale } = terms
  const shown = (units: bigint) => exact(toDecimal(units, scale))
  const figures = amountsOf(terms, 'v1')
  expect(items.map(({ amount }) => exact(amount))).toEqual(
    linesOf(terms).map(({ netUnits }) => shown(netUnits)),
  )
  expect(items.map(({ unitPrice }) => exact(unitPrice))).toEqual(
    linesOf(terms).map(({ unitPrice }) => exact(unitPrice)),
  )
  expect(items.map(({ quantity }) => exact(quantity))).toEqual(
    linesOf(terms).map(({ quantity }) => exact(quantity)),
  )
  const [subtotal, ...taxes] = totals
  expect(exact(subtotal?.value ?? '')).toBe(exact(figures.subtotal))
  expect(taxes.map(({ value }) => exact(value))).toEqual(
    breakdownOf(terms).map(({ taxUnits }) => shown(taxUnits)),
  )
  expect(exact(total.value)).toBe(exact(figures.total))
}

/** Each line is rounded to cents; what the total differs by is the rounding amount. */
function isInXml(terms: Terms, { lines, breakdown, sums }: Said): void {
  const { scale } = terms
  const cents = (units: bigint) => toCents(exact(toDecimal(units, scale)))
  const of = (decimal: string | undefined) => exact(decimal ?? '0')
  const nets = linesOf(terms).map(({ netUnits }) => cents(netUnits))
  expect(lines.map(({ net }) => of(net))).toEqual(nets)
  expect(lines.map(({ quantity }) => of(quantity))).toEqual(
    linesOf(terms).map(({ quantity }) => exact(quantity)),
  )
  expect(of(sums.net)).toBe(sum(nets))
  if (scale <= 2)
    expect(breakdown.map(({ tax }) => of(tax))).toEqual(
      breakdownOf(terms).map(({ taxUnits }) => cents(taxUnits)),
    )
  expect(of(sums.payable)).toBe(cents(terms.totalUnits))
  if (scale <= 2) expect(sums.rounding).toBeUndefined()
}
