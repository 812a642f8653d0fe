import { createRetention } from '../queues/retention.ts'
import { pruneWindows } from '../storage/limits/postgres-windows.ts'
import { pruneDeliveries, pruneIdempotencyKeys } from '../storage/postgres/retention.ts'
import { steadyMs } from './clock.ts'
import type { WorkerParts } from './workers.ts'

export const pruneEveryMs = 600_000
const againAfterMs = 1_000
/** The rows examined by one statement: a few milliseconds of work. */
const atOnce = 1_000

/** Creates the job that removes rows past their retention; an unfinished run queues another. */
export function createPruning({ config, log, database, queues }: WorkerParts) {
  const { sql } = database
  const retention = createRetention({
    tasks: {
      deliveries: (after) =>
        pruneDeliveries(sql, { keptDays: config.deliveriesKeptDays, after, limit: atOnce }),
      idempotencyKeys: (after) => pruneIdempotencyKeys(sql, { after, limit: atOnce }),
      requestWindows: (after) => pruneWindows(sql, { after, limit: atOnce }),
    },
    steadyMs,
    rest: Bun.sleep,
    log,
  })
  return async () => {
    if (await retention.run()) return
    const jobId = `again-${Math.floor(Date.now() / againAfterMs)}`
    await queues.add('retention', {}, { jobId, delayMs: againAfterMs })
  }
}
