import { hex, hmac, utf8 } from './hmac.ts'

/** What both parties of a mandate sign, named as the service names it: a mandate as it was read will do. */
export type Agreement = {
  readonly id: string
  readonly proposer_agent_id: string
  readonly counterparty_agent_id: string
  readonly scope: string
  readonly terms: unknown
  readonly expires_at: string
}

/** The one text of an agreement, whose UTF-8 bytes are signed and hashed. Look at it before you sign. */
export function canonicalMandate(agreement: Agreement): string {
  return canonical({
    counterparty_agent_id: agreement.counterparty_agent_id,
    expires_at: new Date(agreement.expires_at).toISOString(),
    id: agreement.id,
    proposer_agent_id: agreement.proposer_agent_id,
    scope: agreement.scope,
    // As JSON sends them: a date is a text, and what is undefined is not there.
    terms: JSON.parse(JSON.stringify(agreement.terms)),
  })
}

/** The signature for `POST /v1/mandates/{id}/sign`, 64 hex digits, under the account's signing secret. */
export async function signMandate(agreement: Agreement, secret: string): Promise<string> {
  return hex(await hmac(utf8(secret), utf8(canonicalMandate(agreement))))
}

/** `0x` and the SHA-256 that the service shows as `protocol_mandate_hash` and anchors. */
export async function mandateHash(agreement: Agreement): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(canonicalMandate(agreement)))
  return `0x${hex(new Uint8Array(digest))}`
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** RFC 8785. Keys are written one by one in the order of their UTF-16 code units: a rebuilt object would move those that look like integers. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`)
  return `{${members.join(',')}}`
}
