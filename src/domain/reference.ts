import { createHmac } from 'node:crypto'

/**
 * The 32 bytes a payer attaches to a transfer to say which invoice it pays. Only the service can read the invoice id out of
 * them, so ids stay unguessable although references are public on chain; and no index is needed to look one up.
 * Layout: tag(16) ‖ id(16) ⊕ mask(tag), both from HMAC-SHA256 under the service's key (an SIV construction: the tag
 * authenticates the id it was derived from).
 */
export function referenceOf(id: string, key: Uint8Array): string {
  const plain = Buffer.from(id.replaceAll('-', ''), 'hex')
  const tag = tagOf(plain, key)
  return `0x${tag.toString('hex')}${masked(plain, tag, key).toString('hex')}`
}

/** The invoice id behind a reference, or null when the 32 bytes are not one of ours. */
export function readReference(reference: string, key: Uint8Array): string | null {
  if (!/^0x[0-9a-f]{64}$/.test(reference)) return null
  const tag = Buffer.from(reference.slice(2, 34), 'hex')
  const plain = masked(Buffer.from(reference.slice(34), 'hex'), tag, key)
  if (!tagOf(plain, key).equals(tag)) return null
  const hex = plain.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function tagOf(plain: Buffer, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('tag').update(plain).digest().subarray(0, 16)
}

function masked(bytes: Buffer, tag: Buffer, key: Uint8Array): Buffer {
  const mask = createHmac('sha256', key).update('mask').update(tag).digest()
  const out = Buffer.allocUnsafe(16)
  for (let at = 0; at < 16; at++) out[at] = (bytes[at] ?? 0) ^ (mask[at] ?? 0)
  return out
}
