import { createGroupCommit } from '../../actors/group-commit.ts'
import { freshMs } from '../../domain/webhooks/delivery.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import * as Deliveries from '../../storage/webhooks/deliveries.ts'
import type { Log } from '../../telemetry/log.ts'
import { createThrottle } from '../../telemetry/throttle.ts'

export type Held = Deliveries.Batch & { heldUntil: string }

/** When batches were leased, and when the webhook was last seen unchanged. */
export type Seen = { leasedMs: number; seenMs: number }

export const combined = { lanes: 1, maxBatch: 16, maxWaiting: 100_000 }
const { leaseMs, lateMs } = Deliveries
/** The lease might end before its first renewal. */
const startWithinMs = 8_000

/**
 * Leases due batches, for 15 s at a time, so that no other process delivers them. Statements of
 * several webhooks are combined.
 */
export function createLeases({ sql, log }: { readonly sql: Sql; readonly log: Pick<Log, 'warn'> }) {
  const throttle = createThrottle(60_000)
  const onUnreadable = (batchId: string, err: unknown) =>
    log.warn({ batchId, err }, 'deliveries wait for a version that can read their events')
  const leases = createGroupCommit<string, readonly Deliveries.Batch[]>({
    ...combined,
    async flush(_, webhookIds) {
      const leased = await Deliveries.lease(sql, webhookIds, leaseMs, onUnreadable)
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

  function lease(webhookId: string): Promise<readonly Deliveries.Batch[]> {
    return leases.submit(webhookId, webhookId)
  }

  function renew(batchId: string): Promise<void> {
    return renewals.submit(batchId, batchId)
  }

  function release(held: Held): Promise<void> {
    return Deliveries.release(sql, held)
  }

  /** True: it is still leased, and its webhook was unchanged less than `freshMs` ago. */
  async function mayStart(held: Held, seen: Seen): Promise<boolean> {
    // Giving it back would cost it its turn.
    const isLate = performance.now() - seen.leasedMs > startWithinMs
    if (isLate && !(await leaseAgain(held, 0))) return false
    if (performance.now() - seen.seenMs < freshMs) return true
    const seenMs = performance.now()
    if (!(await checks.submit(held.webhookId, held))) return false
    seen.seenMs = seenMs
    return performance.now() - seenMs < freshMs || mayStartLate(held)
  }

  /** Without this, nothing would ever start where PostgreSQL answers later than `freshMs`. */
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
