import type { Attempt, Delivery, Log } from '../domain/delivery.ts'
import { DomainError } from '../domain/error.ts'
import { id as eventId, type Type } from '../domain/event.ts'
import { type Sql, within } from './db.ts'

/** A webhook's deliveries, newest first, from behind the one with the id `after`. */
export async function listDeliveries(
  sql: Sql,
  webhookId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Log> {
  const rows = await within(
    () => sql<Row[]>`
    select ${columns(sql)} from deliveries left join events using (subject_id, sequence)
    where webhook_id = ${webhookId} ${after ? sql`and (deliveries.created_at, deliveries.id) < (select created_at, id from deliveries where id = ${after})` : sql``}
    order by deliveries.created_at desc, deliveries.id desc limit ${limit + 1}`,
  )
  return { deliveries: rows.slice(0, limit).map(decode), hasMore: rows.length > limit }
}

/**
 * Makes a delivery due now, whatever became of it. One that has no attempt left gets one more. Errors: `not_found`, also when its
 * webhook is deleted; `invalid_state` while the webhook is paused.
 */
export async function redeliver(
  sql: Sql,
  accountId: string,
  deliveryId: string,
  now: Date,
): Promise<Delivery> {
  const [row] = await within(
    () => sql<(Row & { isActive: boolean })[]>`
    with webhook as (
      select webhooks.id, webhooks.active from webhooks join deliveries on deliveries.webhook_id = webhooks.id
      where deliveries.id = ${deliveryId} and webhooks.account_id = ${accountId} and webhooks.deleted_at is null
      for no key update of webhooks
    ),
    revived as (
      update deliveries set state = 'pending', next_attempt_at = ${now}, updated_at = ${now} from webhook
      where deliveries.id = ${deliveryId} and webhook.active
    )
    select webhook.active as "isActive", ${columns(sql)}
    from webhook join deliveries on deliveries.id = ${deliveryId} left join events using (subject_id, sequence)`,
  )
  if (!row) throw new DomainError('not_found', 'No such delivery')
  if (!row.isActive) throw paused()
  return { ...decode(row), state: 'pending', nextAttemptAt: now.toISOString() }
}

/** Makes a delivery of a sample event, due now. Errors: `not_found`; `invalid_state` while the webhook is paused. */
export async function addTestDelivery(
  sql: Sql,
  accountId: string,
  webhookId: string,
  test: { id: string; subjectId: string; type: Type; data: string },
  now: Date,
): Promise<Delivery> {
  const { id, subjectId, type, data } = test
  const [row] = await within(
    () => sql<{ isActive: boolean }[]>`
    with webhook as (
      select id, active from webhooks where id = ${webhookId} and account_id = ${accountId} and deleted_at is null
      for no key update
    ),
    sample as (
      insert into events (subject_id, sequence, account_id, type, data, created_at)
      select ${subjectId}, 1, ${accountId}, ${type}, ${data}, ${now} from webhook where active
    ),
    delivery as (
      insert into deliveries (id, webhook_id, account_id, subject_id, sequence, state, is_test, next_attempt_at, created_at, updated_at)
      select ${id}, id, ${accountId}, ${subjectId}, 1, 'pending', true, ${now}, ${now}, ${now} from webhook where active
    )
    select active as "isActive" from webhook`,
  )
  if (!row) throw new DomainError('not_found', 'No such webhook')
  if (!row.isActive) throw paused()
  const at = now.toISOString()
  return {
    id,
    webhookId,
    eventId: eventId(subjectId, 1),
    type,
    state: 'pending',
    isTest: true,
    attempts: [],
    nextAttemptAt: at,
    createdAt: at,
  }
}

function paused(): DomainError {
  return new DomainError('invalid_state', 'The webhook is paused; activate it first')
}

type Row = {
  id: string
  webhookId: string
  subjectId: string
  sequence: number
  /** Null: the creation of an invoice, which has no row of its own. */
  type: Type | null
  state: Delivery['state']
  isTest: boolean
  nextAttemptAt: Date
  createdAt: Date
  attempts: Attempt[]
}

function columns(sql: Sql) {
  return sql`deliveries.id, webhook_id as "webhookId", deliveries.subject_id as "subjectId", deliveries.sequence, events.type,
    deliveries.state, is_test as "isTest", next_attempt_at as "nextAttemptAt", deliveries.created_at as "createdAt", (
      select coalesce(json_agg(json_build_object('attempt', attempt, 'startedAt', to_char(started_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'durationMs', duration_ms, 'statusCode', status_code, 'error', error, 'responseExcerpt', response_excerpt) order by attempt), '[]')
      from delivery_attempts where delivery_id = deliveries.id
    ) as attempts`
}

function decode(row: Row): Delivery {
  const { id, webhookId, subjectId, sequence, type, state, isTest, attempts } = row
  return {
    id,
    webhookId,
    eventId: eventId(subjectId, sequence),
    type: type ?? 'invoice.created',
    state,
    isTest,
    attempts,
    nextAttemptAt: state === 'pending' ? row.nextAttemptAt.toISOString() : null,
    createdAt: row.createdAt.toISOString(),
  }
}
