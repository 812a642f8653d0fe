import { type Sql, within } from './db.ts'

/** Work that waits in the database: how much there is, and for how long the oldest of it has waited. */
export type Waiting = { readonly count: number; readonly oldestAgeMs: number }

export type Backlog = {
  /** Batches of events that are not deliveries yet. */
  readonly outbox: Waiting
  /** Batches of deliveries whose time has come. */
  readonly deliveries: Waiting
  /** Events that are not on the anchor chain. */
  readonly anchors: Waiting
  /** Transfers that nobody's invoice explains. */
  readonly heldTransfers: Waiting
}

/** Counting stops here: more than this is an alarm whatever the number. */
const mostCounted = 100_000

/** Errors: `unavailable` after `limitMs`. */
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
