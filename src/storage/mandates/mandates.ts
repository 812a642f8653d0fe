import type { Mandate } from '../../domain/mandates/mandate.ts'
import type { State } from '../../domain/mandates/states.ts'
import type { Summary } from '../../domain/mandates/view.ts'
import type { Receipt } from '../../domain/receipts/receipt.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { encodeKey, type IdempotencyRecord, overOldKey } from '../postgres/idempotency.ts'
import { announceTrail } from '../webhooks/outbox.ts'

/** A mandate and the time it was read, by PostgreSQL's clock, which expiry goes by. */
export type Read = { readonly mandate: Mandate; readonly at: Date }

/** One transition. `event` is what subscribers receive; its `data` is JSON text. */
export type Step = {
  readonly sequence: number
  readonly from: State | null
  readonly to: State
  readonly triggeredBy: string
  /** JSON text. */
  readonly metadata: string
  readonly event: { readonly type: string; readonly data: string } | null
}

/**
 * A mandate as some transitions leave it. `expected` is the version they start from; 0: the mandate
 * is new.
 */
export type Change = {
  readonly expected: number
  readonly after: Mandate
  readonly steps: readonly Step[]
  readonly receipt: Receipt | null
  readonly idempotency: IdempotencyRecord | null
}

/**
 * Writes changes of different mandates in one statement, each with its transitions, their anchors,
 * its receipt, its events and its idempotency key. A change is written if:
 * - the mandate is still as loaded, and
 * - it has expired exactly when the change is the expiry; a new mandate must not have expired.
 *
 * Returns for each change, in the order given, whether it was written. Rejects as a whole when an
 * idempotency key has been used.
 */
export async function commitAll(sql: Sql, changes: readonly Change[]): Promise<readonly boolean[]> {
  const rows = await statement<{ is_kept: boolean }[]>(sql)`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(changes.map(encode))}::text::json) as input (
        place integer, expected integer, id text, account_id uuid, version integer, state text, proposer text, counterparty text,
        scope text, terms text, context text, expires_at timestamptz, canonical text, hash text,
        proposer_signature text, counterparty_signature text, signed_by_proposer_at timestamptz, signed_by_counterparty_at timestamptz,
        completed_at timestamptz, disputed_at timestamptz, dispute_reason text, receipt_id text, created_at timestamptz,
        updated_at timestamptz, steps json, receipt json, route text, key text, request_hash text, made text
      )
    ),
    created as (
      insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, context, expires_at, canonical, hash,
        created_at, updated_at)
      select id, account_id, version, state, proposer, counterparty, scope, terms, context, expires_at, canonical, hash,
        created_at, updated_at
      from input where expected = 0 and expires_at > clock_timestamp() returning id
    ),
    -- In one order everywhere, or two processes would wait for each other.
    unchanged as materialized (
      select mandates.id from mandates join input on mandates.id = input.id and mandates.version = input.expected
      order by mandates.id for no key update of mandates
    ),
    moved as (
      update mandates set version = input.version, state = input.state, proposer_signature = input.proposer_signature,
        counterparty_signature = input.counterparty_signature, signed_by_proposer_at = input.signed_by_proposer_at,
        signed_by_counterparty_at = input.signed_by_counterparty_at, completed_at = input.completed_at,
        disputed_at = input.disputed_at, dispute_reason = input.dispute_reason, receipt_id = input.receipt_id,
        updated_at = input.updated_at
      from input join unchanged using (id) where mandates.id = input.id and mandates.version = input.expected
        and (input.state = 'expired') = (mandates.expires_at <= clock_timestamp())
      returning mandates.id
    ),
    kept as (
      select input.* from input join (select id from created union all select id from moved) as written using (id)
    ),
    step as (
      select kept.*, step.* from kept cross join lateral json_to_recordset(steps)
        as step (sequence integer, from_state text, to_state text, triggered_by text, metadata text, type text, data text)
    ),
    transitions as (
      insert into mandate_transitions (mandate_id, sequence, from_state, to_state, triggered_by, metadata, created_at)
      select id, sequence, from_state, to_state, triggered_by, metadata, updated_at from step
    ),
    anchored as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
      select gen_random_uuid(), 'mandate', id, sequence, hash, to_state, 'pending', updated_at, updated_at
      from step where from_state is not null
      union all
      select gen_random_uuid(), 'receipt', receipt_id, 0, receipt ->> 'hash', receipt_id, 'pending', updated_at, updated_at
      from kept where receipt is not null
    ),
    issued as (
      insert into receipts (id, account_id, kind, subject_id, preimage, hash, issued_at)
      select receipt_id, account_id, 'agreement', ${uuidOf(sql)}, receipt ->> 'preimage', receipt ->> 'hash', updated_at
      from kept where receipt is not null
    ),
    keys as (
      insert into idempotency_keys (account_id, route, key, request_hash, subject_id, made, created_at)
      select account_id, route, key, decode(request_hash, 'hex'), ${uuidOf(sql)}, made, now()
      from kept where key is not null
      ${overOldKey(sql)}
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, type, data, created_at)
      select ${uuidOf(sql)}, sequence, account_id, type, data, updated_at from step where type is not null
      returning subject_id, sequence, account_id, type
    ),
    announced as (${announceTrail(sql)})
    select kept.id is not null as is_kept from input left join kept using (id) order by input.place`
  return rows.map((row) => row.is_kept)
}

