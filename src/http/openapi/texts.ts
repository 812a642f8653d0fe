import type { Reason } from '../../domain/error.ts'

/** The sentences of `/openapi.json`; everything else there is generated from the routes. */

export const about = `Invoices in any currency, settled in USDC on several chains; tax, agent budgets, webhooks and receipts.

**Keys.** Send a key as \`Authorization: Bearer inv_…\` or \`x-api-key: sk_…\`: either kind works in either header, on every path. The
dashboard takes a token of \`POST /api/v1/auth/token\` instead.

**Families.** \`/api\` and \`/api/v1\` speak integers of minor units (10⁻⁶ of a USDC, so 1000000 is one USDC; else the smallest unit of the currency: cents of a EUR, whole JPY), \`/v1\` decimals; an invoice made in one can be read in all.

**Errors** have one shape a family, a stable \`code\`, and \`details\` naming the fields at fault. Another account's things are 404.

**Limits.** Every answer tells the tighter of a key's two windows, minute and UTC day; calls without a key are 100 a minute per address (IPv6: per /64), payment pages apart.

**Events** are delivered to webhooks as under \`webhooks\` here. \`data\` is written in the form of the family that made the invoice, \`/api\` or \`/v1\`, whichever family the webhook was made in.

**Null.** In the body of a POST, a member that may be left out may be null instead, as answers write what is absent, where the description of the body says so. PUT and PATCH change what they name, and take null only where it is a value.

**Retries.** A POST that creates takes an \`Idempotency-Key\`: within 24 hours the same key and body give the first answer once more.`

/** Names and descriptions of the resources, by the path segment after the family's prefix. */
export const resources: Readonly<
  Record<string, { readonly name: string; readonly description: string }>
> = {
  invoices: { name: 'Invoices', description: 'What somebody owes, and where it is paid.' },
  transfers: { name: 'Transfers', description: 'USDC that came in, whoever it was meant for.' },
  receipts: { name: 'Receipts', description: 'Proof of a settled invoice, anchored on chain.' },
  mandates: {
    name: 'Mandates',
    description: 'What two parties agreed on, signed by both, and every step anchored on chain.',
  },
  tax: { name: 'Tax', description: 'VAT of the countries with built-in rates.' },
  budget: { name: 'Budgets', description: 'What an agent may spend in a period.' },
  x402: {
    name: 'x402',
    description: 'Paying for resources of the web, and being paid, request by request.',
  },
  webhooks: { name: 'Webhooks', description: 'Where events are delivered, signed and retried.' },
  deliveries: { name: 'Deliveries', description: 'Events on their way to a webhook.' },
  keys: { name: 'Keys', description: 'What opens this API, and how far.' },
  auth: { name: 'Tokens', description: 'Short-lived tokens for the dashboard.' },
  'agent-tools': {
    name: 'Agent tools',
    description: 'A Model Context Protocol server, and what agents read before they pay.',
  },
  dashboard: { name: 'Dashboard', description: 'Figures over all invoices of an account.' },
}

/** What each reason for a refusal tells a caller. */
export const meanings = {
  invalid_request: 'The body, a parameter or a header is malformed, or a required field is missing',
  invalid_amount: 'The amount is not a positive number with the places its family takes',
  budget_exceeded: 'The amount is more than the budget has left; `details` holds the numbers',
  unauthorized: 'No valid key, or no valid token',
  forbidden: 'The key lacks the permission',
  not_found: 'There is no such thing in this account',
  method_not_allowed: 'The path takes other methods',
  invalid_state: 'The thing is in a state that does not allow this',
  mandate_not_active:
    'The mandate is not signed by both parties, or is over, or is none of this account’s',
  mandate_currency_mismatch: 'The mandate is about another currency',
  mandate_limit_exceeded: 'The amount is more than the mandate leaves',
  mandate_not_found: 'There is no such mandate in this account',
  missing_field: 'A required field is missing',
  invalid_field: 'The body or one of its fields is malformed',
  invalid_signer: '`signer` is neither `proposer` nor `counterparty`',
  missing_signature: 'There is no `signature`',
  missing_reason: 'There is no `reason`, or nothing in it',
  invalid_signature: 'The signature does not fit what is to be signed',
  invalid_transition: 'The mandate is in a state that does not allow this, or has expired',
  limit_reached: 'There are as many as there may be',
  already_credited: 'The transfer has been credited to another invoice',
  transfer_mismatch: 'The transfer does not pay the address of the invoice',
  not_the_sender: 'The payer did not send the transfer',
  payment_reused: 'The payment has bought something else',
  idempotency_in_progress: 'The same request, or one with the same payment, is still running',
  idempotency_key_reused: 'This Idempotency-Key came with another body before',
  payload_too_large: 'The body is larger than 1 MiB',
  unsupported_media_type: 'The body is not application/json, or is compressed',
  rate_limited: 'Too many requests; Retry-After says when to go on',
  overloaded: 'Too much to do at the moment',
  unavailable: 'A part of the service does not answer at the moment',
  upstream_failed: 'The upstream cannot be reached, broke off, or does not keep to the protocol',
  upstream_timeout: 'The upstream did not answer in time',
} as const satisfies Record<Reason, string>
