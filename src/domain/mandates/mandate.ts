import { DomainError } from '../error.ts'
import { hashOf } from '../hash.ts'
import { type Agreement, canonicalText, isSame, isSignedWith } from './canonical.ts'
import type { State } from './states.ts'

export const signers = ['proposer', 'counterparty'] as const
export type Signer = (typeof signers)[number]

/** Instants are ISO 8601 in UTC; `context` is JSON text, verbatim; signatures are 64 hex digits. */
export type Mandate = Agreement & {
  readonly accountId: string
  readonly version: number
  readonly state: State
  readonly context: string | null
  /** The text both parties sign; it never changes. */
  readonly canonical: string
  /** 0x + SHA-256 of `canonical`. */
  readonly hash: string
  readonly proposerSignature: string | null
  readonly counterpartySignature: string | null
  readonly signedByProposerAt: string | null
  readonly signedByCounterpartyAt: string | null
  readonly completedAt: string | null
  readonly disputedAt: string | null
  readonly disputeReason: string | null
  readonly receiptId: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

type Proposal = {
  readonly accountId: string
  readonly agreement: Agreement
  readonly context: string | null
}

/** The party the caller names, and the API key. */
type Cause = { readonly triggeredBy: string; readonly keyId: string | null }

export type Command =
  | (Proposal & { readonly kind: 'propose'; readonly keyId: string })
  | {
      readonly kind: 'sign'
      readonly signer: Signer
      readonly signature: string
      /** The current secret and, during a rotation, the previous one. */
      readonly secrets: readonly string[]
      /** The receipt that the second signature issues. */
      readonly receiptId: string
      readonly keyId: string
    }
  | (Cause & { readonly kind: 'complete' })
  | (Cause & { readonly kind: 'dispute'; readonly reason: string })
  | { readonly kind: 'expire' }

export type Event = Cause &
  (
    | { readonly to: 'proposed'; readonly proposal: Proposal }
    | { readonly to: 'signed_by_proposer'; readonly signature: string }
    | { readonly to: 'signed_by_both'; readonly signature: string; readonly receiptId: string }
    | { readonly to: 'disputed'; readonly reason: string }
    | { readonly to: 'in_progress' | 'completed' | 'expired' }
  )

type Move = 'sign:proposer' | 'sign:counterparty' | 'complete' | 'dispute' | 'expire'

/** The specification's table: by move and current state, the states passed through. */
const moves = {
  'sign:proposer': { proposed: ['signed_by_proposer'] },
  'sign:counterparty': { signed_by_proposer: ['signed_by_both'] },
  complete: { signed_by_both: ['in_progress', 'completed'], in_progress: ['completed'] },
  dispute: { signed_by_both: ['disputed'], in_progress: ['disputed'] },
  expire: {
    proposed: ['expired'],
    signed_by_proposer: ['expired'],
    signed_by_both: ['expired'],
    in_progress: ['expired'],
  },
} as const satisfies Record<Move, Partial<Record<State, readonly State[]>>>

/**
 * PostgreSQL checks the expiry of a proposal when it is stored. Errors: `mandate_not_found`;
 * `invalid_transition` (wrong state or expired); `invalid_signature`, checked last.
 */
export function decide(
  mandate: Mandate | undefined,
  command: Command,
  now: Date,
): readonly Event[] {
  if (command.kind === 'propose') return propose(command)
  if (!mandate) throw new DomainError('mandate_not_found', 'No such mandate')
  switch (command.kind) {
    case 'sign':
      return sign(mandate, command, now)
    case 'complete':
      return path(mandate, 'complete', now).map((to) => ({ to, ...causeOf(command) }))
    case 'dispute':
      return path(mandate, 'dispute', now).map((to) => {
        return { to, reason: command.reason, ...causeOf(command) }
      })
    case 'expire':
      return isOver(mandate, now) ? [{ to: 'expired', ...bySystem }] : []
  }
}

/** The mandate after `events`, which happened at `now`. */
export function evolve(
  mandate: Mandate | undefined,
  events: readonly Event[],
  now: Date,
): Mandate | undefined {
  return events.reduce((before, event) => apply(before, event, now.toISOString()), mandate)
}

/** An `invalid_field` that names the one field of a proposal that is wrong. */
export function unfit(path: string, message: string): DomainError {
  return new DomainError('invalid_field', `${path}: ${message}`, { details: [{ path, message }] })
}

/** The error for a proposal whose expiry is not in the future. */
export function overAlready(): DomainError {
  return unfit('expiry', 'must lie in the future')
}

/** Whether it is past its expiry without a transition that records it. */
export function isOver(mandate: Pick<Mandate, 'state' | 'expiresAt'>, now: Date): boolean {
  return mandate.state in moves.expire && Date.parse(mandate.expiresAt) <= now.getTime()
}

/** Whether payments may be bound to it. */
export function isActive(mandate: Pick<Mandate, 'state' | 'expiresAt'>, now: Date): boolean {
  return mandate.state in moves.complete && !isOver(mandate, now)
}

/** Completes the sentence "The mandate …". */
export function stateInWords(mandate: Pick<Mandate, 'state' | 'expiresAt'>, now: Date): string {
  return isOver(mandate, now) ? 'has expired' : `is ${mandate.state}`
}

function propose({
  kind: _,
  keyId,
  ...proposal
}: Extract<Command, { kind: 'propose' }>): readonly Event[] {
  return [{ to: 'proposed', proposal, triggeredBy: 'proposer', keyId }]
}

function sign(
  mandate: Mandate,
  command: Extract<Command, { kind: 'sign' }>,
  now: Date,
): readonly Event[] {
  const { signer, signature, secrets, receiptId, keyId } = command
  const accepted = signer === 'proposer' ? mandate.proposerSignature : mandate.counterpartySignature
  // A retry must not fail, whatever has happened since.
  if (accepted !== null && isSame(accepted, signature)) return []
  const [to] = path(mandate, `sign:${signer}`, now)
  if (!isSignedWith(secrets, mandate.canonical, signature)) {
    throw new DomainError('invalid_signature', 'The signature does not fit this mandate')
  }
  const cause = { triggeredBy: signer, keyId, signature: signature.toLowerCase() }
  return to === 'signed_by_both' ? [{ to, receiptId, ...cause }] : to ? [{ to, ...cause }] : []
}

/** Errors: `invalid_transition`. */
function path<M extends Move>(mandate: Mandate, move: M, now: Date): readonly Reached<M>[] {
  const { state } = mandate
  const allowed: Partial<Record<State, readonly Reached<M>[]>> = moves[move]
  const states = allowed[state]
  if (!states || isOver(mandate, now)) {
    throw new DomainError(
      'invalid_transition',
      `The mandate ${stateInWords(mandate, now)}: ${refusals[move]}`,
    )
  }
  return states
}

type Values<T> = T[keyof T]
type Reached<M extends Move> = Extract<Values<(typeof moves)[M]>, readonly State[]>[number]

const refusals = {
  'sign:proposer': 'the proposer cannot sign it',
  'sign:counterparty': 'the counterparty cannot sign it',
  complete: 'it cannot be completed',
  dispute: 'it cannot be disputed',
  expire: 'it cannot expire',
} as const satisfies Record<Move, string>

const bySystem: Cause = { triggeredBy: 'system', keyId: null }

function causeOf({ triggeredBy, keyId }: Cause): Cause {
  return { triggeredBy, keyId }
}

function apply(before: Mandate | undefined, event: Event, at: string): Mandate {
  if (event.to === 'proposed') return proposed(event.proposal, at)
  if (!before) throw new Error('a transition of no mandate')
  const mandate: Mandate = {
    ...before,
    version: before.version + 1,
    state: event.to,
    updatedAt: at,
  }
  switch (event.to) {
    case 'signed_by_proposer':
      return { ...mandate, proposerSignature: event.signature, signedByProposerAt: at }
    case 'signed_by_both': {
      const { signature: counterpartySignature, receiptId } = event
      return { ...mandate, counterpartySignature, receiptId, signedByCounterpartyAt: at }
    }
    case 'completed':
      return { ...mandate, completedAt: at }
    case 'disputed':
      return { ...mandate, disputedAt: at, disputeReason: event.reason }
    case 'in_progress':
    case 'expired':
      return mandate
  }
}

function proposed({ accountId, agreement, context }: Proposal, at: string): Mandate {
  const canonical = canonicalText(agreement)
  return {
    ...agreement,
    accountId,
    version: 1,
    state: 'proposed',
    context,
    canonical,
    hash: hashOf(canonical),
    proposerSignature: null,
    counterpartySignature: null,
    signedByProposerAt: null,
    signedByCounterpartyAt: null,
    completedAt: null,
    disputedAt: null,
    disputeReason: null,
    receiptId: null,
    createdAt: at,
    updatedAt: at,
  }
}
