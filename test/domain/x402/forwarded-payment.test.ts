import { describe, expect, test } from 'bun:test'
import {
  type ReadTransfer,
  readForwarded,
  requirementsPaid,
} from '../../../src/domain/x402/forwarded-payment.ts'
import type { Token } from '../../../src/domain/x402/requirements.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const tokens: readonly Token[] = [
  {
    network: 'base',
    names: ['eip155:8453', 'base'],
    usdcAddress: usdc,
    domain: { name: 'USD Coin', version: '2' },
  },
  { network: 'solana', names: ['solana'], usdcAddress: 'the mint', domain: null },
]
const payTo = `0x${'5e'.repeat(20)}`
const from = `0x${'AA'.repeat(20)}`
const nonce = `0x${'B1'.repeat(32)}`
const authorization = {
  from,
  to: payTo,
  value: '10000',
  validAfter: '0',
  validBefore: '1800000000',
  nonce,
}
const accepted = { scheme: 'exact', network: 'eip155:8453', asset: usdc, amount: '10000', payTo }
const v2 = { x402Version: 2, accepted, payload: { signature: '0x', authorization } }
const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: v2.payload }
const transfer = { txHash: `0x${'AB'.repeat(32)}`, signature: '0x5e', payer: from }
const seller = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
/** Reads transactions written as the amount that they move to the seller. */
const readTransfer: ReadTransfer = (text) =>
  /^\d+$/.test(text)
    ? { payer: 'P', nonce: '5e', usdcBase: BigInt(text), isTo: (wallet) => wallet === seller }
    : null
const read = (value: object) => readForwarded(value as never, 'X-PAYMENT', tokens, readTransfer)
const onSolana = (transaction: unknown, says: object = {}) => ({
  x402Version: 2,
  accepted: {
    ...{ scheme: 'exact', network: 'solana', asset: 'the mint', amount: '10000', payTo: seller },
    ...says,
  },
  payload: { transaction },
})
const permit2Authorization = {
  from,
  permitted: { token: usdc, amount: '10000' },
  spender: payTo,
  nonce: '7',
  deadline: '1800000000',
  witness: { to: payTo, validAfter: '0' },
}
const permit = (over: object = {}) => ({
  ...v2,
  payload: { signature: '0x', permit2Authorization: { ...permit2Authorization, ...over } },
})

describe('a payment is known', () => {
  test('by payer and nonce of its authorization, in both versions', () => {
    const payment = {
      key: `eip3009:base:${from.toLowerCase()}:${nonce.toLowerCase()}`,
      requirements: { network: 'base', payTo, usdcBase: 10_000n },
      kind: 'eip3009',
      nonce: nonce.toLowerCase(),
      transfer: null,
      payer: from.toLowerCase(),
      validBeforeMs: 1_800_000_000_000,
      made: null,
    }
    expect(read(v2)).toEqual(payment as never)
    expect(read(v1)).toEqual(payment as never)
  })

  test('by its transaction and who sent it where it has been made', () => {
    const txHash = transfer.txHash.toLowerCase()
    const payer = from.toLowerCase()
    expect(read(transfer)).toEqual({
      key: `transfer:${txHash}:${payer}`,
      kind: 'made',
      requirements: null,
      nonce: null,
      transfer: null,
      payer,
      validBeforeMs: null,
      made: { txHash, signature: transfer.signature },
    })
  })

  test('by its hash where only its upstream can read it; then it pays what it says', () => {
    const one = read({ ...v2, payload: { delegation: 'AQ' } })
    expect(one).toMatchObject({
      requirements: { usdcBase: 10_000n },
      kind: 'opaque',
      made: null,
    })
    expect(one.key).toMatch(/^payload:base:[0-9a-f]{64}$/)
    expect(read({ ...v2, payload: { delegation: 'Ag' } }).key).not.toBe(one.key)
    const salted = (payload: object) => read({ ...v2, payload })
    const two = salted({ delegation: 'AQ', salt: { low: 2, high: 1 } })
    expect(salted({ salt: { high: 1, low: 2 }, delegation: 'AQ' }).key).toBe(two.key)
  })

  test('by its payer, its nonce and its end where Permit2 may move it, in both versions', () => {
    const payment = {
      key: `permit2:base:${from.toLowerCase()}:7`,
      requirements: { network: 'base', payTo, usdcBase: 10_000n },
      kind: 'permit2',
      payer: from.toLowerCase(),
      validBeforeMs: 1_800_000_000_000,
    }
    expect(read(permit())).toMatchObject(payment)
    expect(read({ ...v1, payload: permit().payload })).toMatchObject(payment)
    expect(read(permit({ nonce: `0x${'7'.padStart(64, '0')}` }))).toMatchObject(payment)
    expect(read(permit({ deadline: `${2n ** 256n - 1n}` })).validBeforeMs).toBeGreaterThan(1e15)
  })

  test('by its message on Solana; in version 1 it pays whichever requirements have its amount and its account', () => {
    const requirements = { network: 'solana', payTo: seller, usdcBase: 10_000n } as const
    const transfer = { payer: 'P', nonce: '5e', usdcBase: 10_000n }
    const key = 'message:solana:5e'
    expect(read(onSolana('10000'))).toMatchObject({ key, requirements, transfer })
    const payload = { transaction: '10000', more: 'about it' }
    const payment = read({ ...v1, network: 'solana', payload })
    expect(payment).toMatchObject({ key, requirements: null, transfer })
    const others = [
      { ...requirements, usdcBase: 9_999n },
      { ...requirements, payTo: '2'.repeat(32) },
      { ...requirements, network: 'base' as const },
    ]
    expect(requirementsPaid(payment, [...others, requirements])).toEqual(requirements)
    expect(requirementsPaid(payment, others)).toBeUndefined()
  })
})

