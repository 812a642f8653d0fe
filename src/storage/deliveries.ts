import type { Stored, Type } from '../domain/event.ts'
import type { Invoice } from '../domain/invoice.ts'
import * as View from '../domain/invoice-view.ts'
import { array, type Scalar, type Sql, within } from './db.ts'
import { loadMany } from './invoices.ts'

/** Everything one attempt needs. */
export type Attemptable = {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly secretSealed: Uint8Array
  /** The one before it, while a rotation overlaps. */
  readonly previousSecretSealed: Uint8Array | null
  /** Which attempt this will be; the first is 1. */
  readonly attempt: number
  readonly event: Stored
}

/** What came of an attempt. `retryDelayMs` null: there will be no other. */
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
  /** The receiver said it is gone for good. */
  readonly gone: boolean
  readonly retryDelayMs: number | null
}

/**
 * Takes those of `ids` that are due, for `leaseMs`: nobody else gets them meanwhile, and after it anybody may. What has been cancelled,
 * delivered or taken, or whose webhook is paused, is left out. The clock is the database's: processes' own may differ.
 */
export async function claim(
  sql: Sql,
  ids: readonly string[],
  leaseMs: number,
): Promise<readonly Attemptable[]> {
  const rows = await within(
    () => sql<ClaimedRow[]>`
    with waiting as (
      select deliveries.id, events.type, events.data, events.created_at
      from deliveries join webhooks on webhooks.id = webhook_id left join events using (subject_id, sequence)
      where deliveries.id = any(${array(ids)}::uuid[]) and ${isDue(sql)}
      for update of deliveries skip locked
    )
    -- One that was fanned out while its webhook was being deleted is cancelled here.
    update deliveries set leased_until = now() + ${leaseMs} * interval '1 millisecond', updated_at = now(),
      state = case when deleted_at is null then 'pending' else 'cancelled' end
    from waiting, webhooks where deliveries.id = waiting.id and webhooks.id = deliveries.webhook_id
    returning deliveries.id, deliveries.webhook_id, deliveries.state, deliveries.attempts, webhooks.url, webhooks.secret_sealed,
      case when webhooks.previous_secret_until > now() then webhooks.previous_secret_sealed end as previous_sealed,
      deliveries.subject_id, deliveries.sequence, waiting.type, waiting.data, waiting.created_at`,
  )
  const claimed = rows.filter(({ state }) => state === 'pending')
  const creations = claimed.filter(({ type }) => type === null).map((row) => row.subject_id)
  const invoices = new Map((await loadMany(sql, creations)).map((invoice) => [invoice.id, invoice]))
  return claimed.map((row) => decode(row, invoices.get(row.subject_id)))
}

/** Deliveries that are due and that nobody holds, in groups of at most 50 of one webhook; every webhook gets its share of `limit`. */
export async function due(
  sql: Sql,
  limit: number,
): Promise<readonly { readonly webhookId: string; readonly deliveryIds: readonly string[] }[]> {
  return within(
    () => sql<{ webhookId: string; deliveryIds: string[] }[]>`
    select webhook_id as "webhookId", array_agg(id order by place) as "deliveryIds" from (
      select deliveries.id, webhook_id, row_number() over (partition by webhook_id order by next_attempt_at) as place
      from deliveries join webhooks on webhooks.id = webhook_id
      where ${isDue(sql)}
      order by place limit ${limit}
    ) as waiting group by webhook_id, (place - 1) / 50`,
  )
}

/**
 * Writes what came of attempts, and how the webhooks fare, in one statement. A webhook that answers is well again; one that has failed for
 * five days, or says it is gone, is switched off with the reason. An outcome that comes after somebody else's for the same attempt,
 * or after the delivery was cancelled, is left out.
 */
