import { canonical } from '../../domain/canonical.ts'
import type { Mandate } from '../../domain/mandates/mandate.ts'
import type { State } from '../../domain/mandates/states.ts'
import type { Summary } from '../../domain/mandates/view.ts'
import type { Receipt } from '../../domain/receipts/receipt.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { type IdempotencyRecord, keyColumns, overOldKey } from '../postgres/idempotency.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'
import { announceTrail } from '../webhooks/outbox.ts'

/** A mandate and PostgreSQL's time when it was read, which expiry goes by. */
export type Read = { readonly mandate: Mandate; readonly at: Date }

/** `event`: what subscribers receive; its `data` is JSON text. */
export type Step = {
  readonly sequence: number
  readonly from: State | null
  readonly to: State
  readonly triggeredBy: string
  /** JSON text. */
  readonly metadata: string
  readonly event: { readonly type: string; readonly data: string } | null
}

/** `expected`: the version that the transitions start from; 0: a new mandate. */
export type Change = {
  readonly expected: number
  readonly after: Mandate
  readonly steps: readonly Step[]
  readonly receipt: Receipt | null
  readonly idempotency: IdempotencyRecord | null
}

/**
 * Writes changes of different mandates, each if the mandate is still as loaded and has expired
 * exactly when the change is the expiry. Returns in the order given whether each was written.
 * Rejects as a whole when an idempotency key has been used.
 */
export async function commitAll(sql: Sql, changes: readonly Change[]): Promise<readonly boolean[]> {
  const rows = await statement<{ is_kept: boolean }[]>(sql)`
    with input as materialized (select * from ${rowsOf(sql, changes, inputColumns)}),
    created as (
      insert into mandates (id, account_id, version, state, proposer, counterparty, scope, terms, context, expires_at, canonical, hash,
        created_at, updated_at)
      select id, account_id, version, state, proposer, counterparty, scope, terms, context, expires_at, canonical, hash,
        created_at, updated_at
      from input where expected = 0 and expires_at > clock_timestamp() returning id
    ),
    -- In one order everywhere, against deadlocks.
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
      select kept.*, step.* from kept cross join lateral json_to_recordset(steps::json)
        as step (sequence integer, from_state text, to_state text, triggered_by text, metadata text, type text, data text)
    ),
    transitions as (
      insert into mandate_transitions (mandate_id, sequence, from_state, to_state, triggered_by, metadata, created_at)
      select id, sequence, from_state, to_state, triggered_by, metadata, updated_at from step
    ),
    anchored as (
      insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
      select gen_random_uuid(), 'mandate', id, sequence, decode(substr(hash, 3), 'hex'), to_state, 'pending', updated_at, updated_at
      from step where from_state is not null
    ),
    issued as (
      insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at)
      select receipt_id, account_id, 'agreement', ${uuidOf(sql)}, receipt_seed, receipt_claims, receipt_hash, updated_at
      from kept where receipt_hash is not null
    ),
    keys as (
      insert into idempotency_keys (account_id, route, key, request_hash, subject_id, made, created_at)
      select account_id, route, key, request_hash, ${uuidOf(sql)}, made, now()
      from kept where key is not null
      ${overOldKey(sql)}
    ),
    trail as (
      insert into events (subject_id, sequence, account_id, types, data, created_at)
      select ${uuidOf(sql)}, sequence, account_id, type, data, updated_at from step where type is not null
      returning subject_id, sequence, account_id, types
    ),
    announced as (${announceTrail(sql)})
    select kept.id is not null as is_kept from input left join kept using (id) order by input.place`
  return rows.map((row) => row.is_kept)
}

/** In the order given; undefined where there is none. */
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

/** Past `expires_at` and not yet in a final state. */
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

const inputColumns: Columns<Change> = {
  place: ['integer', (_, place) => place],
  expected: ['integer', ({ expected }) => expected],
  id: ['text', ({ after }) => after.id],
  account_id: ['uuid', ({ after }) => after.accountId],
  version: ['integer', ({ after }) => after.version],
  state: ['text', ({ after }) => after.state],
  hash: ['text', ({ after }) => after.hash],
  proposer_signature: ['text', ({ after }) => after.proposerSignature],
  counterparty_signature: ['text', ({ after }) => after.counterpartySignature],
  signed_by_proposer_at: ['timestamptz', ({ after }) => after.signedByProposerAt],
  signed_by_counterparty_at: ['timestamptz', ({ after }) => after.signedByCounterpartyAt],
  completed_at: ['timestamptz', ({ after }) => after.completedAt],
  disputed_at: ['timestamptz', ({ after }) => after.disputedAt],
  dispute_reason: ['text', ({ after }) => after.disputeReason],
  receipt_id: ['text', ({ after }) => after.receiptId],
  receipt_seed: ['bytea', ({ receipt }) => receipt?.seed ?? null],
  receipt_claims: ['json text', ({ receipt }) => receipt && canonical(receipt.claims)],
  receipt_hash: ['bytea', ({ receipt }) => receipt?.hash ?? null],
  updated_at: ['timestamptz', ({ after }) => after.updatedAt],
  steps: ['json text', ({ steps }) => JSON.stringify(steps.map(encodeStep))],
  // What is fixed at creation is sent only then.
  proposer: ['text', atCreation(({ proposer }) => proposer)],
  counterparty: ['text', atCreation(({ counterparty }) => counterparty)],
  scope: ['text', atCreation(({ scope }) => scope)],
  terms: ['text', atCreation(({ terms }) => terms)],
  context: ['text', atCreation(({ context }) => context)],
  expires_at: ['timestamptz', atCreation(({ expiresAt }) => expiresAt)],
  canonical: ['text', atCreation(({ canonical }) => canonical)],
  created_at: ['timestamptz', atCreation(({ createdAt }) => createdAt)],
  ...keyColumns(({ idempotency }) => idempotency),
}

function atCreation(read: (mandate: Mandate) => string | null) {
  return ({ expected, after }: Change) => (expected === 0 ? read(after) : null)
}

function encodeStep({ sequence, from, to, triggeredBy, metadata, event }: Step) {
  return {
    ...{ sequence, from_state: from, to_state: to, triggered_by: triggeredBy, metadata },
    ...event,
  }
}

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
