import { describe, expect, test } from 'bun:test'
import { type PayOption, requirementFor } from '../../../src/domain/x402/paywall.ts'
import { authorizationKey, readAuthorization } from '../../../src/domain/x402/settlement.ts'

const evm: PayOption = {
  network: 'base',
  caip2: 'eip155:8453',
  recipient: `0x${'aa'.repeat(20)}`,
  token: `0x${'bb'.repeat(20)}`,
  extra: { name: 'USD Coin', version: '2' },
  takesSigned: true,
  takesTransfers: true,
}
const solana: PayOption = {
  ...evm,
  network: 'solana',
  caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
}
const resource = { url: 'https://a.test/x', description: 'x', priceUsdcBase: 5_000n }

test('Solana comes first, and the plain members say what the first entry says', () => {
  const { accepts, price, network } = requirementFor(resource, [evm, solana])
  expect(accepts.map((accept) => accept.network)).toEqual([solana.caip2, evm.caip2] as never)
  expect([price, network, accepts[0]?.amount]).toEqual(['0.005', solana.caip2, '5000'])
})

test('what nobody can settle or read is not offered, and where there is nothing else nobody is to pay', () => {
  const unread = { ...evm, takesSigned: false, takesTransfers: false }
  const transfersOnly = { ...solana, takesSigned: false }
  const some = requirementFor(resource, [unread, transfersOnly])
  expect(some.accepts.map((accept) => accept.network)).toEqual([solana.caip2] as never)
  expect(some.error).toBe('Payment required')
  const { error, price } = requirementFor(resource, [unread])
  expect(error).toContain('do not pay')
  expect(price).toBe('0.005')
})

test('what nobody can settle is offered only where nothing else is, to be paid by a transfer', () => {
  const transfersOnly = { ...solana, takesSigned: false }
  const both = requirementFor(resource, [evm, transfersOnly])
  expect(both.accepts.map((accept) => accept.network)).toEqual(['eip155:8453'])
  expect(both.network).toBe('eip155:8453')
  const alone = requirementFor(resource, [transfersOnly])
  expect(alone.accepts.map((accept) => accept.network)).toEqual([solana.caip2] as never)
  expect(alone).toMatchObject({ price: '0.005', network: solana.caip2 })
})

describe('an authorization', () => {
  const whole = {
    from: `0x${'AA'.repeat(20)}`,
    to: evm.recipient,
    value: '1',
    validAfter: '0',
    validBefore: '99999999999999999999',
    nonce: `0x${'CC'.repeat(32)}`,
  }
  const payload = { signature: `0x${'11'.repeat(65)}`, authorization: whole }

  test('has one name however its payer and nonce are written', () => {
    const read = readAuthorization('base', payload)
    expect(read).toMatchObject({
      payer: whole.from.toLowerCase(),
      nonce: whole.nonce.toLowerCase(),
    })
    expect(authorizationKey('base', whole.from, whole.nonce)).toBe(
      authorizationKey('base', read?.payer ?? '', read?.nonce ?? ''),
    )
  })

  test('with a member missing or of another look is none', () => {
    for (const name of Object.keys(whole)) {
      const authorization = { ...whole, [name]: 5 }
      expect(readAuthorization('base', { ...payload, authorization })).toBeNull()
    }
    expect(readAuthorization('base', { ...payload, signature: '0x11' })).toBeNull()
    expect(readAuthorization('base', {})).toBeNull()
  })
})
