import { createGroupCommit } from '../../actors/group-commit.ts'
import { freshMs } from '../../domain/webhooks/delivery.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import * as Deliveries from '../../storage/webhooks/deliveries.ts'
import { createThrottle } from '../../telemetry/throttle.ts'

/** A batch in hand; leasing it again changes `heldUntil`. */
export type Held = Deliveries.Batch & { heldUntil: string }

/** When batches of a webhook were leased, and when it was last seen active and unchanged. */
export type Seen = { leasedMs: number; seenMs: number }

/** How leases, or results, are combined into one statement. */
export const combined = { lanes: 1, maxBatch: 16, maxWaiting: 100_000 }
const { leaseMs, lateMs } = Deliveries
/**
 * A batch not started within this time of its lease is leased again: the lease might end before its
 * first renewal.
 */
const startWithinMs = 8_000

/**
 * Leases due batches, each for 15 s at a time, so that no other process delivers them meanwhile.
 * The statements of several webhooks are combined.
 */
export function createLeases({
  sql,
  log,
}: {
  readonly sql: Sql
  readonly log: { warn(message: string): void }
}) {
  const throttle = createThrottle(60_000)
  const leases = createGroupCommit<string, readonly Deliveries.Batch[]>({
    ...combined,
    async flush(_, webhookIds) {
      const leased = await Deliveries.lease(sql, webhookIds, leaseMs)
      const batches = Map.groupBy(leased, ({ webhookId }) => webhookId)
      return webhookIds.map((id) => batches.get(id) ?? [])
    },
  })
  const renewals = createGroupCommit<string, void>({
    ...combined,
    async flush(_, batchIds) {
      await Deliveries.renew(sql, batchIds, leaseMs)
      return []
    },
  })
  const checks = createGroupCommit<Parameters<typeof Deliveries.wanted>[1][number], boolean>({
    ...combined,
    async flush(_, leased) {
      const found = new Set(await Deliveries.wanted(sql, leased))
      return leased.map(({ webhookId }) => found.has(webhookId))
    },
  })

  /** Leases batches that are due to this webhook. */
  function lease(webhookId: string): Promise<readonly Deliveries.Batch[]> {
    return leases.submit(webhookId, webhookId)
  }

  /** Extends the lease of a batch that is being delivered. */
  function renew(batchId: string): Promise<void> {
    return renewals.submit(batchId, batchId)
  }

  /** Gives back a batch that was not started. */
  function release(held: Held): Promise<void> {
    return Deliveries.release(sql, held)
  }

  /**
   * Whether the batch may be started: it is still leased, and its webhook was active, with the same
   * URL and secret, less than `freshMs` ago.
   */
  async function mayStart(held: Held, seen: Seen): Promise<boolean> {
    // Leased again rather than given back, which would cost it its turn.
    const isLate = performance.now() - seen.leasedMs > startWithinMs
    if (isLate && !(await leaseAgain(held, 0))) return false
    if (performance.now() - seen.seenMs < freshMs) return true
    const seenMs = performance.now()
    if (!(await checks.submit(held.webhookId, held))) return false
    seen.seenMs = seenMs
    return performance.now() - seenMs < freshMs || mayStartLate(held)
  }

  /** Where PostgreSQL answers later than `freshMs`, nothing could ever start without this. */
  async function mayStartLate(held: Held): Promise<boolean> {
    if (throttle('') !== null)
      log.warn('PostgreSQL answers late: deliveries take several times as long to start')
    const askedMs = performance.now()
    return (await leaseAgain(held, lateMs)) && performance.now() - askedMs < lateMs
  }

  async function leaseAgain(held: Held, moreMs: number): Promise<boolean> {
    const heldUntil = await Deliveries.leaseAgain(sql, held, leaseMs + moreMs)
    held.heldUntil = heldUntil ?? held.heldUntil
    return heldUntil !== null
  }

  return { lease, renew, release, mayStart }
}

export type Leases = ReturnType<typeof createLeases>
