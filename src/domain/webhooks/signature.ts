const prefix = 'whsec_'

/** The secret's UTF-8 bytes are the key. */
export function hmacHex(message: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(message).digest('hex')
}

/** `secrets` include the previous one while a rotation overlaps. */
export type Delivery = {
  readonly eventId: string
  readonly type: string
  readonly body: string
  readonly secrets: readonly [current: string, ...previous: string[]]
  readonly timestampSeconds: number
}

/**
 * `X-Service-Signature` covers the raw body, under the current secret with its prefix. The Standard
 * Webhooks trio also covers id and time, with one signature per valid secret.
 */
export function webhookHeaders(delivery: Delivery): Record<string, string> {
  const { eventId, type, body, secrets, timestampSeconds } = delivery
  const signed = `${eventId}.${timestampSeconds}.${body}`
  return {
    'x-service-signature': hmacHex(body, secrets[0]),
    'x-service-event': type,
    'x-service-timestamp': `${timestampSeconds}`,
    'webhook-id': eventId,
    'webhook-timestamp': `${timestampSeconds}`,
    'webhook-signature': secrets
      .map((secret) => `v1,${standardSignature(signed, secret)}`)
      .join(' '),
  }
}

function standardSignature(signed: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', standardKey(secret)).update(signed).digest('base64')
}

/** The decoded bytes of `whsec_` + base64 of 16 to 64 bytes, otherwise the secret as it is. */
function standardKey(secret: string): string | Uint8Array {
  const decoded = Buffer.from(secret.slice(prefix.length), 'base64')
  const isEncoded = secret === prefix + decoded.toString('base64')
  return isEncoded && decoded.length >= 16 && decoded.length <= 64 ? decoded : secret
}

/** A new webhook signing secret from 32 random bytes. */
export function newWebhookSecret(randomBytes: Uint8Array): string {
  return prefix + Buffer.from(randomBytes).toString('base64')
}