/** Mandates by id, in the order given; undefined where there is none. */
export async function loadMany(
  sql: Sql,
  ids: readonly string[],
): Promise<readonly (Read | undefined)[]> {
  const rows = await statement<(Row & { at: Date })[]>(
    sql,
  )`select *, clock_timestamp() as at from mandates where id = any(${array(ids)}::text[])`
  const found = new Map(rows.map((row) => [row.id, { mandate: decode(row), at: row.at }]))
  return ids.map((id) => found.get(id))
}

/** Mandates that are past `expires_at` and not yet in a final state. */
export async function due(
  sql: Sql,
  limit: number,
): Promise<readonly { readonly accountId: string; readonly id: string }[]> {
  return statement<{ accountId: string; id: string }[]>(sql)`
    select account_id as "accountId", id from mandates
    where expires_at <= now() and not is_over
    order by expires_at limit ${limit}`
}

// Events, receipts and idempotency keys refer to their subject by uuid.
function uuidOf(sql: Sql) {
  return sql`substr(id, 5)::uuid`
}

/**
 * One change as input of the statement. Fields fixed at creation are sent only with the creation.
 */
function encode({ expected, after, steps, receipt, idempotency }: Change, place: number) {
  return {
    place,
    expected,
    id: after.id,
    account_id: after.accountId,
    version: after.version,
    state: after.state,
    hash: after.hash,
    proposer_signature: after.proposerSignature,
    counterparty_signature: after.counterpartySignature,
    signed_by_proposer_at: after.signedByProposerAt,
    signed_by_counterparty_at: after.signedByCounterpartyAt,
    completed_at: after.completedAt,
    disputed_at: after.disputedAt,
    dispute_reason: after.disputeReason,
    receipt_id: after.receiptId,
    updated_at: after.updatedAt,
    steps: steps.map(({ sequence, from, to, triggeredBy, metadata, event }) => ({
      sequence,
      from_state: from,
      to_state: to,
      triggered_by: triggeredBy,
      metadata,
      ...event,
    })),
    ...(receipt && { receipt: { preimage: receipt.preimage, hash: receipt.hash } }),
    ...(expected === 0 && {
      proposer: after.proposer,
      counterparty: after.counterparty,
      scope: after.scope,
      terms: after.terms,
      context: after.context,
      expires_at: after.expiresAt,
      canonical: after.canonical,
      created_at: after.createdAt,
    }),
    ...(idempotency && encodeKey(idempotency)),
  }
}

/** A mandate as its row holds it. */
export type Row = SummaryRow & { canonical: string }

/** The columns that lists show. */
export type SummaryRow = {
  id: string
  account_id: string
  version: number
  state: State
  proposer: string
  counterparty: string
  scope: string
  terms: string
  context: string | null
  expires_at: Date
  hash: string
  proposer_signature: string | null
  counterparty_signature: string | null
  signed_by_proposer_at: Date | null
  signed_by_counterparty_at: Date | null
  completed_at: Date | null
  disputed_at: Date | null
  dispute_reason: string | null
  receipt_id: string | null
  created_at: Date
  updated_at: Date
}

export function decode(row: Row): Mandate {
  return { ...summaryOf(row), canonical: row.canonical }
}

export function summaryOf(row: SummaryRow): Summary {
  return {
    id: row.id,
    accountId: row.account_id,
    version: row.version,
    state: row.state,
    proposer: row.proposer,
    counterparty: row.counterparty,
    scope: row.scope,
    terms: row.terms,
    context: row.context,
    expiresAt: row.expires_at.toISOString(),
    hash: row.hash,
    proposerSignature: row.proposer_signature,
    counterpartySignature: row.counterparty_signature,
    signedByProposerAt: row.signed_by_proposer_at?.toISOString() ?? null,
    signedByCounterpartyAt: row.signed_by_counterparty_at?.toISOString() ?? null,
    completedAt: row.completed_at?.toISOString() ?? null,
    disputedAt: row.disputed_at?.toISOString() ?? null,
    disputeReason: row.dispute_reason,
    receiptId: row.receipt_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
