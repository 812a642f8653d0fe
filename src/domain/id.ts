import { createHmac } from 'node:crypto'

/** Whether `text` is a lower-case UUID, as all ids here are written. */
export function isUuid(text: string): boolean {
  return look.test(text)
}

/** Whether `text` is `prefix` and a lower-case UUID: `mnd_0190a000-…`. */
export function isUuidOf(prefix: string, text: string): boolean {
  return text.startsWith(prefix) && isUuid(text.slice(prefix.length))
}

/**
 * A UUID of version 7 with the time `at`, otherwise derived from `text`: the same arguments give
 * the same id. Nobody without `key`, 32 secret bytes, can compute it.
 */
export function derivedUuid(key: Uint8Array, text: string, at: Date): string {
  const bytes = createHmac('sha256', key).update(text).digest().subarray(0, 16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const look = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
