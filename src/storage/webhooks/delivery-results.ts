import { type Attempt, fullLogBytes } from '../../domain/webhooks/delivery.ts'
import type { Stored } from '../../domain/webhooks/event.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'
import type { Batch } from './deliveries.ts'

/** `retryDelayMs` null: there will be no further attempt. */
export type Outcome = {
  readonly place: number
  readonly event: Pick<Stored, 'subjectId' | 'sequence'>
  readonly attempt: Attempt
  readonly delivered: boolean
  /** The receiver answered 410 Gone. */
  readonly gone: boolean
  readonly retryDelayMs: number | null
}

export type Result = {
  readonly batch: Pick<Batch, 'id' | 'origin' | 'webhookId' | 'accountId' | 'url' | 'leasedAt'>
  readonly outcomes: readonly Outcome[]
}

/** A webhook that the service has disabled; `reason` is for its owner. */
export type Disabled = {
  readonly webhookId: string
  readonly accountId: string
  readonly reason: string
}

/**
 * Failures further apart than this are separate periods of failure. Longer than the day between two
 * attempts that a receiver may ask for.
 */
const samePeriod = '36 hours'

/**
 * Records the results of batches and the health of their webhooks, in one statement. Returns the
 * webhooks that this has disabled.
 * - A webhook that answers is healthy again. One that has failed for five days, or answered 410
 *   Gone, is disabled with the reason.
 * - Results for a URL say nothing about a URL set since, nor does a batch without attempts. What a
 *   410 of the old URL would have ended is due at once at the new one.
 * - A batch that is finished already, by another process or a deletion, is ignored.
 * - A success always counts. A failure counts unless a later attempt was decided on since the
 *   lease: then it is only logged.
 * - What was delivered once and then redelivered in vain is delivered.
 * - An attempt at a delivery whose log is full is not logged, unless it is its first success.
 */
export function record(sql: Sql, results: readonly Result[]): Promise<readonly Disabled[]> {
  return statement<Disabled[]>(sql)`
    with ${finishBatches(sql, results)},
    ${judgeDeliveries(sql)},
    ${writeDeliveries(sql)},
    health as (
      select webhook_id as id, url, bool_or(is_well) as is_well, bool_or(is_gone) as is_gone
      from result join done using (id) where is_well is not null group by webhook_id, url
    ),
    verdict as (
      select id, is_well, patient.failing_since, case
        when not patient.active then null
        when is_gone then 'the receiver answered 410 Gone'
        when not is_well and patient.failing_since < now() - interval '5 days' then 'every delivery failed for 5 days'
      end as reason
      from health join patient using (id, url)
    ),
    judged as (
      update webhooks set
        failing_since = case when not is_well then coalesce(verdict.failing_since, now()) end,
        last_failed_at = case when is_well then last_failed_at else now() end,
        active = active and reason is null,
        disabled_reason = case when active then reason else disabled_reason end,
        paused_at = case when reason is null then paused_at else now() end,
        updated_at = case when reason is null then updated_at else now() end
      from verdict where webhooks.id = verdict.id
      returning webhooks.id, account_id, reason
    )
    select id as "webhookId", account_id as "accountId", reason from judged where reason is not null`
}

/**
 * The CTEs `result` and `outcome`; `patient`, the webhooks that fail or have failed; and `done`,
 * the batches that this statement finishes. They lock webhooks, then batches, then deliveries, as a
 * deletion does, against deadlocks. Webhooks that stay well need no new row version.
 */
function finishBatches(sql: Sql, results: readonly Result[]) {
  const logged = results.flatMap(({ batch, outcomes }) =>
    outcomes
      .filter(({ delivered }) => batch.origin !== null || !delivered)
      .map((outcome) => ({ ...outcome, batchId: batch.id })),
  )
  const failing = results.filter(({ outcomes }) => outcomes.some(({ delivered }) => !delivered))
  const webhooksOf = (some: readonly Result[]) =>
    array([...new Set(some.map(({ batch }) => batch.webhookId))])
  return sql`result as (select * from ${rowsOf(sql, results, resultColumns, 'result')}),
    outcome as (select * from ${rowsOf(sql, logged, outcomeColumns, 'outcome')}),
    patient as (
      select id, url, active, case when last_failed_at > now() - ${samePeriod}::interval then failing_since end as failing_since
      from webhooks where id = any(${webhooksOf(results)}::uuid[])
        and (webhooks.failing_since is not null or id = any(${webhooksOf(failing)}::uuid[]))
      order by id for no key update
    ),
    kept as (
      update delivery_batches set due_at = null, log = result.log from result
      where delivery_batches.id = result.id and due_at is not null and origin is null and (select count(*) from patient) >= 0
      returning delivery_batches.*
    ),
    cleared as (
      delete from delivery_batches using result
      where delivery_batches.id = result.id and origin is not null and (select count(*) from patient) >= 0
      returning delivery_batches.*
    ),
    done as (select * from kept union all select * from cleared)`
}

