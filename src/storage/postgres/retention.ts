import { type Sql, statement } from './db.ts'
import { isOver } from './idempotency.ts'

/** How many rows were removed, and where the next statement continues. */
export type Pruned = {
  readonly removed: number
  readonly place: string | null
  readonly isDone: boolean
}

/**
 * Examines `limit` batches of deliveries after `after` and deletes those older than `keptDays`,
 * except pending ones. Processes may run it side by side. Every array comes from a subquery, so the
 * planner reads each table by its key.
 */
export async function pruneDeliveries(
  sql: Sql,
  { keptDays, after, limit }: { keptDays: number; after: string | null; limit: number },
): Promise<Pruned> {
  const isOld = sql`created_at < now() - ${keptDays} * interval '1 day'`
  const [pruned] = await statement<[Pruned]>(sql)`
    with looked_at as (
      select id, created_at, due_at, origin from delivery_batches where id > ${after ?? '0'} order by id limit ${limit}
    ),
    waiting as (
      select batch_id from deliveries where batch_id = any(array(select id from looked_at)) and state = 'pending'
    ),
    old as (
      select id from delivery_batches where id = any(array(
        select id from looked_at where ${isOld} and due_at is null and origin is null and id <> all(array(select batch_id from waiting))
      )) for update skip locked
    ),
    removed as (delete from delivery_batches where id = any(array(select id from old)) returning id),
    removed_rows as (delete from deliveries where batch_id = any(array(select id from removed)) and state <> 'pending')
    select (select count(*) from removed)::integer as removed,
      (select coalesce(max(id)::text, ${after}) from looked_at where ${isOld}) as place,
      (select count(*) < ${limit} from looked_at where ${isOld}) as "isDone"`
  return pruned
}

/** Deletes up to `limit` idempotency keys older than 24 hours, oldest first. */
export async function pruneIdempotencyKeys(
  sql: Sql,
  { after, limit }: { after: string | null; limit: number },
): Promise<Pruned> {
  const [pruned] = await statement<[Pruned]>(sql)`
    with removed as (
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys
        where created_at >= ${after ?? '-infinity'}::text::timestamptz and ${isOver(sql)}
        order by created_at limit ${limit} for update skip locked
      )) returning created_at
    )
    select count(*)::integer as removed, coalesce(max(created_at)::text, ${after}) as place, count(*) < ${limit} as "isDone" from removed`
  return pruned
}

export type OldestRows = {
  readonly deliveriesMs: number | null
  readonly idempotencyKeysMs: number | null
}

/** Shows whether pruning keeps up; null: no rows. */
export async function oldestRows(sql: Sql, limitMs: number): Promise<OldestRows> {
  const age = sql`extract(epoch from now() - created_at)::float8 * 1000`
  const [oldest] = await statement<[OldestRows]>(sql, limitMs)`
    select (select ${age} from delivery_batches where origin is null order by id limit 1) as "deliveriesMs",
      (select ${age} from idempotency_keys order by created_at limit 1) as "idempotencyKeysMs"`
  return oldest
}
