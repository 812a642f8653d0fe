import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Amounts, amountsOf, numberOf } from '../../../src/domain/invoices/figures.ts'
import { fromRequest, type Request } from '../../../src/domain/invoices/request.ts'
import * as Table from '../../../src/domain/invoices/table.ts'
import type { Form, Terms } from '../../../src/domain/invoices/terms.ts'
import {
  createdData,
  eventData,
  toJson,
  toListed,
  toSummary,
} from '../../../src/domain/invoices/view.ts'
import { minorScale } from '../../../src/domain/money/money.ts'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { after, payment, terms } from '../../support/invoice.ts'
import { linedRequest, termsOf as termsOfRequest } from '../../support/lined.ts'

const nobody = { name: null, email: null, address: null, vat: null }
const fx = { rates: { JPY: '0.0066', KWD: '3.25' }, source: 'test', asOf: '2026-05-01' }
const payee = { payTo: '0xaa', usdcAddress: '0xbb', reference: '0x00' }

function termsOf(form: Form, amountSource: string, currency: string, country: string | null) {
  const wanted: Request = {
    form,
    amountSource,
    currency,
    country,
    chain: 'base',
    buyer: nobody,
    seller: { ...nobody, wallet: null },
    description: null,
    agentId: null,
    mandateId: null,
    payer: null,
    dueAt: null,
    metadata: null,
  }
  return fromRequest(wanted, payee, { day: '2026-05-01', fx, taxTable: builtIn })
}

describe('amounts', () => {
  test.each<[Form, string, string, string | null, Amounts, Amounts]>([
    [
      'api',
      '1000',
      'USD',
      'DE',
      { amount: '1000', subtotal: '1000', taxAmount: '190', total: '1190' },
      { amount: '10', subtotal: '10', taxAmount: '1.9', total: '11.9' },
    ],
    [
      'api',
      '1000',
      'JPY',
      'DE',
      { amount: '1000', subtotal: '1000', taxAmount: '190', total: '1190' },
      { amount: '1000', subtotal: '1000', taxAmount: '190', total: '1190' },
    ],
    [
      'api',
      '1005',
      'KWD',
      null,
      { amount: '1005', subtotal: '1005', taxAmount: '0', total: '1005' },
      { amount: '1.005', subtotal: '1.005', taxAmount: '0', total: '1.005' },
    ],
    [
      'api',
      '12500000',
      'USDC',
      null,
      { amount: '12500000', subtotal: '12500000', taxAmount: '0', total: '12500000' },
      { amount: '12.5', subtotal: '12.5', taxAmount: '0', total: '12.5' },
    ],
    [
      'v1',
      '"12.50"',
      'USD',
      'FI',
      { amount: '1250', subtotal: '1250', taxAmount: '319', total: '1569' },
      { amount: '"12.50"', subtotal: '12.5', taxAmount: '3.19', total: '15.69' },
    ],
    [
      'v1',
      '0.005',
      'USD',
      'GB',
      { amount: '1', subtotal: '1', taxAmount: '0', total: '1' },
      { amount: '0.005', subtotal: '0.005', taxAmount: '0.001', total: '0.006' },
    ],
  ])(
    'of an invoice made in %s over %s %s with the tax of %s, in both families',
    (form, amount, currency, country, api, v1) => {
      const made = termsOf(form, amount, currency, country)
      expect([amountsOf(made, 'api'), amountsOf(made, 'v1')]).toEqual([api, v1])
    },
  )

  const unitsUpTo = (most: bigint) => fc.bigInt({ min: 1n, max: most })
  const countries = fc.constantFrom('DE', 'FI', 'FR', null)

  test('made in minor units read exactly in decimals', () => {
    const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'USDC')
    fc.assert(
      fc.property(unitsUpTo(10n ** 9n), currencies, countries, (amount, currency, country) => {
        const made = termsOf('api', `${amount}`, currency, country)
        const [api, v1] = [amountsOf(made, 'api'), amountsOf(made, 'v1')]
        for (const name of ['amount', 'subtotal', 'taxAmount', 'total'] as const) {
          expect(minorOf(v1[name], currency)).toBe(api[name])
        }
        expect(api.amount).toBe(`${amount}`)
      }),
    )
  })

  test('made in decimals are at most half a minor unit off in the other family, and add up', () => {
    fc.assert(
      fc.property(unitsUpTo(10n ** 12n), countries, (micro, country) => {
        const made = termsOf('v1', `${micro}e-6`, 'USD', country)
        const { subtotal, taxAmount, total } = amountsOf(made, 'api')
        for (const [shown, exact] of [
          [subtotal, made.subtotalUnits],
          [taxAmount, made.tax.taxUnits],
        ] as const) {
          const minor = 10n ** BigInt(made.scale - 2)
          const offTwice = 2n * (BigInt(shown) * minor - exact)
          expect(offTwice <= minor && offTwice > -minor).toBe(true)
        }
        expect(BigInt(subtotal) + BigInt(taxAmount)).toBe(BigInt(total))
      }),
    )
  })

  /** The minor units of a decimal text. */
  function minorOf(decimal: string, currency: string): string {
    const [whole, fraction = ''] = decimal.split('.')
    return `${BigInt(`${whole}${fraction.padEnd(minorScale(currency), '0')}`)}`
  }
})

