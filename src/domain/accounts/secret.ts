import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto'

/** `id` is stored with what the key seals, to recognise a wrong key. */
export type SealKey = { readonly bytes: Uint8Array; readonly id: number }

const hexKey = /^[0-9a-fA-F]{64}$/
const base64Key = /^[A-Za-z0-9+/]{43}=$/

/** Whether `text` is 32 bytes as hex or base64. */
export function isSecretsKey(text: string): boolean {
  return hexKey.test(text) || base64Key.test(text)
}

/** Throws unless `SECRETS_KEY` is 32 bytes as hex or base64. */
export function keyFrom(secretsKey: string): SealKey {
  if (!isSecretsKey(secretsKey)) throw new Error('SECRETS_KEY must be 32 bytes as hex or base64')
  const bytes = Buffer.from(secretsKey, hexKey.test(secretsKey) ? 'hex' : 'base64')
  return { bytes, id: createHash('sha256').update(bytes).digest()[0] ?? 0 }
}

/** A key for one purpose, derived by HKDF-SHA256. */
export function derive(key: SealKey, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key.bytes, new Uint8Array(0), purpose, 32))
}

/** Identifies a key without revealing it. */
export function markOf(key: SealKey): Uint8Array {
  return derive(key, 'mark of the key')
}

/** What is derived from a `SECRETS_KEY`, 32 bytes each. */
export type DerivedKeys = { readonly references: Uint8Array; readonly boughtIds: Uint8Array }

/**
 * The keys of a deployment. The database's own is the first of each; others are from before a
 * rotation, or for one to come.
 */
export type Keys = {
  readonly opening: readonly [SealKey, ...SealKey[]]
  readonly derived: readonly [DerivedKeys, ...DerivedKeys[]]
}

/** What references and ids of bought invoices are made with. */
export function derivedFrom(key: SealKey): DerivedKeys {
  return {
    references: derive(key, 'invoice references'),
    boughtIds: derive(key, 'ids of bought invoices'),
  }
}

const layout = 1
const nonceLength = 12
const tagLength = 16

/**
 * AES-256-GCM: version(1) ‖ key id(1) ‖ nonce(12) ‖ tag(16) ‖ ciphertext. A nonce is 12 random
 * bytes, never reused.
 */
export function seal(plaintext: string, key: SealKey, nonce: Uint8Array): Uint8Array {
  if (nonce.length !== nonceLength) throw new Error('a nonce is 12 bytes')
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce)
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(layout, key.id), nonce, cipher.getAuthTag(), ciphertext])
}

/** Throws the first key's error if it was sealed under none of the keys, or altered. */
export function openWith(sealed: Uint8Array, keys: Keys['opening']): string {
  const errors: unknown[] = []
  for (const key of keys) {
    try {
      return open(sealed, key)
    } catch (error) {
      errors.push(error)
    }
  }
  throw errors[0]
}

/** Throws if it was sealed under another key or altered. */
export function open(sealed: Uint8Array, key: SealKey): string {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== layout) throw new Error('not a sealed secret')
  if (bytes[1] !== key.id) throw new Error('sealed under another SECRETS_KEY')
  const nonce = bytes.subarray(2, 2 + nonceLength)
  const tag = bytes.subarray(2 + nonceLength, 2 + nonceLength + tagLength)
  // Without an explicit length, a truncated tag would be accepted.
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, nonce, { authTagLength: tagLength })
  decipher.setAuthTag(tag)
  return (
    decipher.update(bytes.subarray(2 + nonceLength + tagLength), undefined, 'utf8') +
    decipher.final('utf8')
  )
}
