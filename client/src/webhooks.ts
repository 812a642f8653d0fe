import { type Bytes, isHmac, utf8 } from './hmac.ts'
import type { webhooks } from './schema.ts'

/** A received webhook delivery. */
export type Delivery = {
  /** The raw bytes of the body, or their text; never JSON that was parsed and serialised again. */
  readonly body: string | Uint8Array
  /** The headers of a `Request`, or of Node's `IncomingMessage`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The webhook's secret, as the service showed it. */
  readonly secret: string
  /** How many seconds the delivery's timestamp may differ from `now`; 300 if absent. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

type Events = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json']
}

/**
 * An event of any type: `type` tells what `data` is. An invoice is written as in the family that
 * made it, so its number is a text (`/api`) or an integer (`/v1`).
 */
export type WebhookEvent = Events[keyof Events]

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/**
 * Verifies a delivery by its `webhook-` headers (Standard Webhooks), which cover id, time and body,
 * and answers its event. Errors: `WebhookError` if it is not genuine or not recent; answer it with
 * 401.
 */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const header = headersOf(delivery)
  const timestamp = header('webhook-timestamp')
  requireFresh(timestamp, delivery)
  const body = bytesOf(delivery.body)
  const signed = joined(utf8(`${header('webhook-id')}.${timestamp}.`), body)
  const key = standardKey(delivery.secret)
  const signatures = header('webhook-signature').split(' ').map(standardSignature)
  const verdicts = await Promise.all(signatures.map((signature) => isHmac(key, signed, signature)))
  if (!verdicts.includes(true)) throw new WebhookError('The signature does not match the secret')
  return eventIn(body)
}

/**
 * Verifies a delivery by its `X-Service-Signature` and answers its event. The signature covers only
 * the body: the time is checked, but anybody who recorded a delivery can send it again with a new
 * time. Meant for receivers that support no other signature. Right after a rotation only the new
 * secret verifies. Errors: `WebhookError`.
 */
export async function verifyServiceSignature(delivery: Delivery): Promise<WebhookEvent> {
  const header = headersOf(delivery)
  requireFresh(header('x-service-timestamp'), delivery)
  const body = bytesOf(delivery.body)
  const signature = fromHex(header('x-service-signature'))
  if (!(await isHmac(utf8(delivery.secret), body, signature)))
    throw new WebhookError('The signature does not match the secret')
  return eventIn(body)
}

function headersOf({ headers }: Delivery): (name: string) => string {
  return (name) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string') throw new WebhookError(`The header ${name} is missing`)
    return value
  }
}

function requireFresh(timestamp: string, { toleranceSeconds = 300, now = new Date() }: Delivery) {
  const ageSeconds = Math.abs(now.getTime() / 1_000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || ageSeconds > toleranceSeconds)
    throw new WebhookError('The delivery is too old, or its clock is wrong')
}

/** The decoded bytes of `whsec_` + base64 of 16 to 64 bytes, otherwise the secret's own bytes. */
function standardKey(secret: string): Bytes {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? ''
  const decoded = encoded.length % 4 === 0 ? fromBase64(encoded) : nothing
  const isWhole = btoa(String.fromCharCode(...decoded)) === encoded
  return isWhole && decoded.length >= 16 && decoded.length <= 64 ? decoded : utf8(secret)
}

const nothing = new Uint8Array(0)

function standardSignature(signature: string): Bytes {
  const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
  return encoded === undefined ? nothing : fromBase64(encoded)
}

function fromHex(text: string): Bytes {
  if (!/^[0-9a-f]{64}$/.test(text)) return nothing
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function bytesOf(body: string | Uint8Array): Bytes {
  return typeof body === 'string' ? utf8(body) : new Uint8Array(body)
}

function joined(head: Bytes, tail: Bytes): Bytes {
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

/** A verified body is always JSON: the service wrote it. */
function eventIn(body: Bytes): WebhookEvent {
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
}
