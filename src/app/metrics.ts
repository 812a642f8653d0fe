import { registry } from '../chain/registry.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import type { Queues } from '../queues/queues.ts'
import { readBacklog } from '../storage/backlog.ts'
import { unexplainedBalances } from '../storage/balance-checks.ts'
import { chainWatches } from '../storage/chain-watches.ts'
import type { Sql } from '../storage/db.ts'
import { oldestRows } from '../storage/retention.ts'
import { steadyMs } from './clock.ts'

/** A time limit, since scrapers wait for the answer and give up soon. */
const lookLimitMs = 2_000

/** The metrics of this process, and of what all processes share. */
export function serviceMetrics(sql: Sql, queues: Queues): Metrics {
  return createMetrics({
    steadyMs,
    async readStanding() {
      const [backlog, oldest, chains, unexplained, depths] = await Promise.all([
        readBacklog(sql, lookLimitMs),
        // Slow right after many rows were removed: then only this figure is missing.
        oldestRows(sql, lookLimitMs).catch(() => ({ deliveriesMs: null, idempotencyKeysMs: null })),
        chainWatches(sql, lookLimitMs),
        unexplainedBalances(sql, lookLimitMs),
        queues.depths().catch(() => []),
      ])
      const checked = chains.filter(({ chain }) => registry[chain].kind === 'evm')
      return {
        backlog,
        oldestRows: oldest,
        chains,
        unexplained: checked.map(
          ({ chain }) => unexplained.find((one) => one.chain === chain) ?? { chain, usdcBase: 0n },
        ),
        queues: depths,
      }
    },
  })
}
