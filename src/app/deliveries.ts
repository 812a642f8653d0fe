import { createGroupCommit } from '../actors/group-commit.ts'
import { ringAtMs } from '../domain/webhooks/delivery.ts'
import { createDeliver, type Deliver } from '../queues/delivery/deliver.ts'
import * as Deliveries from '../storage/webhooks/deliveries.ts'
import { leaseMs } from '../storage/webhooks/deliveries.ts'
import * as Results from '../storage/webhooks/delivery-results.ts'
import type { DeliveryOutcome } from '../telemetry/metrics.ts'
import { now } from './clock.ts'
import type { WorkerParts } from './workers.ts'

/** How leases, or results, are combined into one statement. */
const atOnce = { lanes: 1, maxBatch: 16, maxWaiting: 100_000 }

/**
 * Creates the delivery worker. Deliveries are leased for several webhooks in one statement, and
 * results are recorded likewise.
 */
export function createDeliveries({ config, log, database, queues, service }: WorkerParts): Deliver {
  const { sql } = database
  const leases = createGroupCommit<string, readonly Deliveries.Batch[]>({
    ...atOnce,
    async flush(_, webhookIds) {
      const leased = await Deliveries.lease(sql, webhookIds, leaseMs)
      const batches = Map.groupBy(leased, ({ webhookId }) => webhookId)
      return webhookIds.map((id) => batches.get(id) ?? [])
    },
  })
  const renewals = createGroupCommit<string, void>({
    ...atOnce,
    async flush(_, batchIds) {
      await Deliveries.renew(sql, batchIds, leaseMs)
      return []
    },
  })
  const looks = createGroupCommit<Parameters<typeof Deliveries.wanted>[1][number], boolean>({
    ...atOnce,
    async flush(_, leased) {
      const found = new Set(await Deliveries.wanted(sql, leased))
      return leased.map(({ webhookId }) => found.has(webhookId))
    },
  })
  const records = createGroupCommit<Results.Result, void>({
    ...atOnce,
    async flush(_, results) {
      await Results.record(sql, results)
      return []
    },
  })
  let silentUntilMs = 0
  return createDeliver({
    lease: (webhookId) => leases.submit(webhookId, webhookId),
    renew: (batchId) => renewals.submit(batchId, batchId),
    release: (batch) => Deliveries.release(sql, batch),
    leaseAgain: (batch, moreMs) => Deliveries.leaseAgain(sql, batch, leaseMs + moreMs),
    isWanted: (batch) => looks.submit(batch.webhookId, batch),
    async record(result) {
      for (const outcome of result.outcomes) service.metrics.delivery(resultOf(outcome))
      await records.submit(result.batch.webhookId, result)
      service.live.touched(result.batch.accountId, 'deliveries')
    },
    open: service.egress.open,
    openSecret: service.openSecret,
    scheduleMs: config.webhookRetryScheduleMs,
    now,
    random: Math.random,
    ringAfter(webhookId, delayMs) {
      const nowMs = now().getTime()
      const atMs = ringAtMs(nowMs, delayMs)
      const job = { jobId: `retry-${webhookId}-${atMs}`, delayMs: atMs - nowMs }
      void queues.add('deliver', { webhookIds: [webhookId] }, job)
    },
    onSlow() {
      if (performance.now() < silentUntilMs) return
      silentUntilMs = performance.now() + 60_000
      log.warn('PostgreSQL answers late: deliveries take several times as long to start')
    },
    onError: (err) => log.error({ err }, 'deliveries are left for later'),
  })
}

function resultOf({ delivered, gone, retryDelayMs }: Results.Outcome): DeliveryOutcome {
  if (delivered) return 'delivered'
  if (gone) return 'gone'
  return retryDelayMs === null ? 'failed' : 'retried'
}
