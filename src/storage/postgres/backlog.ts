import { isUnexplained } from '../settlement/transaction-uses.ts'
import { type Fragment, type Sql, within } from './db.ts'

/** Work waiting in the database: its amount, and how long the oldest item has waited. */
export type Waiting = { readonly count: number; readonly oldestAgeMs: number }

/** What waits in each queue; null where it could not be read. */
export type Backlog = {
  /** Batches of events not yet turned into deliveries. */
  readonly outbox: Waiting | null
  /** Batches of deliveries that are due to webhooks that are not paused. */
  readonly deliveries: Waiting | null
  /** Events not yet on the anchor chain. */
  readonly anchors: Waiting | null
  /** Transfers that neither an invoice nor an x402 sale accounts for. */
  readonly heldTransfers: Waiting | null
}

/** Counting stops here: a larger backlog is an alarm whatever its exact size. */
const mostCounted = 100_000

/** Reads how much work is waiting in each queue, for `limitMs` at most. */
export async function readBacklog(sql: Sql, limitMs: number): Promise<Backlog> {
  const waiting = (since: Fragment) =>
    within(
      () => sql<[Waiting]>`
        select count(*)::integer as count,
          greatest(0, coalesce(extract(epoch from now() - min(since)) * 1000, 0))::float8 as "oldestAgeMs"
        from (select since from (${since}) as waiting (since) limit ${mostCounted}) as counted`,
      limitMs,
    ).then(
      ([found]) => found,
      () => null,
    )
  const [outbox, deliveries, anchors, heldTransfers] = await Promise.all([
    waiting(sql`select created_at from outbox`),
    // What is due to a paused webhook waits for its owner, however many workers there are.
    waiting(sql`select due_at from delivery_batches join webhooks on webhooks.id = webhook_id and active
      where due_at <= now()`),
    // Not `in`: each state has an index of its own, which holds nothing else.
    waiting(sql`select created_at from anchors where state = 'pending'
      union all select created_at from anchors where state = 'sent'`),
    waiting(sql`select created_at from transfers where ${isUnexplained(sql)}`),
  ])
  return { outbox, deliveries, anchors, heldTransfers }
}
