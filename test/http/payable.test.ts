import { expect, test } from 'bun:test'
import type { Command } from '../../src/domain/invoice.ts'
import { payableOf } from '../../src/http/pages/payable.ts'
import { after, payment, type terms } from '../support/invoice.ts'

const credit = (usdcBase: bigint): Command => ({
  kind: 'credit',
  payment: payment({ usdcBase, key: `base:0x01:${usdcBase}` }),
})
const confirm = (usdcBase: bigint): Command => ({
  kind: 'confirm',
  key: `base:0x01:${usdcBase}`,
  blockNumber: 8,
  from: payment().from,
  confirmations: 5,
  settlementId: '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21',
  receiptId: 'drs_1',
})
const passed = { dueAt: '2026-04-30T12:00:00.000Z' }

function shown(commands: readonly Command[], over: Parameters<typeof terms>[0] = {}) {
  const invoices = {
    find: async () => undefined,
    paymentUri: (_: unknown, usdcBase: bigint) => `pay:${usdcBase}`,
  }
  return payableOf(after(commands, over), invoices)
}

test('an open invoice is asked for whole', () => {
  expect(shown([])).toMatchObject({
    status: 'draft',
    amountDue: '12.50',
    amountReceived: '0.00',
    amountRemaining: '12.50',
    overpaidAmount: null,
    paymentUri: 'pay:12500000',
    qr: { side: expect.any(Number) },
    isExpired: false,
    hasOwnAddress: false,
  })
})

test('of one that is partly paid, only the rest is asked for', () => {
  expect(shown([credit(4_500_000n), confirm(4_500_000n)])).toMatchObject({
    status: 'draft',
    amountReceived: '4.50',
    amountRemaining: '8.00',
    paymentUri: 'pay:8000000',
  })
})

test('one that is covered asks for nothing, and says how much more has come', () => {
  const nothing = { amountRemaining: null, paymentUri: null, qr: null }
  expect(shown([credit(12_500_000n)])).toMatchObject({
    ...nothing,
    status: 'paid',
    overpaidAmount: null,
    receiptId: null,
  })
  expect(shown([credit(13_000_000n), confirm(13_000_000n)])).toMatchObject({
    ...nothing,
    status: 'settled',
    overpaidAmount: '0.50',
    txHash: '0x01',
    receiptId: 'drs_1',
    isLate: false,
  })
})

test('one past its due date can still be paid, and was then paid late', () => {
  const expired = shown([{ kind: 'expire' }], passed)
  expect(expired).toMatchObject({ status: 'failed', isExpired: true, paymentUri: 'pay:12500000' })
  const late = [{ kind: 'expire' } as const, credit(12_500_000n), confirm(12_500_000n)]
  expect(shown(late, passed)).toMatchObject({ status: 'settled', isExpired: false, isLate: true })
})

test('a void one, and one that is paid elsewhere, ask for nothing', () => {
  const isAsked = { paymentUri: null, qr: null }
  expect(shown([{ kind: 'void' }])).toMatchObject({
    ...isAsked,
    status: 'failed',
    isExpired: false,
  })
  expect(shown([], { isPurchase: true })).toMatchObject({ ...isAsked, status: 'draft' })
})
