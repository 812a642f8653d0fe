import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import {
  hmacHex,
  newWebhookSecret,
  webhookHeaders,
} from '../../../src/domain/webhooks/signature.ts'

const body = '{"id":"evt_1","data":{"name":"Zoë"}}'
const timestampSeconds = Math.floor(Date.now() / 1_000)

function headers(current: string, ...previous: string[]) {
  return webhookHeaders({
    eventId: 'evt_1',
    type: 'invoice.paid',
    body,
    secrets: [current, ...previous],
    timestampSeconds,
  })
}

function verifies(signed: Record<string, string>, secret: string, text = body): boolean {
  const options = /^whsec_[A-Za-z0-9+/]+=*$/.test(secret) ? undefined : { format: 'raw' as const }
  try {
    new Webhook(secret, options).verify(text, signed)
    return true
  } catch {
    return false
  }
}

const generated = newWebhookSecret(randomBytes(32))
const plain = 'chosen-by-the-customer'

describe('accepted', () => {
  test('the plain signature is lower-case hex HMAC-SHA256 (RFC 4231, case 2)', () => {
    expect(hmacHex('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  test('X-Service-Signature covers the raw body under the secret as it was shown', () => {
    for (const secret of [generated, plain]) {
      const expected = new Bun.CryptoHasher('sha256', secret).update(body).digest('hex')
      expect(headers(secret)['x-service-signature']).toBe(expected)
    }
  })

  test('the Standard Webhooks package verifies generated and customers’ secrets', () => {
    expect(verifies(headers(generated), generated)).toBe(true)
    expect(verifies(headers(plain), plain)).toBe(true)
  })

  test('during a rotation both secrets verify', () => {
    const signed = headers(generated, plain)
    expect(verifies(signed, generated)).toBe(true)
    expect(verifies(signed, plain)).toBe(true)
  })

  test('the headers name event and time', () => {
    expect(headers(plain)).toMatchObject({
      'x-service-event': 'invoice.paid',
      'x-service-timestamp': `${timestampSeconds}`,
      'webhook-id': 'evt_1',
      'webhook-timestamp': `${timestampSeconds}`,
    })
  })
})

describe('refused', () => {
  test('another secret, another body and another time never verify', () => {
    const signed = headers(generated)
    expect(verifies(signed, newWebhookSecret(randomBytes(32)))).toBe(false)
    expect(verifies(signed, generated, `${body} `)).toBe(false)
    expect(verifies({ ...signed, 'webhook-timestamp': `${timestampSeconds - 1}` }, generated)).toBe(
      false,
    )
  })

  test('a secret that only looks encoded is never shortened to what it would decode to', () => {
    const secret = 'whsec_!!!!!!!!!!!!!!!!'
    expect(verifies(headers(secret), secret)).toBe(true)
    expect(headers(secret)['webhook-signature']).not.toBe(headers('whsec_')['webhook-signature'])
  })
})
