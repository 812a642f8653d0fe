import { expect, test } from 'bun:test'
import { type PaymentOption, paymentRequired } from '../../../src/domain/x402/payment-required.ts'

const evm: PaymentOption = {
  network: 'base',
  payTo: `0x${'aa'.repeat(20)}`,
  asset: `0x${'bb'.repeat(20)}`,
  extra: { name: 'USD Coin', version: '2' },
  takesSigned: true,
  takesTransfers: true,
}
const solana: PaymentOption = { ...evm, network: 'solana' }
const solanaName = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const resource = { url: 'https://a.test/x', description: 'x', priceUsdcBase: 5_000n }

test('Solana comes first, and the plain members say what the first entry says', () => {
  const { accepts, price, network } = paymentRequired(resource, [evm, solana])
  expect(accepts.map((accept) => accept.network)).toEqual([solanaName, 'eip155:8453'] as never)
  expect([price, network, accepts[0]?.amount]).toEqual(['0.005', solanaName, '5000'])
})

test('what nobody can settle or read is not offered, and where there is nothing else nobody is to pay', () => {
  const unread = { ...evm, takesSigned: false, takesTransfers: false }
  const transfersOnly = { ...solana, takesSigned: false }
  const some = paymentRequired(resource, [unread, transfersOnly])
  expect(some.accepts.map((accept) => accept.network)).toEqual([solanaName] as never)
  expect(some.error).toContain('by a plain transfer only')
  const { error, price } = paymentRequired(resource, [unread])
  expect(error).toContain('do not pay')
  expect(price).toBe('0.005')
})

test('what nobody can settle is offered only where nothing else is, to be paid by a transfer', () => {
  const transfersOnly = { ...solana, takesSigned: false }
  const both = paymentRequired(resource, [evm, transfersOnly])
  expect(both.accepts.map((accept) => accept.network)).toEqual(['eip155:8453'])
  expect(both.network).toBe('eip155:8453')
  const alone = paymentRequired(resource, [transfersOnly])
  expect(alone.accepts.map((accept) => accept.network)).toEqual([solanaName] as never)
  expect(alone).toMatchObject({ price: '0.005', network: solanaName })
})
