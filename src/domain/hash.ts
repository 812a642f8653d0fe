import { createHash } from 'node:crypto'

/** SHA-256 in lower-case hex; text is hashed as UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** 0x and the SHA-256 of a text. */
export function hashOf(text: string): string {
  return `0x${sha256Hex(text)}`
}

/** 0x and lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
