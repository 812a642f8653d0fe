import type { Reason } from '../../domain/error.ts'

export const about = `Invoices in any currency, settled in USDC on several chains; tax, agent budgets, webhooks and receipts.

**Keys.** Send a key as \`Authorization: Bearer inv_…\` or \`x-api-key: sk_…\`: either kind works in either header, on every path. The
dashboard takes a token from \`POST /api/v1/auth/token\` instead.

**Families.** Amounts are integers of minor units in \`/api\` and \`/api/v1\` (10⁻⁶ of a USDC, so 1000000 is one USDC; otherwise the smallest unit of the currency: cents of a EUR, whole JPY) and decimals in \`/v1\`. An invoice created in one family can be read in all.

**Errors** have one shape per family, a stable \`code\`, and \`details\` that name the invalid fields. Anything of another account is 404.

**Limits.** Every answer reports the tighter of a key's two windows, minute and UTC day. Calls without a key are limited to 100 a minute per address (IPv6: per /64); payment pages have a limit of their own.

**Events** are delivered to webhooks as described under \`webhooks\`. \`data\` has the form of the family that created the invoice, \`/api\` or \`/v1\`, whichever family the webhook was created in.

**Null.** In the body of a POST, an optional member may be null, where the description of the body says so. PUT and PATCH change the members they name, and accept null only where it is a value.

**Retries.** A POST that creates something accepts an \`Idempotency-Key\`: for 24 hours the same key and body give the first answer again.`

/** By the path segment after the family's prefix. */
export const resources: Readonly<
  Record<string, { readonly name: string; readonly description: string }>
> = {
  invoices: { name: 'Invoices', description: 'What a buyer owes, and where to pay it.' },
  'credit-notes': {
    name: 'Credit notes',
    description: 'What was taken back of an invoice, and to whom it is refunded.',
  },
  transfers: { name: 'Transfers', description: 'USDC received, for any invoice or none.' },
  receipts: { name: 'Receipts', description: 'Proof of a settled invoice, anchored on chain.' },
  mandates: {
    name: 'Mandates',
    description: 'Agreements signed by two parties, with every step anchored on chain.',
  },
  tax: { name: 'Tax', description: 'VAT of the countries with built-in rates.' },
  budget: { name: 'Budgets', description: 'What an agent may spend in a period.' },
  x402: {
    name: 'x402',
    description: 'Paying and being paid for web resources, request by request.',
  },
  webhooks: { name: 'Webhooks', description: 'Where events are delivered, signed and retried.' },
  deliveries: { name: 'Deliveries', description: 'Events on their way to a webhook.' },
  keys: { name: 'Keys', description: 'API keys and their permissions.' },
  account: { name: 'Account', description: 'Who the account is, as its payers read it.' },
  auth: { name: 'Tokens', description: 'Short-lived tokens for the dashboard.' },
  'agent-tools': {
    name: 'Agent tools',
    description: 'A Model Context Protocol server, and what agents read before they pay.',
  },
  dashboard: { name: 'Dashboard', description: 'Totals over all invoices of an account.' },
  books: { name: 'Books', description: 'The journal, for bookkeeping programs.' },
}

export const meanings = {
  invalid_request: 'The body, a parameter or a header is malformed, or a required field is missing',
  invalid_amount: 'The amount is not a positive number with as many decimals as its family allows',
  budget_exceeded: 'The amount is more than the budget has left; `details` holds the numbers',
  unauthorized: 'No valid key, or no valid token',
  forbidden: 'The key lacks the permission',
  not_found: 'This account has nothing with that id',
  method_not_allowed: 'The path takes other methods',
  invalid_state: 'Its state does not allow this',
  agent_mismatch: 'The quote that this payment pays was made for another agent',
  mandate_not_active:
    'The mandate is not signed by both parties, has ended, or belongs to another account',
  mandate_currency_mismatch: 'The mandate is in another currency',
  mandate_limit_exceeded: 'The amount is more than the mandate has left',
  mandate_not_found: 'This account has no mandate with that id',
  missing_field: 'A required field is missing',
  invalid_field: 'The body or one of its fields is malformed',
  invalid_signer: '`signer` is neither `proposer` nor `counterparty`',
  missing_signature: '`signature` is missing',
  missing_reason: '`reason` is missing or empty',
  invalid_signature: 'The signature does not match the signed bytes',
  invalid_transition: 'The mandate is in a state that does not allow this, or has expired',
  limit_reached: 'The limit on how many may exist is reached',
  already_credited: 'The transfer has been credited to another invoice',
  credit_exceeded: 'More would be credited than is left of the invoice',
  refund_not_proven: 'The transaction does not prove the refund; the message says why',
  transfer_mismatch: 'The transfer does not pay the address of the invoice',
  not_the_sender: 'The payer did not send the transfer',
  payment_reused: 'The payment has bought something else',
  idempotency_in_progress: 'The same request, or one with the same payment, is still running',
  idempotency_key_reused: 'This Idempotency-Key was used with another body',
  payload_too_large: 'The body is larger than 1 MiB',
  unsupported_media_type: 'The body is not application/json, or is compressed',
  rate_limited: 'Too many requests; Retry-After says how long to wait',
  overloaded: 'The service is overloaded',
  unavailable: 'A part of the service is temporarily unavailable',
  upstream_failed: 'The upstream is unreachable, closed the connection, or violates the protocol',
  upstream_unsupported:
    'The upstream takes no payment of `exact` USDC on a supported chain; `details.offered` says what it takes',
  upstream_timeout: 'The upstream did not answer in time',
} as const satisfies Record<Reason, string>