describe('a request in minor units', () => {
  test.each(['0', '-1', '0.1', '10.5', '"1000"', '1e-1', 'true', '[1000]', '9007199254740992'])(
    'is refused over %s',
    (amount) => {
      expect(() => termsOf('api', amount, 'USD', null)).toThrow(
        expect.objectContaining({ reason: 'invalid_amount' }),
      )
    },
  )

  test('is repeated as the integer it is, however that was written', () => {
    const { submittedAmount, subtotalUnits } = termsOf('api', '1e3', 'USD', null)
    expect([submittedAmount, subtotalUnits]).toEqual(['1000', 1_000n])
  })

  test('is due on chain in USDC, whatever a minor unit is', () => {
    const due = (amount: string, currency: string) =>
      termsOf('api', amount, currency, null).dueUsdcBase
    expect([
      due('1000', 'USD'),
      due('1000', 'JPY'),
      due('1000', 'KWD'),
      due('1000', 'USDC'),
    ]).toEqual([10_000_000n, 6_600_000n, 3_250_000n, 1_000n])
  })
})

describe('an invoice', () => {
  const apiTerms: Partial<Terms> = {
    form: 'api',
    currency: 'USD',
    scale: 2,
    submittedAmount: '1250',
    subtotalUnits: 1_250n,
    tax: { countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 238n },
    totalUnits: 1_488n,
  }

  test('names its tax twice in the /api families, and once in /v1', () => {
    const invoice = after([], apiTerms)
    expect(JSON.parse(toJson(invoice, 'api'))).toMatchObject({ tax: 238, taxAmount: 238 })
    expect(JSON.parse(toJson(invoice, 'v1'))).not.toHaveProperty('tax')
  })

  test('in a list of the /api families is a summary', () => {
    const invoice = after([], apiTerms)
    expect(JSON.parse(toSummary(invoice))).toEqual({
      id: 'inv',
      invoiceNumber: 'INV-2026-0001',
      status: 'draft',
      statusDetail: 'draft',
      kind: 'sale',
      amount: 1_250,
      currency: 'USD',
      total: 1_488,
      buyer: { companyName: 'Buyer', email: 'buyer@example.com' },
      counterparty: { name: 'Buyer', wallet: null },
      createdAt: '2026-05-01T12:00:00.000Z',
    })
  })

  test('says in the /api families which failure it was, and that a part has come; /v1 has no such word', () => {
    const part = { kind: 'credit', payment: payment({ usdcBase: 1n }) } as const
    const expired = { kind: 'expire' } as const
    const dueAt = '2026-04-30T12:00:00.000Z'
    const detailsOf = (...commands: Parameters<typeof after>[0]) => {
      const invoice = after(commands, { dueAt })
      const texts = [toSummary(invoice), toJson(invoice, 'api')]
      return texts.map((text) => JSON.parse(text).statusDetail)
    }
    const both = (word: string) => [word, word]
    expect(detailsOf()).toEqual(both('draft'))
    expect(detailsOf({ kind: 'send' })).toEqual(both('sent'))
    expect(detailsOf(part)).toEqual(both('partly_paid'))
    expect(detailsOf({ kind: 'send' }, part)).toEqual(both('partly_paid'))
    expect(detailsOf({ kind: 'credit', payment: payment() })).toEqual(both('paid'))
    expect(detailsOf({ kind: 'void' })).toEqual(both('void'))
    expect(detailsOf(expired)).toEqual(both('expired'))
    expect(detailsOf(part, expired)).toEqual(both('expired'))
    expect(JSON.parse(toJson(after([]), 'v1'))).not.toHaveProperty('statusDetail')
  })

  test('of what is bought through the proxy says so, in answers, lists, exports and events', () => {
    const invoice = after([], { isPurchase: true })
    expect(JSON.parse(toJson(invoice, 'v1')).kind).toBe('purchase')
    expect(JSON.parse(toSummary(invoice)).kind).toBe('purchase')
    expect(Table.row(invoice, 'api')[Table.header.indexOf('kind')]).toBe('purchase')
    const sent = JSON.parse(eventData({ type: 'invoice.sent' }, invoice) ?? '')
    expect(sent.kind).toBe('purchase')
  })

  test('shows its lines where it is whole: in answers and in invoice.created, not in lists', () => {
    const lined = after([], termsOfRequest(linedRequest([{}, { category: 'reduced' }])))
    const created = createdData(lined)
    const texts = [toJson(lined, 'api'), toJson(lined, 'v1'), created]
    for (const text of texts) {
      const { lines, taxBreakdown } = JSON.parse(text)
      expect([lines.length, taxBreakdown.length]).toEqual([2, 2])
    }
    for (const text of [toSummary(lined), toListed(lined, true)])
      expect(text).not.toMatch(/"lines"|"taxBreakdown"/)
    const cell = (name: string) => Table.row(lined, 'api')[Table.header.indexOf(name)]
    expect([cell('taxRate'), cell('amount'), cell('taxAmount')]).toEqual([null, '20000', '2600'])
  })

  test('has a number of at least four digits, and five after 9999', () => {
    const numbers = [1, 9_999, 10_000].map((number) => numberOf({ ...after([]), number }, 'api'))
    expect(numbers).toEqual(['INV-2026-0001', 'INV-2026-9999', 'INV-2026-10000'])
  })
})

