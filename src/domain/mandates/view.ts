import { type Type, types } from '../webhooks/events.ts'
import { warningsOf } from './cap.ts'
import type { Event, Mandate, Signer } from './mandate.ts'
import type { State } from './states.ts'

export type Transition = {
  readonly id: string
  readonly from: State | null
  readonly to: State
  readonly triggeredBy: string
  /** JSON text by `metadataOf`. */
  readonly metadata: string
  readonly createdAt: string
  readonly anchor: Anchor | null
}

/** All but `status` are null until it is on chain. */
export type Anchor = {
  readonly status: 'pending' | 'anchored'
  readonly chainId: number | null
  readonly txHash: string | null
  readonly blockNumber: number | null
}

/** With its trail, oldest entry first. */
export type Shown = { readonly mandate: Mandate; readonly transitions: readonly Transition[] }

/** Without the canonical text, which can be large and which no record shows. */
export type Summary = Omit<Mandate, 'canonical'>

/** Newest first; `after` is the last id of the previous page. */
export type ListQuery = {
  readonly state: State | null
  readonly after: string | null
  readonly offset: number
  readonly limit: number
}

/** Fewer mandates than asked for where they are large. */
export type Listed = {
  readonly mandates: readonly Summary[]
  readonly total: number
  readonly hasMore: boolean
  /** Whether any of the pages that `offset` leaves out had fewer. */
  readonly isBehindShort: boolean
}

const protocolVersion = 'v0.1'

/** The full record as JSON text: contract §9. */
export function toJson({ mandate, transitions }: Shown): string {
  const trail = transitions.map((transition) => transitionJson(mandate, transition))
  return `${rowJson(mandate).slice(0, -1)},"transitions":[${trail.join(',')}]}`
}

/**
 * What lists and subscribers show. Both parties sign the same bytes, so no signature is shown until
 * both have signed: nobody can pass one off as the other's.
 */
export function rowJson(mandate: Summary): string {
  const { id, proposer, counterparty, scope, terms, context, counterpartySignature } = mandate
  const parties = { id, proposer_agent_id: proposer, counterparty_agent_id: counterparty, scope }
  const rest = {
    state: mandate.state,
    protocol_mandate_hash: mandate.hash,
    protocol_version: protocolVersion,
    proposer_signature: counterpartySignature === null ? null : mandate.proposerSignature,
    counterparty_signature: counterpartySignature,
    signed_by_proposer_at: mandate.signedByProposerAt,
    signed_by_counterparty_at: mandate.signedByCounterpartyAt,
    completed_at: mandate.completedAt,
    disputed_at: mandate.disputedAt,
    dispute_reason: mandate.disputeReason,
    expires_at: mandate.expiresAt,
    drs_receipt_id: mandate.receiptId,
    created_at: mandate.createdAt,
    updated_at: mandate.updatedAt,
  }
  return `{${members(parties)},"terms":${terms},"context":${context},${members(rest)}}`
}

/** The answer to proposing a mandate, as JSON text; with `warnings` if there are any. */
export function proposedJson({ id, state, terms, expiresAt }: Mandate): string {
  const warnings = warningsOf(terms)
  return JSON.stringify({
    mandate_id: id,
    status: state,
    proposer_signature_required: true,
    expires_at: expiresAt,
    ...(warnings.length > 0 && { warnings }),
  })
}

/** The answer to signing a mandate, as JSON text. */
export function signedJson({ id, state, receiptId }: Mandate): string {
  return JSON.stringify({ mandate_id: id, status: state, drs_receipt_id: receiptId })
}

/** The answer to completing a mandate, as JSON text. */
export function completedJson({ id, state, completedAt }: Mandate): string {
  return JSON.stringify({ mandate_id: id, status: state, completed_at: completedAt })
}

/** The answer to disputing a mandate, as JSON text. */
export function disputedJson({ id, state, disputedAt, disputeReason }: Mandate): string {
  const reason = disputeReason
  return JSON.stringify({ mandate_id: id, status: state, disputed_at: disputedAt, reason })
}

/** What anybody may know, with the hash of the latest mined anchor. */
export function publicJson({ mandate, transitions }: Shown): string {
  const { id, state, hash, proposer, counterparty, createdAt } = mandate
  return JSON.stringify({
    id,
    state,
    mandate_hash: hash,
    anchor_tx_hash: transitions.findLast(({ anchor }) => anchor?.txHash)?.anchor?.txHash ?? null,
    created_at: createdAt,
    parties: [
      party('proposer', proposer, mandate.signedByProposerAt),
      party('counterparty', counterparty, mandate.signedByCounterpartyAt),
    ],
  })
}

function party(role: Signer, agentId: string, signedAt: string | null) {
  return { role, name: agentId, agent_id: agentId, signed: signedAt !== null }
}

/** Whether no transition is still waiting to be anchored. */
export function isAnchored({ transitions }: Shown): boolean {
  return transitions.every(({ anchor }) => anchor?.status !== 'pending')
}

/** The webhook event for entering a state; null: none. */
export function eventType(to: State): Type | null {
  return types.find((type) => type === `mandate.${to}`) ?? null
}

/** What a transition's record stores besides its states, as JSON text. */
export function metadataOf(event: Event): string {
  const { triggeredBy, keyId } = event
  return JSON.stringify({
    triggered_by: triggeredBy,
    key_id: keyId,
    ...(event.to === 'disputed' && { reason: event.reason }),
  })
}

function transitionJson({ hash }: Mandate, transition: Transition): string {
  const { id, from, to, triggeredBy, metadata, createdAt, anchor } = transition
  const head = { id, from_state: from, to_state: to, mandate_hash: hash, triggered_by: triggeredBy }
  const rest = {
    created_at: createdAt,
    anchor_status: anchor?.status ?? 'none',
    anchor_tx_hash: anchor?.txHash ?? null,
    anchor_block_number: anchor?.blockNumber ?? null,
    anchor_chain: anchor && anchor.chainId !== null ? `eip155:${anchor.chainId}` : null,
  }
  return `{${members(head)},"metadata":${metadata},${members(rest)}}`
}

function members(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}
