import type { Backlog, Waiting } from '../../telemetry/metrics.ts'
import { isUnexplained } from '../settlement/uses.ts'
import { type Fragment, type Sql, statement } from './db.ts'

/** Beyond this the exact size does not matter. */
const mostCounted = 100_000

/** Reads how much work is waiting in each queue, for `limitMs` at most. */
export async function readBacklog(sql: Sql, limitMs: number): Promise<Backlog> {
  const waiting = (since: Fragment) =>
    statement<[Waiting]>(sql, limitMs)`
      select count(*)::integer as count,
        greatest(0, coalesce(extract(epoch from now() - min(since)) * 1000, 0))::float8 as "oldestAgeMs"
      from (select since from (${since}) as waiting (since) limit ${mostCounted}) as counted`.then(
      ([found]) => found,
      () => null,
    )
  const [outbox, deliveries, anchors, heldTransfers] = await Promise.all([
    waiting(sql`select created_at from outbox`),
    // What is due to a paused webhook waits for its owner.
    waiting(sql`select due_at from delivery_batches join webhooks on webhooks.id = webhook_id and active
      where due_at <= now()`),
    // Not `in`: each state has an index of its own.
    waiting(sql`select created_at from anchors where state = 'pending'
      union all select created_at from anchors where state = 'sent'
      union all select issued_at from receipts where batch_id is null and revoked_at is null`),
    waiting(sql`select created_at from transfers where ${isUnexplained(sql)}`),
  ])
  return { outbox, deliveries, anchors, heldTransfers }
}
