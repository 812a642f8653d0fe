import { describe, expect, test } from 'bun:test'
import type { Token } from '../../src/domain/purchase-demand.ts'
import { proofOf } from '../../src/domain/purchase-proof.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const tokens: readonly Token[] = [
  { chain: 'base', names: ['eip155:8453', 'base'], usdcAddress: usdc },
]
const payTo = `0x${'5e'.repeat(20)}`
const from = `0x${'Aa'.repeat(20)}`
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
const read = (value: object) => proofOf(value as never, 'X-PAYMENT', tokens)

describe('a payment is known', () => {
  test('by payer and nonce of its authorization, in both versions', () => {
    const proof = {
      key: `eip3009:base:${from.toLowerCase()}:${nonce.toLowerCase()}`,
      demand: { chain: 'base', payTo, usdcBase: 10_000n },
      authorization: {
        from: from.toLowerCase(),
        nonce: nonce.toLowerCase(),
        validBeforeMs: 1_800_000_000_000,
      },
      payer: from.toLowerCase(),
      txHash: null,
    }
    expect(read(v2)).toEqual(proof as never)
    expect(read(v1)).toEqual(proof as never)
  })

  test('by its transaction where it has been made', () => {
    const txHash = transfer.txHash.toLowerCase()
    const payer = from.toLowerCase()
    expect(read(transfer)).toEqual({
      key: `transfer:${txHash}`,
      demand: null,
      authorization: null,
      payer,
      txHash,
    })
  })

  test('by its hash where only its network can read it; then it pays what it says', () => {
    const one = read({ ...v2, payload: { transaction: 'AQ' } })
    expect(one).toMatchObject({ demand: { usdcBase: 10_000n }, authorization: null, txHash: null })
    expect(one.key).toMatch(/^payload:base:[0-9a-f]{64}$/)
    expect(read({ ...v2, payload: { transaction: 'Ag' } }).key).not.toBe(one.key)
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
