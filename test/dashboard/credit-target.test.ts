import { expect, test } from 'bun:test'
import { type CreditTarget, targetText } from '../../src/dashboard/credit-target.ts'

const target: CreditTarget = {
  id: '018f4e9a-7d3b-7c11-9f2a-3b5c7d9e1f20',
  isOwn: false,
  invoiceNumber: 'INV-2026-0001',
  status: 'sent',
  statusDetail: 'sent',
  isPurchase: false,
  takesPayment: true,
  accepting: true,
  isHeld: false,
  held: [],
  isExpired: false,
  isLate: false,
  sellerName: 'Ada Example',
  sellerAddress: null,
  sellerVat: null,
  sellerEmail: null,
  sellerWebsite: null,
  sellerLogo: null,
  description: null,
  currency: 'USDC',
  total: '2700.00',
  tax: null,
  credited: null,
  fx: null,
  createdAt: '2026-05-01T12:00:00.000Z',
  dueAt: null,
  chain: 'base',
  paymentAddress: '0x00000000000000000000000000000000000000aa',
  usdcAddress: '0x00000000000000000000000000000000000000bb',
  hasOwnAddress: false,
  reference: `0x${'5e'.repeat(32)}`,
  needsReference: false,
  amountDue: '2700.00',
  amountReceived: '0.00',
  amountRemaining: '2700.00',
  amountAsked: '2700.00',
  overpaidAmount: null,
  paymentUri: null,
  qr: null,
  txHash: null,
  receiptId: null,
}

test('before a credit, the text names the seller, since accounts have the same numbers', () => {
  const other = { ...target, isOwn: true, sellerName: 'Grace Example' }
  expect(targetText(target, '2700.00')).toBe(' to Ada Example, due 2,700.00 USDC')
  expect(targetText(other, '2700.00')).toBe(
    ' to Grace Example, in your own account, due 2,700.00 USDC',
  )
  expect(targetText({ ...other, sellerName: null }, '2700.00')).toBe(
    ', in your own account, due 2,700.00 USDC',
  )
})

test('a partial or excessive credit is named as such', () => {
  const [part, more] = ['1700.5', '2700.000001'].map((credited) => targetText(target, credited))
  expect(part).toContain('due 2,700.00 USDC (a partial payment: 999.50 USDC would remain)')
  expect(more).toContain('due 2,700.00 USDC (the transfer is 0.000001 USDC more)')
})

test('an invoice that takes no payment has no amount due', () => {
  const closed = { ...target, takesPayment: false }
  const texts = [
    { ...closed, status: 'failed', statusDetail: 'void' as const },
    { ...closed, isPurchase: true },
    { ...closed, status: 'settled', statusDetail: 'settled' as const, amountRemaining: null },
  ].map((one) => targetText(one, '2700.00'))
  expect(texts).toEqual([
    ' to Ada Example, voided',
    ' to Ada Example, paid through the x402 proxy, not here',
    ' to Ada Example, paid',
  ])
})
