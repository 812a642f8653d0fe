import { createHmac } from 'node:crypto'

/**
 * Signs a mandate as a partner does, with nothing of the service: no package, Node or Bun. Reads one JSON object from standard input,
 * `{id, proposer_agent_id, counterparty_agent_id, scope, terms, expires_at}`, and prints the signature for
 * `POST /v1/mandates/{id}/sign`.
 *
 *   SIGNING_SECRET=… bun docs/examples/sign-mandate.ts < mandate.json
 */

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Keys in the order of their UTF-16 code units, written one by one: a rebuilt object would move keys that look like integers. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const object = value as { readonly [key: string]: Json }
  const members = Object.keys(object).sort()
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(object[key] as Json)}`).join(',')}}`
}

let input = ''
for await (const chunk of process.stdin) input += chunk
const mandate = JSON.parse(input)
const text = canonical({
  counterparty_agent_id: mandate.counterparty_agent_id,
  // In UTC, with milliseconds: 2030-01-02T03:04:05.000Z.
  expires_at: new Date(mandate.expires_at).toISOString(),
  id: mandate.id,
  proposer_agent_id: mandate.proposer_agent_id,
  scope: mandate.scope,
  terms: mandate.terms,
})
const secret = process.env.SIGNING_SECRET ?? ''
process.stdout.write(`${createHmac('sha256', secret).update(text).digest('hex')}\n`)
