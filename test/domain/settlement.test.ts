import { describe, expect, test } from 'bun:test'
import { type Candidate, type Incoming, match } from '../../src/domain/settlement.ts'

function candidate(over: Partial<Candidate> = {}): Candidate {
  return {
    invoiceId: 'a1',
    accountId: 'A',
    chain: 'base',
    payTo: '0xaa',
    dueUsdcBase: 100n,
    receivedUsdcBase: 0n,
    createdAtMs: 1_000,
    payer: null,
    claims: [],
    acceptsPayment: true,
    isOpen: true,
    ...over,
  }
}

function transfer(over: Partial<Incoming> = {}): Incoming {
  return {
    key: 't1',
    txHash: '0x01',
    from: '0xee',
    to: '0xaa',
    usdcBase: 100n,
    blockTimeMs: 2_000,
    namedInvoiceIds: [],
    ...over,
  }
}

const byAmount = { key: 't1', invoiceId: 'a1', matchedBy: 'amount' } as const
const byReference = { key: 't1', invoiceId: 'a1', matchedBy: 'reference' } as const
const unmatched = { key: 't1', heldAs: 'unmatched' } as const
const ambiguous = { key: 't1', heldAs: 'ambiguous' } as const

describe('the amount rule', () => {
  test('credits the one open invoice that is due exactly this', () => {
    expect(match('base', [transfer()], [candidate()])).toEqual([byAmount])
  })

  test('takes the oldest of one account', () => {
    const newer = candidate({ invoiceId: 'a2', createdAtMs: 1_500 })
    expect(match('base', [transfer()], [newer, candidate()])).toEqual([byAmount])
  })

  test('never gives a payment to one of two accounts: it is held as ambiguous', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
    expect(match('base', [transfer()], [candidate(), stranger])).toEqual([ambiguous])
  })

  test('an expired invoice counts only where no open one does, and makes nobody else’s payment ambiguous', () => {
    const expired = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1, isOpen: false })
    expect(match('base', [transfer()], [expired, candidate()])).toEqual([byAmount])
    expect(match('base', [transfer()], [expired])).toEqual([{ ...byAmount, invoiceId: 'b1' }])
  })

  test('never counts an invoice made at or after the block', () => {
    expect(match('base', [transfer()], [candidate({ createdAtMs: 2_000 })])).toEqual([unmatched])
    const sniper = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 2_001 })
    expect(match('base', [transfer()], [candidate(), sniper])).toEqual([byAmount])
  })

  test.each([
    ['one unit short', { usdcBase: 99n }, {}],
    ['one unit over', { usdcBase: 101n }, {}],
    ['another address', { to: '0xbb' }, {}],
    ['another chain', {}, { chain: 'polygon' }],
    ['a closed invoice', {}, { acceptsPayment: false }],
    ['an invoice that has received something', {}, { receivedUsdcBase: 1n }],
  ])('%s matches nothing', (_, over, of) => {
    expect(match('base', [transfer(over)], [candidate(of)])).toEqual([unmatched])
  })

  test('two transfers pay two invoices, a third none', () => {
    const two = [candidate(), candidate({ invoiceId: 'a2', createdAtMs: 1_500 })]
    const three = ['t1', 't2', 't3'].map((key) => transfer({ key }))
    expect(match('base', three, two)).toEqual([
      byAmount,
      { key: 't2', invoiceId: 'a2', matchedBy: 'amount' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })
})

describe('the reference rule', () => {
  const named = transfer({ namedInvoiceIds: ['a1'] })

  test('credits the named invoice, whatever the amount and whoever else is due the same', () => {
    const stranger = candidate({ invoiceId: 'b1', accountId: 'B', createdAtMs: 1 })
    expect(match('base', [named], [candidate(), stranger])).toEqual([byReference])
    expect(match('base', [{ ...named, usdcBase: 7n }], [candidate()])).toEqual([{ ...byReference }])
  })

  test('adds up until the invoice is covered; what comes after is unmatched', () => {
    const parts = ['t1', 't2', 't3'].map((key) =>
      transfer({ key, usdcBase: 50n, namedInvoiceIds: ['a1'] }),
    )
    expect(match('base', parts, [candidate()])).toEqual([
      byReference,
      { ...byReference, key: 't2' },
      { key: 't3', heldAs: 'unmatched' },
    ])
  })

  test('a transfer that names an invoice never falls to the amount rule', () => {
    const closed = candidate({ invoiceId: 'b1', accountId: 'B', acceptsPayment: false })
    const naming = transfer({ namedInvoiceIds: ['b1'] })
    expect(match('base', [naming], [candidate(), closed])).toEqual([unmatched])
    expect(match('base', [transfer({ namedInvoiceIds: ['unknown'] })], [candidate()])).toEqual([
      unmatched,
    ])
  })

  test('two different names are ambiguous, the same name twice is one', () => {
    const other = candidate({ invoiceId: 'a2' })
    expect(
      match('base', [transfer({ namedInvoiceIds: ['a1', 'a2'] })], [candidate(), other]),
    ).toEqual([ambiguous])
    expect(match('base', [transfer({ namedInvoiceIds: ['a1', 'a1'] })], [candidate()])).toEqual([
      byReference,
    ])
  })

  test('an invoice taken by reference is no longer there for the amount rule', () => {
    expect(match('base', [named, transfer({ key: 't2' })], [candidate()])).toEqual([
      byReference,
      { key: 't2', heldAs: 'unmatched' },
    ])
  })
})
