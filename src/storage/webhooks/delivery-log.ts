import { DomainError, noSuch } from '../../domain/error.ts'
import {
  type Attempt,
  type Delivery,
  type DeliveryState,
  deliveryId,
  fullLogBytes,
  type Log,
  type LogQuery,
  type Position,
  positionOf,
} from '../../domain/webhooks/delivery.ts'
import { id as eventId, type Stored } from '../../domain/webhooks/event.ts'
import type { Type } from '../../domain/webhooks/events.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { type IdempotencyRecord, keyRow } from '../postgres/idempotency.ts'
import { eventsOf } from './told-events.ts'

/** A page ends with the delivery whose attempts take it beyond this. */
const pageBytes = 2 ** 20

/** One page of a webhook's deliveries, newest first; long logs make it shorter than `limit`. */
export async function listDeliveries(
  sql: Sql,
  webhookId: string,
  { after, state, limit }: LogQuery,
): Promise<Log> {
  const { batchId, place } = after === null ? end : positionOf(after)
  const enough = state === null ? sql`limit ${limit + 2}` : sql``
  const rows = await statement<(Row & { found: number })[]>(sql)`
    with own as (
      select ${own(sql)} from deliveries
      where webhook_id = ${webhookId} and (batch_id, place) < (${batchId}, ${place})
        and state = coalesce(${state}, state)
      order by batch_id desc, place desc limit ${limit + 1}
    ),
    -- Without a state, each has a delivery on this page or before it, here or in a row of its own.
    batches as (
      select * from delivery_batches where webhook_id = ${webhookId} and origin is null and id <= ${batchId}
        and ${mayShare(sql, state)}
      order by id desc ${enough}
    ),
    shared as (
      select ${shared(sql)} from batches as batch ${members(sql)}
      where (batch.id, one.place) < (${batchId}, ${place})
        and not exists (select from deliveries where batch_id = batch.id and deliveries.place = one.place)
      order by batch.id desc, one.place desc limit ${limit + 1}
    ),
    found as (
      select * from own union all select * from shared order by batch_id desc, place desc limit ${limit + 1}
    ),
    page as (
      select * from (
        select *, sum(octet_length(log)) over (order by batch_id desc, place desc) - octet_length(log) as bytes_before from found
      ) as measured
      where bytes_before < ${pageBytes} order by batch_id desc, place desc limit ${limit}
    )
    select page.*, type, (select count(*) from found)::integer as found
    from page left join trail_steps as event using (subject_id, sequence) order by batch_id desc, place desc`
  return { deliveries: rows.map(decode), hasMore: (rows[0]?.found ?? 0) > rows.length }
}

/** Whether a batch may hold deliveries in this state without rows of their own. */
function mayShare(sql: Sql, state: DeliveryState | null) {
  switch (state) {
    case null:
      return sql`true`
    case 'pending':
      // What has not been attempted is due, and in an index.
      return sql`log is null and due_at is not null`
    case 'delivered':
      return sql`log is not null`
    case 'failed':
    case 'cancelled':
      return sql`false`
  }
}

const end: Position = { batchId: '9223372036854775807', place: 0 }

/**
 * Makes a delivery due now, whatever its state, even during an attempt. One with no attempts left
 * gets one more; one not attempted yet stays as it is. Errors: `not_found`; `invalid_state` while
 * the webhook is paused; `limit_reached` when its log is full.
 */
export async function redeliver(sql: Sql, accountId: string, id: string): Promise<Delivery> {
  const position = positionIn(id)
  const [row] = await statement<(Row & { isActive: boolean; isFull: boolean; now: Date })[]>(sql)`
    with ${at(sql, position)},
    webhook as (
      select webhooks.id, active from webhooks join announced on announced.webhook_id = webhooks.id
      where account_id = ${accountId} and deleted_at is null and right(webhooks.id::text, 17) = ${id.slice(-17)}
      for no key update of webhooks
    ),
    known as (
      select *, octet_length(log) >= ${fullLogBytes} as "isFull"
      from (select * from before union all select * from announced limit 1) as known
    ),
    revived as (
      insert into deliveries (batch_id, place, webhook_id, subject_id, sequence, is_test, attempts, state, log, next_attempt_at, created_at)
      select batch_id, place, webhook_id, subject_id, sequence, is_test, 1, 'pending', log, now(), created_at
      from known join webhook on webhook.id = webhook_id where active and log <> '' and not "isFull"
      on conflict (batch_id, place) do update set state = 'pending', next_attempt_at = now()
      returning *
    ),
    due as (
      insert into delivery_batches (webhook_id, origin, places, subject_ids, sequences, is_test, created_at, due_at)
      select webhook_id, batch_id, array[place], array[subject_id], array[sequence], is_test, now(), now() from revived
    )
    select known.*, type, active as "isActive", now()
    from known join webhook on webhook.id = webhook_id left join trail_steps as event using (subject_id, sequence)`
  if (!row) throw noSuch('delivery')
  if (!row.isActive) throw paused()
  if (row.isFull)
    throw new DomainError('limit_reached', 'The delivery has been attempted too often already')
  return { ...decode(row), state: 'pending', nextAttemptAt: row.now.toISOString() }
}

