import { describe, expect, test } from 'bun:test'
import { authorizationKey, readAuthorization } from '../../../src/domain/x402/signed-payment.ts'

describe('an authorization', () => {
  const whole = {
    from: `0x${'AA'.repeat(20)}`,
    to: `0x${'aa'.repeat(20)}`,
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
    const written = { payer: whole.from, nonce: whole.nonce }
    expect(authorizationKey('base', written)).toBe(authorizationKey('base', read ?? written))
  })

  test('with a member missing or of another form is none', () => {
    for (const name of Object.keys(whole)) {
      const authorization = { ...whole, [name]: 5 }
      expect(readAuthorization('base', { ...payload, authorization })).toBeNull()
    }
    expect(readAuthorization('base', { ...payload, signature: '0x11' })).toBeNull()
    expect(readAuthorization('base', {})).toBeNull()
  })
})
