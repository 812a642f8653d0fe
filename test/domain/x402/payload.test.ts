import { expect, test } from 'bun:test'
import { findPayload } from '../../../src/domain/x402/payload.ts'

const none = { paymentSignature: null, xPayment: null, bodyPayment: undefined }
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const transfer = { txHash: '0x1', signature: '0x2', payer: `0x${'33'.repeat(20)}` }
const v2 = { x402Version: 2, accepted: { scheme: 'exact', network: 'eip155:8453' }, payload: {} }
const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: {} }

test.each([
  ['of version 2', v2, { kind: 'signed', network: 'eip155:8453' }],
  ['of version 1', v1, { kind: 'signed', network: 'base', accepted: null }],
  ['of a transfer', transfer, { kind: 'transfer', txHash: '0x1' }],
])('a payment %s is read from JSON, from base64 and from an object', (_, value, read) => {
  for (const bodyPayment of [value, JSON.stringify(value), base64(value)])
    expect(findPayload({ ...none, bodyPayment })).toMatchObject(read)
})

test('PAYMENT-SIGNATURE goes before X-PAYMENT, and that before the body', () => {
  const bodyPayment = base64(transfer)
  const all = { paymentSignature: base64(v2), xPayment: base64(v1), bodyPayment }
  expect(findPayload(all)).toMatchObject({ network: 'eip155:8453' })
  expect(findPayload({ ...all, paymentSignature: null })).toMatchObject({ network: 'base' })
  expect(findPayload({ ...none, bodyPayment })).toMatchObject({ kind: 'transfer' })
  expect(findPayload(none)).toBeNull()
})

test.each([
  ...['', '!', '{', '[]', 'W10=', 'bnVsbA=='],
  { ...transfer, txHash: 5 },
  { ...v1, scheme: 'upto' },
  { ...v2, payload: 1 },
])('what is no payment is unreadable: %p', (bodyPayment) => {
  expect(findPayload({ ...none, bodyPayment })).toMatchObject({ kind: 'unreadable' })
})

test.each([
  ['paymentSignature', v2, 'signed'],
  ['paymentSignature', { ...v2, x402Version: 1 }, 'unreadable'],
  ['paymentSignature', { ...v2, x402Version: '2' }, 'unreadable'],
  ['paymentSignature', v1, 'unreadable'],
  ['xPayment', v1, 'signed'],
  ['xPayment', v2, 'unreadable'],
  ['xPayment', { ...v1, x402Version: undefined }, 'unreadable'],
  ['xPayment', transfer, 'transfer'],
  ['bodyPayment', v2, 'signed'],
  ['bodyPayment', v1, 'signed'],
  ['bodyPayment', { ...v1, x402Version: 3 }, 'unreadable'],
])('in %s, %p is %s: its x402Version must be what its place means', (place, value, kind) => {
  const found = findPayload({ ...none, [place]: base64(value) })
  const problem = {
    problem: expect.stringContaining('it is 2 in PAYMENT-SIGNATURE, 1 in X-PAYMENT'),
  }
  expect(found).toMatchObject({ kind, ...(kind === 'unreadable' && problem) } as never)
})
