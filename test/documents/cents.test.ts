import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { documentOf } from '../../src/documents/pdf/invoice-document.ts'
import { english } from '../../src/documents/words/english.ts'
import { ciiOf } from '../../src/documents/xml/cii.ts'
import { eInvoiceOf } from '../../src/documents/xml/einvoice.ts'
import { ublOf } from '../../src/documents/xml/ubl.ts'
import { amountsOf } from '../../src/domain/invoices/figures.ts'
import { fromRequest, type Request } from '../../src/domain/invoices/request.ts'
import type { Form, Terms } from '../../src/domain/invoices/terms.ts'
import { toJson } from '../../src/domain/invoices/view.ts'
import { currencies, isDollar } from '../../src/domain/money/currency.ts'
import { decimalsOf, minorScale, rateScale, usdcScale } from '../../src/domain/money/money.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'
import { after } from '../support/invoice.ts'
import { parseXml, textsAt } from '../support/xml.ts'

const nobody = { name: null, email: null, address: null, vat: null }
const payee = { payTo: '0xaa', usdcAddress: '0xbb', reference: '0x00' }
const anywhere = 10n ** 12n

function termsOf(
  request: Pick<Request, 'form' | 'amountSource' | 'currency' | 'country'>,
  rate: string,
) {
  const rest = { chain: 'base', buyer: nobody, seller: { ...nobody, wallet: null } } as const
  const unsaid = { description: null, agentId: null, mandateId: null, payer: null, dueAt: null }
  const fx = { rates: { [request.currency]: rate }, source: 'ECB', asOf: '2026-05-01' }
  const rates = { day: '2026-05-01', fx, taxTable: builtIn }
  return fromRequest({ ...request, ...rest, ...unsaid, metadata: null }, payee, rates)
}

/** In units of 12 decimals. */
function exact(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.replaceAll(',', '').split('.')
  return BigInt(whole + fraction.padEnd(12, '0'))
}

function unitsAt(scale: number): bigint {
  return 10n ** BigInt(12 - scale)
}

/** Rounded half up to a multiple of `unit`. */
function rounded(units: bigint, unit: bigint): bigint {
  return ((units + unit / 2n) / unit) * unit
}

const microUnits = fc.bigInt({ min: 1_000_000n, max: 1_500_000_000n })
const requests = fc.record({
  currency: fc.constantFrom(...currencies),
  country: fc.constantFrom(null, ...builtIn.keys()),
  form: fc.constantFrom<Form>('api', 'v1'),
  micro: microUnits,
  places: fc.integer({ min: 0, max: 6 }),
  rateUnits: fc.bigInt({ min: 1_000n, max: 4n * 10n ** 9n }),
})

type Wish = typeof requests extends fc.Arbitrary<infer T> ? T : never

function made({ currency, country, form, micro, places, rateUnits }: Wish) {
  const unit = 10n ** BigInt(usdcScale - places)
  const whole = rounded(micro, unit)
  const amountSource =
    form === 'api'
      ? `${micro}`
      : `"${whole / 10n ** 6n}.${`${whole % 10n ** 6n}`.padStart(6, '0')}"`
  const rate = `${rateUnits / 10n ** 9n}.${`${rateUnits % 10n ** 9n}`.padStart(rateScale, '0')}`
  return { terms: termsOf({ form, amountSource, currency, country }, rate), rate: exact(rate) }
}

test('every ISO 4217 currency: tax and total have its decimals, or those of the amount', () => {
  fc.assert(
    fc.property(requests, (wish) => {
      const { terms } = made(wish)
      const { subtotal, taxAmount, total } = amountsOf(terms, 'v1')
      const scale = Math.max(
        minorScale(terms.currency),
        decimalsOf(terms.subtotalUnits, terms.scale),
      )
      expect(terms.scale).toBe(scale)
      const exactTax = (exact(subtotal) * BigInt(terms.tax.rateBasisPoints ?? 0)) / 10_000n
      expect(exact(taxAmount)).toBe(rounded(exactTax, unitsAt(scale)))
      expect(exact(total)).toBe(exact(subtotal) + exact(taxAmount))
    }),
    { numRuns: 2_000 },
  )
})

test('every ISO 4217 currency: what is converted is due in whole cents, below 1 USDC in millionths', () => {
  fc.assert(
    fc.property(requests, (wish) => {
      const { terms, rate } = made(wish)
      const due = terms.dueUsdcBase * unitsAt(usdcScale)
      const total = exact(amountsOf(terms, 'v1').total)
      if (isDollar(terms.currency)) return expect(due).toBe(total)
      const cents = unitsAt(2)
      const value = total * rate
      const unit = value < anywhere * anywhere ? unitsAt(usdcScale) : cents
      expect(due).toBe(rounded(value, unit * anywhere) / anywhere)
    }),
    { numRuns: 2_000 },
  )
})

