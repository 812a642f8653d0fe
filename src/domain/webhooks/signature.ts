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

/**
 * Standard Webhooks libraries decode `whsec_` + base64 and use any other secret as raw bytes. So do
 * we where the base64 is incomplete: such secrets are refused now, but some are stored.
 */
function standardSignature(signed: string, secret: string): string {
  const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    secret,
  )?.[1]
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64')
  return new Bun.CryptoHasher('sha256', key).update(signed).digest('base64')
}

/** A new webhook signing secret from 32 random bytes. */
export function newWebhookSecret(randomBytes: Uint8Array): string {
  return `whsec_${Buffer.from(randomBytes).toString('base64')}`
}
