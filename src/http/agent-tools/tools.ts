import { Type } from '@sinclair/typebox'
import type { Mandates } from '../../actors/mandates.ts'
import type { Reports } from '../../actors/reports.ts'
import { DomainError } from '../../domain/error.ts'
import { states } from '../../domain/mandates/states.ts'
import * as View from '../../domain/mandates/view.ts'
import { trustJson } from '../../domain/receipts/trust.ts'
import { pricingJson } from '../../domain/x402/pricing.ts'
import { authorize } from '../admission/gate.ts'
import { nullable, oneOf } from '../openapi/doc-schemas.ts'
import * as Example from '../openapi/examples.ts'
import { line, meant, prose } from '../request/validation.ts'
import { pricing, trustSignals } from './docs.ts'
import type { PaidEndpoints } from './endpoints.ts'
import { createInvoice, settleInvoice } from './paid.ts'
import { type AgentTool, tool } from './tool.ts'

export type ToolParts = {
  readonly mandates: Mandates
  readonly paid: PaidEndpoints
  readonly reports: Pick<Reports, 'trustSignals'>
}

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const mandateId = {
  ...meant(line(256), 'Id of the mandate: `mnd_` and a UUID.'),
  examples: [Example.mandateId],
}
const fewestCharacters = 10

/** The tools in the order in which they are listed. */
export function agentTools(parts: ToolParts): readonly AgentTool[] {
  const tools: readonly AgentTool[] = [
    createInvoice(parts.paid),
    settleInvoice(parts.paid),
    queryMandate(parts),
    disputeOpen(parts),
    getPricing(() => pricesOf(tools)),
    getTrustSignals(parts),
  ]
  return tools
}

export function pricesOf(tools: readonly AgentTool[]): string {
  return pricingJson(tools.map(({ shown, priceUsdcBase }) => ({ name: shown.name, priceUsdcBase })))
}

function queryMandate(parts: ToolParts): AgentTool {
  return tool({
    name: 'service_query_mandate',
    title: 'Look up a mandate',
    description:
      'Look up where a mandate (an agreement between two agents) stands, before you start work under it, pay for it, or dispute it. ' +
      'Free; needs no key. Returns its id, its state, mandate_hash (SHA-256 of what both parties sign), anchor_tx_hash (the transaction ' +
      'that last recorded its state on chain, or null while none has), created_at, and parties with who has signed. It does not return scope or terms. ' +
      'In state signed_by_both or in_progress the mandate is in force. On mandate_not_found check the id with whoever gave it to you; do ' +
      'not retry. On RATE_LIMITED wait retry_after_seconds.',
    annotations: readOnly,
    input: Type.Object({ mandate_id: mandateId }),
    output: Type.Object({
      id: Type.String(),
      state: oneOf(states),
      mandate_hash: Type.String(),
      anchor_tx_hash: nullable(Type.String()),
      created_at: Type.String(),
      parties: Type.Array(
        Type.Object({
          role: Type.String(),
          name: Type.String(),
          agent_id: Type.String(),
          signed: Type.Boolean(),
        }),
      ),
    }),
    run: async ({ mandate_id }) =>
      View.publicJson(await parts.mandates.show(null, mandate_id.trim())),
  })
}

function disputeOpen(parts: ToolParts): AgentTool {
  return tool({
    name: 'service_dispute_open',
    title: 'Dispute a mandate',
    description:
      'Open a dispute about a mandate when the other party did not do what was agreed. Free; cannot be undone: the mandate ends in state disputed, ' +
      'the reason is recorded, and both sides are notified. Allowed only while its state is signed_by_both or in_progress (see ' +
      'service_query_mandate). Needs api_key, a key (inv_… or sk_…) of the account that created the mandate, with the permission mandates:write; it is ' +
      'never stored or logged. Returns mandate_id, status, disputed_at and reason. On UNAUTHORIZED or FORBIDDEN ask your operator for a ' +
      'key; on mandate_not_found the key belongs to another account or the id is wrong; on invalid_transition the mandate is in ' +
      'another state, so do not retry; on RATE_LIMITED or SERVICE_UNAVAILABLE wait retry_after_seconds and retry.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    input: Type.Object({
      mandate_id: mandateId,
      reason: meant(
        prose(4_000, fewestCharacters),
        `What went wrong, for people to read: ${fewestCharacters} to 4000 characters.`,
      ),
      api_key: meant(line(256), 'An API key of the account that created the mandate.'),
    }),
    output: Type.Object({
      mandate_id: Type.String(),
      status: Type.Literal('disputed'),
      disputed_at: Type.String(),
      reason: Type.String(),
    }),
    async run({ mandate_id, reason, api_key }, { admitKey }) {
      const principal = await admitKey(api_key)
      authorize(principal, 'mandates:write')
      checkReason(reason)
      const { accountId, keyId } = principal
      const by = { triggeredBy: 'agent-tools', reason }
      const disputed = parts.mandates.dispute({ accountId, keyId }, mandate_id.trim(), by)
      return View.disputedJson(await disputed)
    },
  })
}

function getPricing(prices: () => string): AgentTool {
  return tool({
    name: 'service_get_pricing',
    title: 'Read the prices',
    description:
      'Read what this service costs, before you call a paid tool or choose a plan. Free; needs no key. Returns model, tools (each with its price ' +
      'in USDC; payment x402 means: call it unpaid to learn where to pay, then again with the payment) and tiers (requests ' +
      'per minute and day of each plan). Prices change rarely: one call a day is enough.',
    annotations: readOnly,
    input: Type.Object({}),
    output: pricing,
    run: async () => prices(),
  })
}

function getTrustSignals(parts: ToolParts): AgentTool {
  return tool({
    name: 'service_get_trust_signals',
    title: 'Read the track record',
    description:
      'Read how much this service has done so far, to decide whether to rely on it. Free; needs no key. Returns metrics (drs_receipts_issued, ' +
      'mandates_anchored, invoices_settled, each a total over all accounts), generated_at, and partnerships. Counted once a night, so ' +
      'do not poll. On SERVICE_UNAVAILABLE retry after a few seconds.',
    annotations: readOnly,
    input: Type.Object({}),
    output: trustSignals,
    run: async () => trustJson(await parts.reports.trustSignals()),
  })
}

/** Counts characters, not UTF-16 units, without surrounding blanks. Errors: `missing_reason`. */
function checkReason(reason: string): void {
  if ([...reason.trim()].length < fewestCharacters)
    throw new DomainError('missing_reason', `reason must have ${fewestCharacters} characters`)
}