/** The CTE `decided`: what becomes of each delivery. Locked first, as it may be redelivered now. */
function judgeDeliveries(sql: Sql) {
  // No receiver can forge this: quotes in what it answers are escaped in the log.
  const gotThrough = sql`log_before ~ '"statusCode" ?: ?2'`
  return sql`before as (
      select deliveries.* from outcome join cleared using (id)
      join deliveries on deliveries.batch_id = origin and deliveries.place = outcome.place
      for no key update of deliveries
    ),
    attempted as (
      select outcome.*, coalesce(origin, outcome.id) as batch_id, done.webhook_id, done.is_test, done.created_at, before.state as state_before,
        before.log as log_before, before.next_attempt_at as next_before, coalesce(before.attempts, 0) as attempts_before,
        before.state is null or before.state = 'pending' and before.next_attempt_at <= leased_at as is_latest,
        patient.url <> result.url as has_moved
      from outcome join done using (id) join result using (id)
      left join before on before.batch_id = origin and before.place = outcome.place
      left join patient on patient.id = done.webhook_id
    ),
    decided as (
      select attempted.*,
        case
          when delivered then 'delivered'
          when not is_latest then state_before
          when retry_delay_ms is not null or gone and has_moved then 'pending'
          when ${gotThrough} then 'delivered'
          else 'failed'
        end as state,
        -- No more than fit in the column: deliveries can be repeated without end.
        least(attempts_before + is_latest::integer, 32767) as attempts,
        case when is_latest then now() + coalesce(retry_delay_ms, 0) * interval '1 millisecond' else next_before end as next_attempt_at,
        case when octet_length(log_before) >= ${fullLogBytes} and not (delivered and not ${gotThrough}) then '' else log end as logged
      from attempted
    )`
}

/** The CTEs that write what was decided, with a batch for what is to be retried. */
function writeDeliveries(sql: Sql) {
  return sql`moved as (
      insert into deliveries (batch_id, place, webhook_id, subject_id, sequence, is_test, attempts, state, log, next_attempt_at, created_at)
      select batch_id, place, webhook_id, subject_id, sequence, is_test, attempts, state, logged, next_attempt_at, created_at from decided
      on conflict (batch_id, place) do update
        set attempts = excluded.attempts, state = excluded.state, next_attempt_at = excluded.next_attempt_at,
          log = concat_ws(',', nullif(deliveries.log, ''), nullif(excluded.log, ''))
    ),
    again as (
      insert into delivery_batches (webhook_id, origin, places, subject_ids, sequences, is_test, created_at, due_at)
      select webhook_id, batch_id, array_agg(place), array_agg(subject_id), array_agg(sequence), is_test, now(), next_attempt_at
      from decided where state = 'pending' and is_latest group by webhook_id, batch_id, is_test, next_attempt_at
    )`
}

const resultColumns: Columns<Result> = {
  id: ['bigint', ({ batch }) => BigInt(batch.id)],
  is_well: ['boolean', ({ outcomes }) => isWell(outcomes)],
  is_gone: ['boolean', ({ outcomes }) => outcomes.some(({ gone }) => gone)],
  url: ['text', ({ batch }) => batch.url],
  leased_at: ['timestamptz', ({ batch }) => batch.leasedAt],
  log: ['json text', firstLog],
}

const outcomeColumns: Columns<Outcome & { readonly batchId: string }> = {
  id: ['bigint', ({ batchId }) => BigInt(batchId)],
  place: ['smallint', ({ place }) => place],
  subject_id: ['uuid', ({ event }) => event.subjectId],
  sequence: ['integer', ({ event }) => event.sequence],
  delivered: ['boolean', ({ delivered }) => delivered],
  gone: ['boolean', ({ gone }) => gone],
  retry_delay_ms: ['bigint', ({ retryDelayMs }) => retryDelayMs],
  log: ['json text', ({ attempt }) => JSON.stringify(attempt)],
}

/** Whether the receiver took any; null where nothing was due any more. */
function isWell(outcomes: readonly Outcome[]): boolean | null {
  return outcomes.length === 0 ? null : outcomes.some(({ delivered }) => delivered)
}

/** The log kept in the announced batch: its successful attempts by place. Null for a retry. */
function firstLog({ batch, outcomes }: Result): string | null {
  if (batch.origin !== null) return null
  const log: (Attempt | null)[] = Array(outcomes.length).fill(null)
  for (const { place, attempt, delivered } of outcomes) if (delivered) log[place] = attempt
  return JSON.stringify(log)
}