test('every ISO 4217 currency: the API, the PDF, UBL and CII state the same figures, and the sums of EN 16931 add up', () => {
  fc.assert(
    fc.property(requests, (wish) => {
      const { terms } = made(wish)
      const invoice = after([], terms)
      const figures = amountsOf(terms, 'v1')
      const { amountDue } = JSON.parse(toJson(invoice, 'v1')).paymentDetails
      const { totals, total, items, payment } = documentOf(invoice, english)
      const printed = [items[0]?.amount ?? '', ...totals.map(({ value }) => value), total.value]
      expect(printed.map((text) => exact(text.replace(/ .*/, '')))).toEqual(
        [figures.subtotal, figures.subtotal, figures.taxAmount, figures.total].map(exact),
      )
      expect(exact(/Pay (\S+) USDC/.exec(payment?.heading ?? '')?.[1] ?? '')).toBe(exact(amountDue))
      statesInCents(terms)
    }),
    { numRuns: 500 },
  )
})

/** The XML has cents: those of the figures, and the difference of their sum as its rounding. */
function statesInCents(terms: Terms): void {
  const stated = eInvoiceOf(after([], terms))
  const { net, tax, gross, prepaid, rounding, payable } = stated.sums
  const { subtotal, taxAmount, total } = amountsOf(terms, 'v1')
  const cents = [subtotal, taxAmount, total].map((text) => rounded(exact(text), unitsAt(2)))
  expect([net, tax, payable].map(exact)).toEqual(cents)
  expect(exact(gross)).toBe(exact(net) + exact(tax))
  const sign = rounding?.startsWith('-') ? -1n : 1n
  const difference = rounding === null ? 0n : sign * exact(rounding.replace('-', ''))
  expect([prepaid, exact(payable)]).toEqual([null, exact(gross) + difference])
  const [ubl, cii] = [parseXml(ublOf(stated)), parseXml(ciiOf(stated))]
  const monetary = (leaf: string) => textsAt(ubl, 'cac:LegalMonetaryTotal', leaf)
  const trade = ['rsm:SupplyChainTradeTransaction', 'ram:ApplicableHeaderTradeSettlement']
  const sums = [...trade, 'ram:SpecifiedTradeSettlementHeaderMonetarySummation']
  const leaf = (name: string) => textsAt(cii, ...sums, name)
  expect(monetary('cbc:TaxExclusiveAmount')).toEqual([net])
  expect(leaf('ram:TaxBasisTotalAmount')).toEqual([net])
  expect(textsAt(ubl, 'cac:TaxTotal', 'cbc:TaxAmount')).toEqual([tax])
  expect(leaf('ram:TaxTotalAmount')).toEqual([tax])
  expect(monetary('cbc:TaxInclusiveAmount')).toEqual([gross])
  expect(leaf('ram:GrandTotalAmount')).toEqual([gross])
  expect(monetary('cbc:PayableAmount')).toEqual([payable])
  expect(leaf('ram:DuePayableAmount')).toEqual([payable])
}

test.each<[Form, string, string, string, string, string]>([
  ['v1', '309.01', 'EUR', '58.71', '367.72', '367.72'],
  ['v1', '12.345', 'EUR', '2.346', '14.691', '14.69'],
  ['v1', '"12.3400"', 'EUR', '2.34', '14.68', '14.68'],
  ['v1', '12.345', 'USD', '2.346', '14.691', '14.691'],
  ['v1', '10.55', 'USD', '2', '12.55', '12.55'],
  ['v1', '1001', 'JPY', '190', '1191', '1191.00'],
  ['v1', '1.001', 'KWD', '0.19', '1.191', '1.19'],
  ['v1', '12.345678', 'USDC', '2.345679', '14.691357', '14.691357'],
  ['v1', '0.33', 'EUR', '0.06', '0.39', '0.39'],
  ['api', '1000', 'EUR', '1.9', '11.9', '11.90'],
])(
  '%s: 19 % of %s %s is %s, together %s, due %s USDC at 1 to 1',
  (form, amountSource, currency, tax, total, due) => {
    const terms = termsOf({ form, amountSource, currency, country: 'DE' }, '1')
    const { taxAmount, total: shown } = amountsOf(terms, 'v1')
    const { amountDue } = JSON.parse(toJson(after([], terms), 'v1')).paymentDetails
    expect([taxAmount, shown, amountDue]).toEqual([tax, total, due])
  },
)
