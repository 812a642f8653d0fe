import type { Attempt } from '../domain/delivery.ts'
import type { Stored, Type } from '../domain/event.ts'
import type { Invoice } from '../domain/invoice.ts'
import * as View from '../domain/invoice-view.ts'
import { array, columnOf, jsonTexts, type Sql, within } from './db.ts'
import { loadMany } from './invoices.ts'

/** Deliveries to one webhook that are due together. */
export type Batch = {
  readonly id: string
  /** For a retry, the batch the deliveries were announced in; null: this is that batch. */
  readonly origin: string | null
  readonly webhookId: string
  readonly accountId: string
  readonly url: string
  /** Whether these are deliveries of sample events. */
  readonly isTest: boolean
  /** The times of this lease are texts, because a Date would round microseconds away. */
  readonly leasedAt: string
  /** When this lease ends unless renewed. */
  readonly heldUntil: string
  readonly secretSealed: Uint8Array
  /** The previous secret, while a rotation overlaps. */
  readonly previousSecretSealed: Uint8Array | null
  readonly deliveries: readonly Attemptable[]
}

export type Attemptable = {
  /** Position in the batch the delivery was announced in. */
  readonly place: number
  /** The number of this attempt in the schedule; the first is 1. */
  readonly attempt: number
  readonly event: Stored
}

/** The result of an attempt. `retryDelayMs` is null when there will be no further attempt. */
export type Outcome = {
  readonly place: number
  readonly event: Pick<Stored, 'subjectId' | 'sequence'>
  readonly attempt: Attempt
  readonly delivered: boolean
  /** The receiver answered 410 Gone. */
  readonly gone: boolean
  readonly retryDelayMs: number | null
}

/** The results of a batch. */
export type Result = {
  readonly batch: Pick<Batch, 'id' | 'origin' | 'webhookId' | 'accountId' | 'url' | 'leasedAt'>
  readonly outcomes: readonly Outcome[]
}

/**
 * How long a lease lasts. It is renewed while attempts are in progress, however long they take, so
 * the batches of a worker that died wait no longer than this.
 */
export const leaseMs = 15_000
/**
 * How much longer a lease lasts whose worker hears too late that the webhook is wanted. It starts
 * the batch within this time or not at all, so while a lease has more than `leaseMs` left, a
 * deletion must wait.
 */
export const lateMs = 5_000

/**
 * Failures further apart than this do not count as one period of failure. Longer than the time
 * between two attempts at one delivery: a receiver may ask for a day between them.
 */
const samePeriod = '36 hours'

/** Most batches of one webhook in one lease. */
const batchesAtOnce = 4

/**
 * Leases up to four due batches of each webhook that is neither paused nor deleted: nobody else
 * gets them for `leaseMs`, after that anybody may. Deliveries that have since been made or
 * postponed are left out. Leases go by the database's clock, because processes' clocks may differ.
 */
export async function lease(
  sql: Sql,
  webhookIds: readonly string[],
  leaseMs: number,
): Promise<readonly Batch[]> {
  const rows = await within(
    () => sql<LeasedRow[]>`
    with next as (
      select batch.id from unnest(${array(webhookIds)}::uuid[]) as wanted (id)
      join webhooks on webhooks.id = wanted.id and active and deleted_at is null
      cross join lateral (
        select id from delivery_batches where webhook_id = wanted.id and due_at <= now()
        order by due_at limit ${batchesAtOnce} for update skip locked
      ) as batch
    ),
    taken as (
      update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond'
      from next where delivery_batches.id = next.id returning delivery_batches.*
    )
    select taken.id::text, origin::text, webhook_id as "webhookId", webhooks.account_id as "accountId", url,
      taken.is_test as "isTest", now()::text as "leasedAt", due_at::text as "heldUntil",
      secret_sealed as "secretSealed",
      case when previous_secret_until > now() then previous_secret_sealed end as "previousSecretSealed", (
        -- None, where nothing of it is due any more: such a batch is to be cleared away. Text with separators that JSON never holds costs less
        -- than JSON, and much less than rows.
        select string_agg(concat_ws(chr(30), one.place, coalesce(attempts, 0) + 1, one.subject_id, one.sequence, coalesce(type, ''),
          coalesce(extract(epoch from events.created_at) * 1000, 0), data), chr(29))
        from unnest(places, subject_ids, sequences) as one (place, subject_id, sequence)
        left join deliveries on batch_id = origin and deliveries.place = one.place
        left join events on events.subject_id = one.subject_id and events.sequence = one.sequence
        where origin is null or (state = 'pending' and next_attempt_at <= now())
      ) as due
    from taken join webhooks on webhooks.id = webhook_id`,
  )
  const batches = rows.map(({ due, ...batch }) => ({ batch, due: split(due) }))
  const creations = batches.flatMap(({ due }) => due.filter(isCreation).map(subjectOf))
  const invoices = new Map((await loadMany(sql, creations)).map((invoice) => [invoice.id, invoice]))
  return batches.map(({ batch, due }) => ({
    ...batch,
    deliveries: due.map((one) => decode(one, invoices)),
  }))
}