/**
 * A delivery and its event, which is null where it is no longer kept. Errors: `not_found`.
 */
export async function readDelivery(
  sql: Sql,
  accountId: string,
  id: string,
): Promise<{ readonly delivery: Delivery; readonly event: Stored | null }> {
  const [row] = await statement<Row[]>(sql)`
    with ${at(sql, positionIn(id))}
    select known.*, type
    from (select * from before union all select * from announced limit 1) as known
    join webhooks on webhooks.id = webhook_id and right(webhooks.id::text, 17) = ${id.slice(-17)}
    left join trail_steps as event using (subject_id, sequence)
    where webhooks.account_id = ${accountId} and deleted_at is null`
  if (!row) throw noSuch('delivery')
  const place = { subjectId: row.subject_id, sequence: row.sequence }
  const eventAt = await eventsOf(sql, [place])
  return { delivery: decode(row), event: eventAt(place) ?? null }
}

/** The position that an id names; a statement compares its end with the webhook's id. */
function positionIn(id: string): Position {
  const position = positionOf(id)
  if (deliveryId(position, id) !== id) throw noSuch('delivery')
  return position
}

/** The CTEs `announced` and `before`: the delivery in its batch, and in a row of its own. */
function at(sql: Sql, { batchId, place }: Position) {
  return sql`announced as (
      select ${shared(sql)} from delivery_batches as batch ${members(sql)}
      where batch.id = ${batchId} and one.place = ${place} and origin is null
    ),
    before as (select ${own(sql)} from deliveries where batch_id = ${batchId} and place = ${place})`
}

/**
 * Reserves the position of the next delivery, because the answer that the statement stores
 * describes it.
 */
export async function nextPosition(sql: Sql): Promise<Position & { readonly at: Date }> {
  const [next] = await statement<[{ batchId: string; at: Date }]>(sql)`
    select nextval(pg_get_serial_sequence('delivery_batches', 'id'))::text as "batchId", now() as at`
  return { ...next, place: 0 }
}

/**
 * Creates a delivery of a sample event, due now. Errors: `not_found`; `invalid_state` while the
 * webhook is paused.
 */
export async function addTestDelivery(
  sql: Sql,
  accountId: string,
  webhookId: string,
  test: {
    readonly subjectId: string
    readonly type: Type
    readonly data: string
    readonly batchId: string
    readonly at: Date
  },
  idempotency: IdempotencyRecord | null,
): Promise<void> {
  const { subjectId, type, data, batchId, at } = test
  const [row] = await statement<{ isActive: boolean }[]>(sql)`
    with webhook as (
      select id, active from webhooks where id = ${webhookId} and account_id = ${accountId} and deleted_at is null
      for no key update
    ),
    sample as (
      insert into events (subject_id, sequence, account_id, types, data, created_at)
      select ${subjectId}, 1, ${accountId}, ${type}, ${data}, ${at} from webhook where active
    ),
    due as (
      insert into delivery_batches (id, webhook_id, places, subject_ids, sequences, is_test, created_at, due_at)
      overriding system value
      select ${batchId}::bigint, id, '{0}', array[${subjectId}::uuid], '{1}', true, ${at}, now() from webhook where active
    ),
    created as (select ${subjectId}::uuid as id from webhook where active)${keyRow(sql, accountId, idempotency)}
    select active as "isActive" from webhook`
  if (!row) throw noSuch('webhook')
  if (!row.isActive) throw paused()
}

function paused(): DomainError {
  return new DomainError('invalid_state', 'The webhook is paused; activate it first')
}

type Row = {
  batch_id: bigint
  place: number
  webhook_id: string
  subject_id: string
  sequence: number
  /** Null: `invoice.created`, which has no row in `events`. */
  type: Type | null
  state: Delivery['state']
  is_test: boolean
  next_attempt_at: Date
  created_at: Date
  log: string
}

function own(sql: Sql) {
  return sql`batch_id, place, webhook_id, subject_id, sequence, state, is_test, next_attempt_at, created_at, log`
}

/** A delivery without a row of its own succeeded at once or has not been attempted. */
function shared(sql: Sql) {
  return sql`batch.id as batch_id, one.place, webhook_id, one.subject_id, one.sequence,
    case when batch.log is null then 'pending' else 'delivered' end as state, is_test, created_at as next_attempt_at, created_at,
    coalesce(batch.log::json ->> one.place::integer, '') as log`
}

function members(sql: Sql) {
  return sql`cross join unnest(places, subject_ids, sequences) as one (place, subject_id, sequence)`
}

function decode(row: Row): Delivery {
  const { type, state } = row
  const position = { batchId: String(row.batch_id), place: row.place }
  return {
    id: deliveryId(position, row.webhook_id),
    webhookId: row.webhook_id,
    eventId: eventId(row.subject_id, row.sequence),
    type: type ?? 'invoice.created',
    state,
    isTest: row.is_test,
    attempts: attemptsOf(row),
    nextAttemptAt: state === 'pending' ? row.next_attempt_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
  }
}

/** Simultaneous attempts may have the same number: their order counts. */
function attemptsOf({ log }: Row): readonly Attempt[] {
  const logged = JSON.parse(`[${log}]`) as Attempt[]
  return logged.map((one, at) => ({ ...one, attempt: at + 1 }))
}
