import { createGroupCommit } from '../../actors/group-commit.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import * as Deliveries from '../../storage/webhooks/deliveries.ts'
import type { Log } from '../../telemetry/log.ts'

export type Held = Deliveries.Batch & { heldUntil: string }

export const combined = { lanes: 1, maxBatch: 16, maxWaiting: 100_000 }
const { leaseMs } = Deliveries
/** What waits for longer is leased again, as its webhook may have changed or been deleted. */
export const startWithinMs = 5_000

/**
 * Leases due batches, for 15 s at a time, so that no other process delivers them. Statements of
 * several webhooks are combined.
 */
export function createLeases({ sql, log }: { readonly sql: Sql; readonly log: Pick<Log, 'warn'> }) {
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

  function lease(webhookId: string): Promise<readonly Deliveries.Batch[]> {
    return leases.submit(webhookId, webhookId)
  }

  function renew(batchId: string): Promise<void> {
    return renewals.submit(batchId, batchId)
  }

  function release(held: Held): Promise<void> {
    return Deliveries.release(sql, held)
  }

  /** Whether it is still leased, as it was `startWithinMs` ago at most. */
  async function mayStart(held: Held, leasedMs: number): Promise<boolean> {
    if (performance.now() - leasedMs < startWithinMs) return true
    // Giving it back would cost it its turn.
    const heldUntil = await Deliveries.leaseAgain(sql, held, leaseMs)
    held.heldUntil = heldUntil ?? held.heldUntil
    return heldUntil !== null
  }

  return { lease, renew, release, mayStart }
}
