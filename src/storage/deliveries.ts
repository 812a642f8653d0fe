import type { Stored, Type } from '../domain/event.ts'
import { array, type Sql, within } from './db.ts'

/** Everything one attempt needs. */
export type Attemptable = {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  /** Sealed; the current one first, the one before it while a rotation overlaps. */
  readonly secretsSealed: readonly Uint8Array[]
  /** Which attempt this will be; the first is 1. */
  readonly attempt: number
  readonly event: Stored
}

/** What came of an attempt. `nextAttemptAt` null: there will be no other. */
export type Outcome = {
  readonly id: string
  readonly webhookId: string
  readonly attempt: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly excerpt: string | null
  readonly delivered: boolean
  readonly nextAttemptAt: Date | null
  /** The receiver said it is gone for good. */
  readonly gone: boolean
}

const disableAfter = '5 days'

/**
 * Takes those of `ids` that are due, for `leaseMs`: nobody else gets them meanwhile, and after it anybody may. What has been cancelled,
 * delivered or taken, or whose webhook is paused or gone, is left out.
 */
export async function claim(
  sql: Sql,
  ids: readonly string[],
  leaseMs: number,
  now: Date,
): Promise<readonly Attemptable[]> {
  const rows = await within(
    () => sql<ClaimedRow[]>`
    with due as (
      select deliveries.id from deliveries join webhooks on webhooks.id = webhook_id
      where deliveries.id = any(${array(ids)}::uuid[]) and state = 'pending' and next_attempt_at <= ${now}
        and (leased_until is null or leased_until < ${now}) and webhooks.active and webhooks.deleted_at is null
      for update of deliveries skip locked
    )
    update deliveries set leased_until = ${new Date(now.getTime() + leaseMs)}
    from due, webhooks, events
    where deliveries.id = due.id and webhooks.id = deliveries.webhook_id
      and events.subject_id = deliveries.subject_id and events.sequence = deliveries.sequence
    returning deliveries.id, deliveries.webhook_id, deliveries.attempts, webhooks.url, webhooks.secret_sealed,
      case when webhooks.previous_secret_until > ${now} then webhooks.previous_secret_sealed end as previous_sealed,
      events.subject_id, events.sequence, events.type, events.data, events.created_at`,
  )
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    secretsSealed: [row.secret_sealed, ...(row.previous_sealed ? [row.previous_sealed] : [])],
    attempt: row.attempts + 1,
    event: {
      subjectId: row.subject_id,
      sequence: row.sequence,
      type: row.type,
      data: row.data,
      createdAt: row.created_at,
    },
  }))
}

/**
 * Writes what came of attempts, and how the webhooks fare, in one statement: one that answers is well again; one that has failed
 * for five days, or says it is gone, is switched off with the reason.
 */
export async function record(sql: Sql, outcomes: readonly Outcome[], now: Date): Promise<void> {
  if (outcomes.length === 0) return
  const column = (read: (outcome: Outcome) => string | number | boolean | null) =>
    array(outcomes.map(read))
  await within(
    () => sql`
    with outcome as (
      select * from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ webhookId }) => webhookId)}::uuid[],
        ${column(({ attempt }) => attempt)}::smallint[], ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
        ${column(({ durationMs }) => Math.round(durationMs))}::integer[], ${column(({ statusCode }) => statusCode)}::smallint[],
        ${column(({ error }) => error)}::text[], ${column(({ excerpt }) => excerpt)}::text[],
        ${column(({ delivered }) => delivered)}::boolean[],
        ${column(({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null)}::timestamptz[], ${column(({ gone }) => gone)}::boolean[]
      ) as outcome (id, webhook_id, attempt, started_at, duration_ms, status_code, error, excerpt, delivered, next_at, gone)
    ),
    logged as (
      insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status_code, error, response_excerpt)
      select id, attempt, started_at, duration_ms, status_code, error, excerpt from outcome on conflict do nothing
    ),
    moved as (
      update deliveries set attempts = outcome.attempt, leased_until = null, updated_at = ${now},
        state = case when outcome.delivered then 'delivered' when outcome.next_at is null then 'failed' else 'pending' end,
        next_attempt_at = coalesce(outcome.next_at, deliveries.next_attempt_at)
      from outcome where deliveries.id = outcome.id and deliveries.state = 'pending'
    ),
    health as (
      select webhook_id, bool_or(delivered) as answered, bool_or(gone) as gone from outcome group by webhook_id order by webhook_id
    )
    update webhooks set
      failing_since = case when health.answered then null else coalesce(failing_since, ${now}) end,
      active = active and not (health.gone or (not health.answered and failing_since < ${now}::timestamptz - ${disableAfter}::interval)),
      disabled_reason = case
        when not active then disabled_reason
        when health.gone then 'the receiver answered 410 Gone'
        when not health.answered and failing_since < ${now}::timestamptz - ${disableAfter}::interval then 'every delivery failed for 5 days'
      end,
      updated_at = case when health.answered and failing_since is null then updated_at else ${now} end
    from health where webhooks.id = health.webhook_id
      -- A webhook that goes on being well needs no new row version for every batch.
      and not (health.answered and failing_since is null)`,
  )
}

/** Deliveries whose next attempt is due and that nobody holds, by webhook. */
export async function due(
  sql: Sql,
  limit: number,
  now: Date,
): Promise<readonly { readonly webhookId: string; readonly deliveryIds: readonly string[] }[]> {
  return within(
    () => sql<{ webhookId: string; deliveryIds: string[] }[]>`
    select webhook_id as "webhookId", array_agg(id) as "deliveryIds" from (
      select deliveries.id, webhook_id from deliveries join webhooks on webhooks.id = webhook_id
      where state = 'pending' and next_attempt_at <= ${now} and (leased_until is null or leased_until < ${now})
        and webhooks.active and webhooks.deleted_at is null
      order by next_attempt_at limit ${limit}
    ) as waiting group by webhook_id`,
  )
}

type ClaimedRow = {
  id: string
  webhook_id: string
  attempts: number
  url: string
  secret_sealed: Uint8Array
  previous_sealed: Uint8Array | null
  subject_id: string
  sequence: number
  type: Type
  data: string
  created_at: Date
}
