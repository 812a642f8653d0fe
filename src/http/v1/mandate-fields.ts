import { Type } from '@sinclair/typebox'
import type { KeyHolder, Proposal } from '../../actors/mandates.ts'
import { DomainError, invalidField } from '../../domain/error.ts'
import { parseDeadline, parseInstant } from '../../domain/instant.ts'
import { type Agreement, endlessNumber, inexactInteger } from '../../domain/mandates/canonical.ts'
import { type Signer, signers, unfit } from '../../domain/mandates/mandate.ts'
import { states } from '../../domain/mandates/states.ts'
import type { Listed, ListQuery } from '../../domain/mandates/view.ts'
import type { Call } from '../operation.ts'
import type { Body } from '../request/json.ts'
import { decodeCursor, encodeCursor, pageIn } from '../request/paging.ts'
import { listQueryOf, stateFilter } from '../request/request-url.ts'
import { line, meant, missing, optional, prose } from '../request/validation.ts'

/** What callers send about mandates, and how it is read. */

const agent = line(256)
const freeForm = Type.Object(
  {},
  { additionalProperties: true, description: 'must be an object of at most 64 KiB' },
)
const instantRule = 'must be an ISO 8601 timestamp with Z or an offset'
const expiryRule = 'must be an ISO 8601 date, or a timestamp with Z or an offset'

const scope = meant(
  prose(4_000),
  'What work is authorised, in words, such as `Summarise 100 documents`. It is signed.',
)
const terms = meant(
  freeForm,
  'What is agreed: a JSON object of at most 64 KiB. It is signed. `amount` (a decimal) and `currency` together limit what may be paid under the mandate.',
)
const proposer = meant(agent, 'Who proposes and signs first: an agent id of your choice.')
const counterparty = meant(agent, 'Who signs second: an agent id of your choice.')

export const ProposeMandate = Type.Object({
  proposer,
  counterparty,
  scope,
  terms,
  expiry: meant(
    Type.String({ description: expiryRule }),
    'When the mandate ends: an ISO 8601 timestamp in the future with Z or an offset, or a date, whose last millisecond (UTC) is meant. After that it cannot be signed, completed or disputed.',
  ),
  context: optional(freeForm, 'Your own data: a JSON object of at most 64 KiB. It is not signed.'),
})

export const CanonicalizeMandate = Type.Object({
  id: meant(line(256), 'The id of the mandate, from the answer to its proposal.'),
  proposer_agent_id: proposer,
  counterparty_agent_id: counterparty,
  scope,
  terms,
  expires_at: meant(
    Type.String({ description: instantRule }),
    'When the mandate ends: an ISO 8601 timestamp with Z or an offset. It is signed in UTC, to the millisecond.',
  ),
})

export const SignMandate = Type.Object({
  signer: meant(
    Type.Union(signers.map((signer) => Type.Literal(signer))),
    'As whom to sign; the proposer signs first.',
  ),
  signature: meant(
    Type.String({ minLength: 1 }),
    '64 hex digits: the HMAC-SHA256 of the canonical bytes under the signing secret of the account.',
  ),
})

const triggeredBy = optional(
  line(256),
  'Who or what caused this, recorded with the transition. Default: `system`.',
)
export const CompleteMandate = Type.Object({ triggered_by: triggeredBy })

export const DisputeMandate = Type.Object({
  triggered_by: triggeredBy,
  // May be empty here, because an empty reason has a refusal of its own.
  reason: meant({ ...prose(4_000), minLength: 0 }, 'What went wrong, for people to read.'),
})

export function actorOf({ principal: { accountId, keyId } }: Call): KeyHolder {
  return { accountId, keyId }
}

/** A body's `invalid_request` in the terms of a proposal: `missing_field` or `invalid_field`. */
export function asField({ message, details }: DomainError): DomainError {
  const isMissing = Array.isArray(details) && details[0]?.message === missing
  const reason = isMissing ? 'missing_field' : 'invalid_field'
  return new DomainError(reason, message, details && { details })
}

/** A body's `invalid_request` as `invalid_signer` or `missing_signature`; any other unchanged. */
export function asSignature(refusal: DomainError): DomainError {
  const details = Array.isArray(refusal.details) ? refusal.details : []
  const isWrong = (field: string) => details.some(({ path }) => path === field)
  if (isWrong('signer'))
    return new DomainError('invalid_signer', 'signer must be proposer or counterparty')
  if (isWrong('signature'))
    return new DomainError('missing_signature', 'signature must be a text of 64 hex digits')
  return refusal
}

