import { batchSize, mandateBatchSize } from '../../domain/webhooks/delivery.ts'
import { types } from '../../domain/webhooks/events.ts'
import { array, type Sql, statement } from '../postgres/db.ts'

/** The number of batches taken, and the webhooks that now have due deliveries. */
export type FannedOut = {
  readonly batches: number
  readonly webhookIds: readonly string[]
  /** Absent: none is. */
  readonly traced?: readonly TracedEvent[]
}

/** An event whose request is traced, and the context of its commit. */
export type TracedEvent = {
  readonly subjectId: string
  readonly sequence: number
  readonly committedAtMs: number
  readonly traceParent: string
}

/** As many as one statement can comfortably turn into deliveries. */
const batchEvents = 500

/** Puts the public events of the CTE `trail` into the outbox. */
export function announceTrail(sql: Sql) {
  return sql`insert into outbox (subject_ids, sequences, account_ids, types)
    select array_agg(subject_id), array_agg(sequence::integer), array_agg(account_id), array_agg(type) from (
      select subject_id, sequence + step.place - 1 as sequence, account_id, step.type, row_number() over () as place
      from trail cross join string_to_table(types, ' ') with ordinality as step (type, place)
      where step.type = any(${array(types)}::text[])
    ) as public group by (place - 1) / ${batchEvents}`
}

/**
 * The `traceparent` of subjects whose events the next statements put into the outbox; null ends it.
 * `sql` has one connection, which runs statements in order.
 */
export function traceNext(sql: Sql, contexts: Readonly<Record<string, string>> | null): void {
  const text = contexts === null ? '' : JSON.stringify(contexts)
  sql`select set_config('quittance.trace', ${text}, false)`.catch(() => {})
}

/**
 * Turns up to `limit` batches of events, oldest first, into deliveries in one statement, so no
 * event is taken without its deliveries. A paused webhook gets events from before its pause.
 */
export async function fanOut(sql: Sql, limit: number): Promise<FannedOut> {
  const [{ traced, ...fanned }] = await statement<[Fanned]>(sql)`
    with taken as (
      select id from outbox order by id limit ${limit} for update skip locked
    ),
    removed as (
      delete from outbox using taken where outbox.id = taken.id returning outbox.*
    ),
    wanted as (
      select webhooks.id as webhook_id, event.*, size, row_number() over (partition by webhooks.id, size order by removed.id) - 1 as place
      from removed
      cross join unnest(subject_ids, sequences, account_ids, types) as event (subject_id, sequence, account_id, type)
      cross join lateral (
        select case when type like 'mandate.%' then ${mandateBatchSize}::integer else ${batchSize}::integer end as size
      ) as batch
      join webhooks on webhooks.account_id = event.account_id and webhooks.deleted_at is null
        and (webhooks.active or removed.created_at < webhooks.paused_at) and event.type = any(webhooks.events)
    ),
    due as (
      insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, due_at)
      select webhook_id, array_agg(place % size), array_agg(subject_id), array_agg(sequence), now(), now()
      from wanted group by webhook_id, size, place / size
      returning webhook_id
    )
    select (select count(*)::integer from removed) as batches,
      (select coalesce(json_agg(distinct webhook_id), '[]') from due) as "webhookIds",
      (
        select json_agg(json_build_object('subjectId', subject_id, 'sequence', sequence, 'traceParent', context,
          'committedAtMs', extract(epoch from created_at) * 1000))
        from removed cross join unnest(subject_ids, sequences) as event (subject_id, sequence)
        cross join lateral (select trace::json ->> subject_id::text as context) as of
        where trace is not null and context is not null
      ) as traced`
  return traced === null ? fanned : { ...fanned, traced }
}

type Fanned = Omit<FannedOut, 'traced'> & { readonly traced: readonly TracedEvent[] | null }