describe('invalid_request, naming the header, for', () => {
  const payload = (over: object) => ({
    ...v2,
    payload: { authorization: { ...authorization, ...over } },
  })
  test.each<[string, object]>([
    ['nothing', {}],
    ['no payload', { ...v2, payload: 7 }],
    ['an unknown network', { ...v1, network: 'base-sepolia' }],
    ['another token', { ...v2, accepted: { ...accepted, asset: payTo } }],
    ['another scheme', { ...v2, accepted: { ...accepted, scheme: 'upto' } }],
    ['less than it says', payload({ value: '9999' })],
    ['somebody else than it says', payload({ to: from })],
    ['a number for an amount', payload({ value: 10_000 })],
    ['a negative amount', payload({ value: '-1' })],
    ['a short nonce', payload({ nonce: '0x01' })],
    ['no payer', payload({ from: null })],
    ['no end', payload({ validBefore: 'never' })],
    ['on Solana, what cannot be read', onSolana('more than one transfer')],
    ['on Solana, no transaction', onSolana(null)],
    ['on Solana, more than it says', onSolana('10001')],
    ['on Solana, somebody else than it says', onSolana('10000', { payTo: '2'.repeat(32) })],
    [
      'on Solana, an authorization beside a transaction',
      { ...onSolana('10001'), payload: { authorization, transaction: '10001' } },
    ],
    ['in version 1, what cannot be read', { ...v1, payload: { delegation: 'AQ' } }],
    ['by Permit2, more than it says', permit({ permitted: { token: usdc, amount: '10001' } })],
    ['by Permit2, another token', permit({ permitted: { token: payTo, amount: '10000' } })],
    ['by Permit2, somebody else than it says', permit({ witness: { to: from } })],
    ['by Permit2, without a payer', permit({ from: null })],
    ['by Permit2, without a nonce', permit({ nonce: undefined })],
    ['by Permit2, without an end', permit({ deadline: undefined })],
    ['a transfer beside a payment yet to be made', { ...v2, ...transfer }],
    [
      'two authorizations, of which upstreams may take either',
      { ...v2, payload: { ...v2.payload, ...permit().payload } },
    ],
    ['two networks', { ...v2, network: 'solana' }],
    ['a transfer without a signature', { ...transfer, signature: '' }],
    ['a transfer without a payer', { ...transfer, payer: '0x00' }],
    ['a transfer of no transaction', { ...transfer, txHash: '0x1' }],
  ])('%s', (_, value) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({
        reason: 'invalid_request',
        details: [expect.objectContaining({ path: 'X-PAYMENT' })],
      }),
    )
  })
})

test('of what a payment does not name, no more than fifty wallets of as much are tried', () => {
  const payment = read({
    ...onSolana('10000'),
    x402Version: 1,
    accepted: undefined,
    network: 'solana',
  })
  const wanted = { network: 'solana', payTo: seller, usdcBase: 10_000n } as const
  const others = (count: number, usdcBase: bigint) =>
    Array.from({ length: count }, (_, n) => ({ ...wanted, payTo: `${n}`, usdcBase }))
  const found = (...before: Parameters<typeof requirementsPaid>[1]) =>
    requirementsPaid(payment, [...before, wanted])
  expect(found(...others(1_000, 1n), ...others(49, 10_000n))).toEqual(wanted)
  expect(found(...others(50, 10_000n))).toBeUndefined()
})
