import { type Sql, within } from './db.ts'

/** Work waiting in the database: its amount, and how long the oldest item has waited. */
export type Waiting = { readonly count: number; readonly oldestAgeMs: number }

export type Backlog = {
  /** Batches of events not yet turned into deliveries. */
  readonly outbox: Waiting
  /** Batches of deliveries that are due. */
  readonly deliveries: Waiting
  /** Events not yet on the anchor chain. */
  readonly anchors: Waiting
  /** Transfers held because no invoice accounts for them. */
  readonly heldTransfers: Waiting
}

/** Counting stops here: a larger backlog is an alarm whatever its exact size. */
const mostCounted = 100_000

/** Reads how much work is waiting in each queue. Errors: `unavailable` after `limitMs`. */
export async function readBacklog(sql: Sql, limitMs: number): Promise<Backlog> {
  const waiting = (since: unknown, rows: unknown) => sql`(
    select json_build_object('count', count(*), 'oldestAgeMs', greatest(0, coalesce(extract(epoch from now() - min(since)) * 1000, 0))::float8)
    from (select ${since as never} as since from ${rows as never} limit ${mostCounted}) as waiting
  )`
  const [row] = await within(
    () => sql<[Backlog]>`
      select ${waiting(sql`created_at`, sql`outbox`)} as outbox,
        ${waiting(sql`due_at`, sql`delivery_batches where due_at <= now()`)} as deliveries,
        ${waiting(sql`created_at`, sql`anchors where state in ('pending', 'sent')`)} as anchors,
        ${waiting(sql`created_at`, sql`transfers where held_as is not null`)} as "heldTransfers"`,
    limitMs,
  )
  return row
}
