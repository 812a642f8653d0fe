/** Lower-case hex HMAC-SHA256 of `message` under the UTF-8 bytes of `secret`. */
export function hmacHex(message: string, secret: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(message).digest('hex')
}

/** One delivery attempt to be signed; `secrets` are the current one and, while a rotation overlaps, the one before it. */
export type Delivery = {
  readonly eventId: string
  readonly type: string
  readonly body: string
  readonly secrets: readonly [current: string, ...previous: string[]]
  readonly timestampSeconds: number
}

/**
 * The headers by which a receiver knows a delivery is ours and fresh: `X-Service-Signature` over the raw body (the current secret
 * as it was shown, prefix included), and the Standard Webhooks trio, which also covers id and time and carries a signature
 * for each secret that still counts.
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
 * Standard Webhooks libraries decode a secret of the form `whsec_` + base64, and take any other as raw bytes when told so. A secret with
 * the prefix that is not whole base64 would decode to an empty or shortened key, so it is taken as raw bytes: nobody
 * can choose such a one any more, but some are on record.
 */
function standardSignature(signed: string, secret: string): string {
  const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    secret,
  )?.[1]
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64')
  return new Bun.CryptoHasher('sha256', key).update(signed).digest('base64')
}

/** A new signing secret from 32 random bytes. */
export function newWebhookSecret(randomBytes: Uint8Array): string {
  return `whsec_${Buffer.from(randomBytes).toString('base64')}`
}