export async function record(sql: Sql, outcomes: readonly Outcome[]): Promise<void> {
  if (outcomes.length === 0) return
  const column = (read: (outcome: Outcome) => Scalar) => array(outcomes.map(read))
  await within(
    () => sql`
    with outcome as (
      select * from unnest(
        ${column(({ id }) => id)}::uuid[], ${column(({ attempt }) => attempt)}::smallint[],
        ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
        ${column(({ durationMs }) => Math.round(durationMs))}::integer[], ${column(({ statusCode }) => statusCode)}::smallint[],
        ${column(({ error }) => error)}::text[], ${column(({ excerpt }) => excerpt)}::text[],
        ${column(({ delivered }) => delivered)}::boolean[], ${column(({ gone }) => gone)}::boolean[],
        ${column(({ retryDelayMs }) => retryDelayMs)}::bigint[]
      ) as outcome (id, attempt, started_at, duration_ms, status_code, error, excerpt, delivered, gone, retry_delay_ms)
    ),
    -- First, as deleting a webhook does: in the other order the two would deadlock.
    locked as (
      select from webhooks where id = any(${array([...new Set(outcomes.map(({ webhookId }) => webhookId))])}::uuid[])
      order by id for no key update
    ),
    moved as (
      update deliveries set attempts = outcome.attempt, leased_until = null, updated_at = now(),
        state = case when delivered then 'delivered' when retry_delay_ms is null then 'failed' else 'pending' end,
        next_attempt_at = now() + coalesce(retry_delay_ms, 0) * interval '1 millisecond'
      from outcome
      where deliveries.id = outcome.id and state = 'pending' and deliveries.attempts = outcome.attempt - 1
        and (select count(*) from locked) > 0
      returning deliveries.webhook_id, outcome.*
    ),
    logged as (
      insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status_code, error, response_excerpt)
      select id, attempt, started_at, duration_ms, status_code, error, excerpt from moved
    ),
    health as (
      select webhook_id, bool_or(delivered) as is_well, bool_or(gone) as is_gone from moved group by webhook_id
    ),
    verdict as (
      select id, is_well, case
        when is_gone then 'the receiver answered 410 Gone'
        when not is_well and failing_since < now() - interval '5 days' then 'every delivery failed for 5 days'
      end as reason
      from health join webhooks on webhooks.id = health.webhook_id
      -- Most are well and stay so: they need no new row version for every batch.
      where is_gone or not is_well or failing_since is not null
    )
    update webhooks set
      failing_since = case when not is_well then coalesce(failing_since, now()) end,
      active = active and reason is null,
      disabled_reason = case when active then reason else disabled_reason end,
      updated_at = case when active and reason is not null then now() else updated_at end
    from verdict where webhooks.id = verdict.id`,
  )
}

function isDue(sql: Sql) {
  return sql`deliveries.state = 'pending' and next_attempt_at <= now() and (leased_until is null or leased_until < now())
    and (webhooks.active or webhooks.deleted_at is not null)`
}

type ClaimedRow = {
  id: string
  webhook_id: string
  state: 'pending' | 'cancelled'
  attempts: number
  url: string
  secret_sealed: Uint8Array
  previous_sealed: Uint8Array | null
  subject_id: string
  sequence: number
  /** Null, like what follows, for the creation of an invoice: the invoice itself tells it. */
  type: Type | null
  data: string | null
  created_at: Date | null
}

function decode(row: ClaimedRow, invoice: Invoice | undefined): Attemptable {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_sealed,
    attempt: row.attempts + 1,
    event: { subjectId: row.subject_id, sequence: row.sequence, ...told(row, invoice) },
  }
}

function told({ type, data, created_at: createdAt }: ClaimedRow, invoice: Invoice | undefined) {
  if (type !== null && data !== null && createdAt !== null) return { type, data, createdAt }
  if (!invoice) throw new Error('an event outlives its invoice')
  return {
    type: 'invoice.created' as const,
    data: View.createdData(invoice),
    createdAt: new Date(invoice.createdAt),
  }
}