describe('a row of an export', () => {
  const cells = (invoice: Parameters<typeof Table.row>[0], form: Form) => {
    const row = Table.row(invoice, form)
    return Object.fromEntries(Table.header.map((name, at) => [name, row[at] ?? null]))
  }

  test('has a cell for every column, in the figures of its family', () => {
    const invoice = after([], { form: 'v1', currency: 'USD', submittedAmount: '"12.50"' })
    expect(cells(invoice, 'v1')).toMatchObject({
      invoiceNumber: '1',
      status: 'PENDING',
      amount: '12.5',
      total: '12.5',
      taxRate: '0',
      txHash: null,
    })
    expect(cells(invoice, 'api')).toMatchObject({
      invoiceNumber: 'INV-2026-0001',
      status: 'draft',
      amount: '1250',
      total: '1250',
    })
  })

  const confirm = {
    kind: 'confirm',
    key: payment().key,
    blockNumber: 7,
    from: payment().from,
    confirmations: 5,
    settlementId: 'stl',
    receiptId: 'drs',
  } as const

  test('says what was received, and how it was settled', () => {
    const settled = after([{ kind: 'credit', payment: payment() }, confirm], terms())
    expect(cells(settled, 'api')).toMatchObject({
      status: 'settled',
      amountDue: '12.50',
      amountReceived: '12.50',
      overpaidAmount: null,
      txHash: '0x01',
      settledAt: '2026-05-01T12:00:00.000Z',
      receiptId: 'drs',
    })
  })

  test('says in its last column what was received beyond what was due, as the invoice does', () => {
    const credit = { kind: 'credit', payment: payment({ usdcBase: 12_600_000n }) } as const
    const seen = after([credit], terms())
    const settled = after([credit, confirm], terms())
    expect(Table.header.at(-1)).toBe('overpaidAmount')
    expect([seen, settled].map((one) => Table.row(one, 'api').at(-1))).toEqual([null, '0.10'])
    expect(JSON.parse(toJson(settled, 'api')).paymentDetails.overpaidAmount).toBe('0.10')
  })
})
