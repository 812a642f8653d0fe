import { type Sql, within } from './db.ts'

/** Deliveries that an event has given rise to, by the webhook they go to. */
export type FannedOut = {
  readonly events: number
  readonly deliveries: readonly {
    readonly webhookId: string
    readonly deliveryIds: readonly string[]
  }[]
}

/**
 * Turns up to `limit` pending events, oldest first, into one delivery for each webhook that wants them, in one statement: an event is never
 * taken without its deliveries, and any number of processes may do this side by side.
 */
export async function fanOut(sql: Sql, limit: number, now: Date): Promise<FannedOut> {
  const [row] = await within(
    () => sql<{ events: number; deliveries: FannedOut['deliveries'] | null }[]>`
    with taken as (
      select subject_id, sequence, account_id, type, created_at from events
      where pending order by created_at limit ${limit} for update skip locked
    ),
    cleared as (
      update events set pending = false from taken
      where events.subject_id = taken.subject_id and events.sequence = taken.sequence
    ),
    fanned as (
      insert into deliveries (id, webhook_id, account_id, subject_id, sequence, state, next_attempt_at, created_at, updated_at)
      select gen_random_uuid(), webhooks.id, taken.account_id, taken.subject_id, taken.sequence, 'pending', ${now}, ${now}, ${now}
      from taken join webhooks on webhooks.account_id = taken.account_id and webhooks.active and webhooks.deleted_at is null
        and taken.type = any(webhooks.events) and webhooks.created_at <= taken.created_at
      on conflict (webhook_id, subject_id, sequence) do nothing
      returning id, webhook_id
    ),
    grouped as (select webhook_id, json_agg(id) as ids from fanned group by webhook_id)
    select (select count(*)::integer from taken) as events,
      (select json_agg(json_build_object('webhookId', webhook_id, 'deliveryIds', ids)) from grouped) as deliveries`,
  )
  return { events: row?.events ?? 0, deliveries: row?.deliveries ?? [] }
}

/** Whether any event waits to be fanned out. */
export async function hasPending(sql: Sql): Promise<boolean> {
  const [row] = await within(
    () => sql<{ has: boolean }[]>`select exists (select from events where pending) as has`,
  )
  return row?.has ?? false
}