/** A dispute's `invalid_request` as `missing_reason` if only that is wrong. */
export function asReason(refusal: DomainError): DomainError {
  const { details } = refusal
  const [first, ...others] = Array.isArray(details) ? details : []
  const isMissing = first?.path === 'reason' && first.message === missing && others.length === 0
  return isMissing ? noReason() : refusal
}

function noReason(): DomainError {
  return new DomainError('missing_reason', 'reason must say why')
}

/** The proposal in a body that fits its schema. Errors: `invalid_field`. */
export function proposalOf(body: Body): Proposal {
  const { proposer, counterparty, scope, expiry } = body.value as typeof ProposeMandate.static
  return {
    proposer,
    counterparty,
    scope,
    terms: exactTermsOf(body),
    context: body.source('context') === undefined ? null : boundedSource(body, 'context', unfit),
    expiresAt: expiryOf(expiry),
  }
}

/** The agreement to canonicalise, from a body that fits its schema. Errors: `invalid_request`. */
export function agreementOf(body: Body): Agreement {
  const value = body.value as typeof CanonicalizeMandate.static
  return {
    id: value.id,
    proposer: value.proposer_agent_id,
    counterparty: value.counterparty_agent_id,
    scope: value.scope,
    terms: termsOf(body, invalidField),
    expiresAt: instantOf(value.expires_at),
  }
}

export function signingOf({ value }: Body): { signer: Signer; signature: string } {
  const { signer, signature } = value as typeof SignMandate.static
  return { signer, signature }
}

export function triggerOf({ value }: Body): { triggeredBy: string } {
  const { triggered_by = 'system' } = value as typeof CompleteMandate.static
  return { triggeredBy: triggered_by }
}

/** The dispute in a body that fits its schema. Errors: `missing_reason`. */
export function disputeOf(body: Body): { triggeredBy: string; reason: string } {
  const { reason } = body.value as typeof DisputeMandate.static
  if (reason.trim() === '') throw noReason()
  return { reason, ...triggerOf(body) }
}

export type Page = {
  readonly page: number
  /** Whether the caller named the page by its number and not by a cursor. */
  readonly isByNumber: boolean
  readonly query: ListQuery
}

/** Errors: `invalid_request`. */
export function pageOf(url: string): Page {
  return listQueryOf(url, (parameter) => {
    const { page, ...place } = pageIn(parameter, idIn)
    return {
      page,
      isByNumber: parameter('page') !== null && place.after === null,
      query: { state: stateFilter(parameter, states), ...place },
    }
  })
}

/**
 * Refuses a numbered page that ends early because its mandates are large, or follows one that does:
 * the next number would skip what was left out. Errors: `invalid_request`.
 */
export function checkWhole({ isByNumber, query }: Page, found: Listed): void {
  const { mandates, hasMore, isBehindShort } = found
  const isShort = hasMore && mandates.length < query.limit
  if (isByNumber && (isShort || isBehindShort))
    throw invalidField(
      'limit',
      'is too high for mandates as large as these: ask for fewer, or leave out page and follow nextCursor',
    )
}

/** The cursor of what follows a mandate in the list. */
export function cursorOf({ id }: Listed['mandates'][number]): string {
  return encodeCursor(id)
}

function idIn(cursor: string): string | null {
  const id = decodeCursor(cursor)
  return /^mnd_[0-9a-f-]{36}$/.test(id) ? id : null
}

type Refuse = (path: string, message: string) => DomainError

const mostBytes = 65_536

function boundedSource(body: Body, name: string, refuse: Refuse): string {
  const source = body.source(name) ?? ''
  if (Buffer.byteLength(source) > mostBytes) throw refuse(name, 'must be at most 64 KiB')
  return source
}

function termsOf(body: Body, refuse: Refuse): string {
  const terms = boundedSource(body, 'terms', refuse)
  const endless = endlessNumber(terms)
  if (endless) throw refuse('terms', `holds a number that is too large: ${endless.slice(0, 40)}`)
  return terms
}

/** Programs read integers beyond ±(2^53 − 1) differently, and both parties must agree. */
function exactTermsOf(body: Body): string {
  const terms = termsOf(body, unfit)
  const inexact = inexactInteger(terms)
  if (inexact) throw unfit('terms', `holds an integer beyond 2^53 - 1: ${inexact.slice(0, 40)}`)
  return terms
}

const explicitZone = /(?:[Zz]|[+-]\d\d:\d\d)$/

function instantOf(text: string): string {
  const instant = explicitZone.test(text) ? parseInstant(text) : null
  if (!instant) throw invalidField('expires_at', instantRule)
  return instant.toISOString()
}

function expiryOf(text: string): string {
  const instant = parseDeadline(text)
  if (!instant) throw unfit('expiry', expiryRule)
  return instant.toISOString()
}
