import { describe, expect, test } from 'bun:test'
import { type PayOption, readProof, requirementFor } from '../../../src/domain/x402/paywall.ts'
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
const none = { paymentSignature: null, xPayment: null, bodyPayment: undefined }
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

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

describe('a proof', () => {
  const transfer = { txHash: '0x1', signature: '0x2', payer: '0x3' }
  const v2 = { x402Version: 2, accepted: { scheme: 'exact', network: 'eip155:8453' }, payload: {} }
  const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload: {} }

  test('reads the same raw and in base64', () => {
    for (const value of [transfer, v2, v1]) {
      const proof = readProof({ ...none, paymentSignature: base64(value) })
      expect(proof?.kind).not.toBe('unreadable')
      expect(readProof({ ...none, bodyPayment: JSON.stringify(value) })).toEqual(proof)
    }
  })

  test('in PAYMENT-SIGNATURE goes before X-PAYMENT, and that before the body', () => {
    const all = {
      paymentSignature: base64(v2),
      xPayment: base64(v1),
      bodyPayment: base64(transfer),
    }
    expect(readProof(all)).toMatchObject({ network: 'eip155:8453' })
    expect(readProof({ ...all, paymentSignature: null })).toMatchObject({ network: 'base' })
    expect(readProof({ ...none, bodyPayment: all.bodyPayment })?.kind).toBe('transfer')
    expect(readProof(none)).toBeNull()
  })

  test('that is neither form is unreadable, and never throws', () => {
    const odd = ['', '!', '{', '[]', 'W10=', 'bnVsbA==', base64({ ...transfer, txHash: 5 })]
    for (const bodyPayment of [
      ...odd,
      base64({ ...v1, scheme: 'upto' }),
      base64({ ...v2, payload: 1 }),
    ]) {
      expect(readProof({ ...none, bodyPayment })).toEqual({ kind: 'unreadable' })
    }
  })
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
