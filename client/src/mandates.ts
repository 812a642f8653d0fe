import { hex, hmac, utf8 } from './hmac.ts'

/**
 * The members of a mandate that both parties sign, named as in the service's answers. A mandate as
 * read from the service can be passed.
 */
export type Agreement = {
  readonly id: string
  readonly proposer_agent_id: string
  readonly counterparty_agent_id: string
  readonly scope: string
  readonly terms: unknown
  readonly expires_at: string
}

/**
 * The canonical text of an agreement, whose UTF-8 bytes are signed and hashed. Read it before you
 * sign.
 */
export function canonicalMandate(agreement: Agreement): string {
  return canonical({
    counterparty_agent_id: agreement.counterparty_agent_id,
    expires_at: new Date(agreement.expires_at).toISOString(),
    id: agreement.id,
    proposer_agent_id: agreement.proposer_agent_id,
    scope: agreement.scope,
    // As JSON transmits them: a date becomes a string, and undefined members are dropped.
    terms: JSON.parse(JSON.stringify(agreement.terms)),
  })
}

/**
 * The signature for `POST /v1/mandates/{id}/sign`: 64 hex digits, made with the account's signing
 * secret.
 */
export async function signMandate(agreement: Agreement, secret: string): Promise<string> {
  return hex(await hmac(utf8(secret), utf8(canonicalMandate(agreement))))
}

/**
 * `0x` and the SHA-256 of the canonical text. The service shows it as `protocol_mandate_hash` and
 * anchors it.
 */
export async function mandateHash(agreement: Agreement): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(canonicalMandate(agreement)))
  return `0x${hex(new Uint8Array(digest))}`
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/**
 * Canonical JSON (RFC 8785). Keys are written one by one, sorted by their UTF-16 code units: a
 * rebuilt object would move keys that look like integers to the front.
 */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`)
  return `{${members.join(',')}}`
}
