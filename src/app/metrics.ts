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
      // Each by itself: what is slow, like the oldest rows right after many were removed, takes
      // nothing else with it.
      const [backlog, oldest, chains, unexplained, depths] = await Promise.all([
        readBacklog(sql, lookLimitMs),
        ifKnown(oldestRows(sql, lookLimitMs)),
        ifKnown(chainWatches(sql, lookLimitMs)),
        ifKnown(unexplainedBalances(sql, lookLimitMs)),
        ifKnown(queues.depths()),
      ])
      const checked = (chains ?? unexplained ?? []).filter(
        ({ chain }) => registry[chain].kind === 'evm',
      )
      return {
        backlog,
        oldestRows: oldest,
        chains,
        unexplained:
          unexplained &&
          checked.map(
            ({ chain }) =>
              unexplained.find((one) => one.chain === chain) ?? { chain, usdcBase: 0n },
          ),
        queues: depths,
      }
    },
  })
}

function ifKnown<T>(part: Promise<T>): Promise<T | null> {
  return part.catch(() => null)
}
