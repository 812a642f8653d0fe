import { describe, expect, test } from 'bun:test'
import { owedUsdcBase } from '../../../src/domain/invoices/balance.ts'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { fromRequest } from '../../../src/domain/invoices/request.ts'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { costMinor, invoiceRequest } from '../../../src/domain/purchases/order.ts'
import { candidateOf } from '../../../src/domain/settlement/candidate.ts'
import { judge } from '../../../src/domain/settlement/claim.ts'

const fx = { rates: { EUR: '1.08', JPY: '0.0065' }, source: 'test', asOf: '2026-01-01T00:00:00Z' }
const rates = { day: '2026-05-01', fx, taxTable: builtIn }
const payTo = `0x${'5e'.repeat(20)}`
const nobody = { name: null, email: null, address: null, vat: null }
const wanted = {
  method: 'GET',
  url: new URL('https://api.example.com/report?key=1'),
  description: null,
  buyer: nobody,
  country: 'DE',
  agentId: 'agent-7',
  mandateId: null,
  poNumber: null,
} as const
const option = { network: 'base', payTo, usdcBase: 10_000n } as const
const payee = { payTo, usdcAddress: '0x', reference: '0x' }
const terms = fromRequest(invoiceRequest(wanted, option, null), payee, rates)

describe('the invoice of a purchase', () => {
  test('is due the price as it is, with tax on top for the books', () => {
    expect(terms.dueUsdcBase).toBe(10_000n)
    expect(terms.tax).toEqual({ countryCode: 'DE', rateBasisPoints: 1_900, taxUnits: 1_900n })
    expect(terms.totalUnits).toBe(11_900n)
  })

  test('says what was bought where, and keeps the query to its metadata', () => {
    expect(terms.description).toBe('GET https://api.example.com/report')
    expect(terms.seller).toEqual({ ...nobody, name: 'api.example.com', wallet: payTo })
    expect(JSON.parse(terms.metadata ?? '')).toEqual({
      x402: { method: 'GET', url: wanted.url.href },
    })
  })

  test('has the number of the purchase order, which metadata alone does not make one', () => {
    const ordered = fromRequest(
      invoiceRequest({ ...wanted, poNumber: 'PO-7' }, option, null),
      payee,
      rates,
    )
    expect([ordered.poNumber, terms.poNumber]).toEqual(['PO-7', undefined])
    const { purchase: _, ...sale } = invoiceRequest({ ...wanted, poNumber: 'PO-7' }, option, null)
    expect(sale.metadata).toContain('"poNumber":"PO-7"')
    expect(fromRequest(sale, payee, rates)).not.toHaveProperty('poNumber')
  })

  test('is paid by no transfer to an address of ours, whatever it names', () => {
    const at = new Date('2026-05-01T12:00:00Z')
    const id = Bun.randomUUIDv7()
    const events = decide(undefined, { kind: 'create', id, accountId: id, terms }, at)
    const invoice = evolve(undefined, events, at) as Invoice.Invoice
    expect(owedUsdcBase(invoice)).toBeNull()
    expect(candidateOf(invoice).acceptsPayment).toBe(false)
    expect(() => judge(invoice, [], payTo)).toThrow(
      expect.objectContaining({ reason: 'invalid_state' }),
    )
  })
})

describe('what it costs a budget', () => {
  test.each([
    ['USDC', 1n, 1n],
    ['USD', 10_000n, 1n],
    ['USD', 10_001n, 2n],
    ['USD', 1n, 1n],
    ['EUR', 1_080_000n, 100n],
    ['EUR', 1_080_001n, 101n],
    ['JPY', 1_000_000n, 154n],
  ])('in %s, %p base units are %p, fractions rounded up', (currency, usdcBase, minor) => {
    expect(costMinor(usdcBase, currency, fx)).toBe(minor)
  })

  test('invalid_request for a currency without a rate', () => {
    expect(() => costMinor(1n, 'PLN', fx)).toThrow(
      expect.objectContaining({ reason: 'invalid_request' }),
    )
  })
})
