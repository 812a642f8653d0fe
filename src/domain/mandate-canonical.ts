import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonical, type Json } from './canonical.ts'

/**
 * What both parties of a mandate sign. `terms` is JSON text of an object, as it was sent; `expiresAt` is UTC with milliseconds, as
 * `Date.toISOString()` writes it.
 */
export type Agreement = {
  readonly id: string
  readonly proposer: string
  readonly counterparty: string
  readonly scope: string
  readonly terms: string
  readonly expiresAt: string
}

/** The one text of an agreement, whose UTF-8 bytes are signed and hashed: contract §9. */
export function canonicalText(agreement: Agreement): string {
  return canonical({
    counterparty_agent_id: agreement.counterparty,
    expires_at: agreement.expiresAt,
    id: agreement.id,
    proposer_agent_id: agreement.proposer,
    scope: agreement.scope,
    terms: JSON.parse(agreement.terms) as Json,
  })
}

/** The first number in a JSON text that is beyond all that a JSON number holds, as it was written, or null: it would be signed as `null`. */
export function endlessNumber(text: string): string | null {
  return numberIn(text, (token) => !Number.isFinite(Number(token)))
}

/**
 * The first integer in a JSON text, written with all its digits, that is beyond ±(2^53−1), or null: readers disagree on what it is. One
 * with an exponent is nobody's idea of an exact integer, and is let through.
 */
export function inexactInteger(text: string): string | null {
  return numberIn(
    text,
    (token) => /^-?\d+(?:\.0+)?$/.test(token) && !Number.isSafeInteger(Number(token)),
  )
}

function numberIn(text: string, isWanted: (token: string) => boolean): string | null {
  for (const [token] of text.matchAll(stringsAndNumbers)) {
    if (!token.startsWith('"') && isWanted(token)) return token
  }
  return null
}

const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Whether `signature` is 64 hex digits and the HMAC-SHA256 of `text` under one of `secrets`. All are tried: how long it takes tells nothing. */
export function isSignedWith(secrets: readonly string[], text: string, signature: string): boolean {
  if (!hex64.test(signature)) return false
  return secrets
    .map((secret) => isSame(createHmac('sha256', secret).update(text).digest('hex'), signature))
    .includes(true)
}

/** Whether two signatures are the same bytes, in constant time. The first is one for certain. */
export function isSame(known: string, signature: string): boolean {
  return (
    hex64.test(signature) &&
    timingSafeEqual(Buffer.from(known, 'hex'), Buffer.from(signature, 'hex'))
  )
}

// Before decoding: `Buffer.from` stops silently at the first character that is no digit.
const hex64 = /^[0-9a-fA-F]{64}$/
