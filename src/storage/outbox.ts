import { type Sql, within } from './db.ts'

/** How many events were taken, and the deliveries they have given rise to, by the webhook they go to. */
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
export async function fanOut(sql: Sql, limit: number): Promise<FannedOut> {
  const [row] = await within(
    () => sql<FannedOut[]>`
    with taken as (
      select subject_id, sequence, account_id, type from events
      where pending order by created_at limit ${limit} for update skip locked
    ),
    cleared as (
      update events set pending = false from taken
      where events.subject_id = taken.subject_id and events.sequence = taken.sequence
    ),
    fanned as (
      insert into deliveries (id, webhook_id, account_id, subject_id, sequence, state, next_attempt_at, created_at, updated_at)
      select gen_random_uuid(), webhooks.id, taken.account_id, taken.subject_id, taken.sequence, 'pending', now(), now(), now()
      from taken join webhooks on webhooks.account_id = taken.account_id and webhooks.active and webhooks.deleted_at is null
        and taken.type = any(webhooks.events)
      on conflict (webhook_id, subject_id, sequence) do nothing
      returning id, webhook_id
    ),
    grouped as (
      select json_build_object('webhookId', webhook_id, 'deliveryIds', json_agg(id)) as one from fanned group by webhook_id
    )
    select (select count(*)::integer from taken) as events,
      (select coalesce(json_agg(one), '[]') from grouped) as deliveries`,
  )
  if (!row) throw new Error('a select without from answers one row')
  return row
}