/**
 * The webhooks with due batches that no process has leased. Batches that a deletion overlooked are
 * cancelled first.
 */
export async function due(sql: Sql): Promise<readonly string[]> {
  const rows = await within(
    () => sql<{ id: string }[]>`
    with overlooked as (
      delete from delivery_batches using webhooks
      where webhooks.id = webhook_id and deleted_at is not null and due_at is not null returning origin, places
    ),
    cancelled as (${cancel(sql, 'overlooked')})
    select id from webhooks where active and deleted_at is null
      and exists (select from delivery_batches where webhook_id = webhooks.id and due_at <= now())`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Extends the lease of batches to `leaseMs` from now. A batch that another statement is
 * writing to at the moment is skipped: without waiting there is no deadlock.
 */
export async function renew(sql: Sql, batchIds: readonly string[], leaseMs: number): Promise<void> {
  await within(
    () => sql`
    with held as (
      select id from delivery_batches where id = any(${array(batchIds)}::bigint[]) and due_at is not null for update skip locked
    )
    update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond' from held where delivery_batches.id = held.id`,
  )
}

/**
 * Gives back a batch that was leased and not renewed: it is due again at once, unless it has been
 * leased again since.
 */
export async function release(
  sql: Sql,
  { id, heldUntil }: Pick<Batch, 'id' | 'heldUntil'>,
): Promise<void> {
  await within(
    () =>
      sql`update delivery_batches set due_at = now() where id = ${id} and due_at = ${heldUntil}::text::timestamptz`,
  )
}

/**
 * Leases for another `leaseMs` a batch that was leased and not renewed. Returns its new
 * `heldUntil`; null if it has been leased again since, or its webhook has changed.
 */
export async function leaseAgain(
  sql: Sql,
  { id, heldUntil, url, secretSealed }: Pick<Batch, 'id' | 'heldUntil' | 'url' | 'secretSealed'>,
  leaseMs: number,
): Promise<string | null> {
  const [leased] = await within(
    () => sql<Pick<Batch, 'heldUntil'>[]>`
    update delivery_batches set due_at = now() + ${leaseMs} * interval '1 millisecond' from webhooks
    where delivery_batches.id = ${id} and due_at = ${heldUntil}::text::timestamptz and webhooks.id = webhook_id
      and active and deleted_at is null and url = ${url} and secret_sealed = ${secretSealed}
    returning due_at::text as "heldUntil"`,
  )
  return leased?.heldUntil ?? null
}

/**
 * The ids of those webhooks, each given once, that are active, not deleted, and still have the URL
 * and the secret they were leased with.
 */
export async function wanted(
  sql: Sql,
  leased: readonly Pick<Batch, 'webhookId' | 'url' | 'secretSealed'>[],
): Promise<readonly string[]> {
  const of = columnOf(leased)
  const secrets = of(({ secretSealed }) => `\\x${Buffer.from(secretSealed).toString('hex')}`)
  const rows = await within(
    () => sql<{ id: string }[]>`
    select id from webhooks join unnest(${of(({ webhookId }) => webhookId)}::uuid[], ${of(({ url }) => url)}::text[], ${secrets}::bytea[])
      as leased (id, url, secret_sealed) using (id, url, secret_sealed)
    where active and deleted_at is null`,
  )
  return rows.map(({ id }) => id)
}

/**
 * The part of a statement that cancels the pending deliveries of the batches in the CTE that
 * `batches` names.
 */
export function cancel(sql: Sql, batches: string) {
  return sql`update deliveries set state = 'cancelled'
    from (select origin, unnest(places) as place from ${sql(batches)}) as waiting
    where batch_id = origin and deliveries.place = waiting.place and state = 'pending'`
}

/**
 * Records the results of batches and the health of their webhooks, in one statement.
 * - A webhook that answers is healthy again.
 * - A webhook that has failed for five days, or answered 410 Gone, is disabled with the reason.
 * - Failures far apart, with nothing between them, are separate periods: how the webhook fared
 *   meanwhile is unknown.
 * - Results for a URL say nothing about a URL set since.
 * - A batch that is finished already, because another process was faster or its webhook was
 *   deleted, is ignored.
 * - A success counts always. A failure counts unless a later attempt was decided on since the batch
 *   was leased, by a redelivery or by another failure: then it is only logged.
 * - What was delivered once and then redelivered in vain is delivered.
 */
export async function record(sql: Sql, results: readonly Result[]): Promise<void> {
  const told = results.flatMap(({ batch, outcomes }) =>
    outcomes
      .filter(({ delivered }) => batch.origin !== null || !delivered)
      .map((outcome) => ({ ...outcome, batchId: batch.id })),
  )
  const failing = results.filter(({ outcomes }) => outcomes.some(({ delivered }) => !delivered))
  const ofBatch = columnOf(results)
  const ofTold = columnOf(told)
  const webhooksOf = (some: readonly Result[]) =>
    array([...new Set(some.map(({ batch }) => batch.webhookId))])
  await within(
    () => sql`
    with result as (
      select * from unnest(
        ${ofBatch(({ batch }) => batch.id)}::bigint[], ${ofBatch(({ outcomes }) => outcomes.some(({ delivered }) => delivered))}::boolean[],
        ${ofBatch(({ outcomes }) => outcomes.some(({ gone }) => gone))}::boolean[], ${ofBatch(({ batch }) => batch.url)}::text[],
        ${ofBatch(({ batch }) => batch.leasedAt)}::text[]::timestamptz[], string_to_array(${jsonTexts(results.map(firstLog))}, chr(30), '')
      ) as result (id, is_well, is_gone, url, leased_at, log)
    ),
    outcome as (
      select * from unnest(
        ${ofTold(({ batchId }) => batchId)}::bigint[], ${ofTold(({ place }) => place)}::smallint[],
        ${ofTold(({ event }) => event.subjectId)}::uuid[], ${ofTold(({ event }) => event.sequence)}::integer[],
        ${ofTold(({ attempt }) => attempt.attempt)}::smallint[], ${ofTold(({ delivered }) => delivered)}::boolean[],
        ${ofTold(({ retryDelayMs }) => retryDelayMs)}::bigint[],
        string_to_array(${jsonTexts(told.map(({ attempt }) => JSON.stringify(attempt)))}, chr(30))
      ) as outcome (id, place, subject_id, sequence, attempt, delivered, retry_delay_ms, log)
    ),
    -- Webhooks, then batches, then deliveries, as deleting a webhook goes: in another order the two would deadlock. Most webhooks are
    -- well and stay so: they need no new row version for every batch.
    patient as (
      select id, url, case when last_failed_at > now() - ${samePeriod}::interval then failing_since end as failing_since
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
    done as (select * from kept union all select * from cleared),
    -- Locked first: a redelivery may be asked for while it is decided what becomes of them.
    before as (
      select deliveries.* from outcome join cleared using (id)
      join deliveries on deliveries.batch_id = origin and deliveries.place = outcome.place
      for no key update of deliveries
    ),
    told as (
      select outcome.*, coalesce(origin, id) as batch_id, done.webhook_id, done.is_test, done.created_at, before.state as state_before,
        before.log as log_before, before.next_attempt_at as next_before, coalesce(before.attempts, 0) as attempts_before,
        before.state is null or before.state = 'pending' and before.next_attempt_at <= leased_at as is_latest
      from outcome join done using (id) join result using (id)
      left join before on before.batch_id = origin and before.place = outcome.place
    ),
    decided as (
      select told.*,
        case
          when delivered then 'delivered'
          when not is_latest then state_before
          when retry_delay_ms is not null then 'pending'
          -- It had got through. No receiver can write this into the log: in what it answers, quotes are escaped.
          when log_before ~ '"statusCode" ?: ?2' then 'delivered'
          else 'failed'
        end as state,
        attempts_before + is_latest::integer as attempts,
        case when is_latest then now() + coalesce(retry_delay_ms, 0) * interval '1 millisecond' else next_before end as next_attempt_at
      from told
    ),
    moved as (
      insert into deliveries (batch_id, place, webhook_id, subject_id, sequence, is_test, attempts, state, log, next_attempt_at, created_at)
      select batch_id, place, webhook_id, subject_id, sequence, is_test, attempts, state, log, next_attempt_at, created_at from decided
      on conflict (batch_id, place) do update
        set attempts = excluded.attempts, state = excluded.state, next_attempt_at = excluded.next_attempt_at,
          log = concat_ws(',', nullif(deliveries.log, ''), excluded.log)
    ),
    again as (
      insert into delivery_batches (webhook_id, origin, places, subject_ids, sequences, is_test, created_at, due_at)
      select webhook_id, batch_id, array_agg(place), array_agg(subject_id), array_agg(sequence), is_test, now(), next_attempt_at
      from decided where state = 'pending' and is_latest group by webhook_id, batch_id, is_test, next_attempt_at
    ),
    health as (
      select webhook_id as id, url, bool_or(is_well) as is_well, bool_or(is_gone) as is_gone
      from result join done using (id) group by webhook_id, url
    ),
    verdict as (
      select id, is_well, patient.failing_since, case
        when is_gone then 'the receiver answered 410 Gone'
        when not is_well and patient.failing_since < now() - interval '5 days' then 'every delivery failed for 5 days'
      end as reason
      from health join patient using (id, url)
    )
    update webhooks set
      failing_since = case when not is_well then coalesce(verdict.failing_since, now()) end,
      last_failed_at = case when is_well then last_failed_at else now() end,
      active = active and reason is null,
      disabled_reason = case when active then reason else disabled_reason end,
      updated_at = case when active and reason is not null then now() else updated_at end
    from verdict where webhooks.id = verdict.id`,
  )
}

/**
 * The log kept in the announced batch itself: its successful attempts, each at its delivery's
 * position. Null for a retry batch.
 */
function firstLog({ batch, outcomes }: Result): string | null {
  if (batch.origin !== null) return null
  const log: (Attempt | null)[] = Array(outcomes.length).fill(null)
  for (const { place, attempt, delivered } of outcomes) if (delivered) log[place] = attempt
  return JSON.stringify(log)
}

type LeasedRow = Omit<Batch, 'deliveries'> & { readonly due: string | null }

/**
 * `type` is empty for the creation of an invoice: that event is derived from the invoice itself.
 */
type Due = [
  place: string,
  attempt: string,
  subjectId: string,
  sequence: string,
  type: Type | '',
  createdAtMs: string,
  data: string,
]

function split(due: string | null): readonly Due[] {
  return due === null ? [] : due.split('\u001d').map((one) => one.split('\u001e') as Due)
}

function isCreation([, , , , type]: Due): boolean {
  return type === ''
}

function subjectOf([, , subjectId]: Due): string {
  return subjectId
}

function decode(due: Due, invoices: ReadonlyMap<string, Invoice>): Attemptable {
  const [place, attempt, subjectId, sequence] = due
  return {
    place: Number(place),
    attempt: Number(attempt),
    event: { subjectId, sequence: Number(sequence), ...told(due, invoices) },
  }
}

function told(due: Due, invoices: ReadonlyMap<string, Invoice>) {
  const [, , subjectId, , type, createdAtMs, data] = due
  if (type !== '') return { type, data, createdAt: new Date(Number(createdAtMs)) }
  const invoice = invoices.get(subjectId)
  if (!invoice) throw new Error('an event outlives its invoice')
  return {
    type: 'invoice.created' as const,
    data: View.createdData(invoice),
    createdAt: new Date(invoice.createdAt),
  }
}
