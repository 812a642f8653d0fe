import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonical, type Json } from '../canonical.ts'

/** `terms` is JSON text, verbatim; `expiresAt` is as `Date.toISOString()` writes it. */
export type Agreement = {
  readonly id: string
  readonly proposer: string
  readonly counterparty: string
  readonly scope: string
  readonly terms: string
  readonly expiresAt: string
}

/** The text whose UTF-8 bytes are signed and hashed: contract §9. */
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

/** The first number that overflows and would be signed as `null`. */
export function endlessNumber(text: string): string | null {
  return numberIn(text, (token) => !Number.isFinite(Number(token)))
}

/** The first integer beyond ±(2^53−1): parsers disagree on its value. */
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

/** Whether `signature` is the hex HMAC-SHA256 of `text` under one of `secrets`. */
export function isSignedWith(secrets: readonly string[], text: string, signature: string): boolean {
  if (!hex64.test(signature)) return false
  return secrets
    .map((secret) => isSame(createHmac('sha256', secret).update(text).digest('hex'), signature))
    .includes(true)
}

/** In constant time. `known` must be 64 hex digits. */
export function isSame(known: string, signature: string): boolean {
  return (
    hex64.test(signature) &&
    timingSafeEqual(Buffer.from(known, 'hex'), Buffer.from(signature, 'hex'))
  )
}

// `Buffer.from` stops silently at the first other character.
const hex64 = /^[0-9a-fA-F]{64}$/
