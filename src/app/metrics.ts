import manifest from '../../package.json' with { type: 'json' }
import { createKeyFunds } from '../chain/key-funds.ts'
import type { Config } from '../config/config.ts'
import { isAnchoring, isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import { networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { QueueName, Queues } from '../queues/queues.ts'
import { readBacklog } from '../storage/postgres/backlog.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { oldestRows } from '../storage/postgres/retention.ts'
import { unexplainedBalances } from '../storage/settlement/balance-checks.ts'
import { chainWatches } from '../storage/settlement/chain-watches.ts'
import { troubledWebhooks } from '../storage/webhooks/webhooks.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { steadyMs } from './clock.ts'

const lookLimitMs = 2_000

/** The metrics of this process and of the chains and queues that its configuration uses. */
export function serviceMetrics(
  config: Config,
  secrets: Secrets,
  sql: Sql,
  queues: Queues,
): Metrics {
  const idle = idleQueues(config)
  const keyFunds = createKeyFunds(config, secrets, steadyMs)
  const { version } = manifest
  return createMetrics({
    steadyMs,
    build: { version, ...(config.commit && { commit: config.commit }) },
    async readStanding() {
      // Each by itself: a slow read, like that of the oldest rows, fails alone.
      const [backlog, oldest, watches, unexplained, depths, webhooks, keys] = await Promise.all([
        readBacklog(sql, lookLimitMs),
        ifKnown(oldestRows(sql, lookLimitMs)),
        ifKnown(chainWatches(sql, lookLimitMs)),
        ifKnown(unexplainedBalances(sql, lookLimitMs)),
        ifKnown(queues.depths()),
        ifKnown(troubledWebhooks(sql, lookLimitMs)),
        keyFunds(),
      ])
      const chains = watches?.filter(({ chain }) => isWatched(config, chain)) ?? null
      const checked = (chains ?? unexplained ?? []).filter(
        ({ chain }) => isWatched(config, chain) && registry[chain].kind === 'evm',
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
        queues: depths?.filter(({ queue }) => !idle.has(queue)) ?? null,
        webhooks,
        keys,
      }
    },
  })
}

/** The queues whose jobs nobody with this configuration takes. */
function idleQueues(config: Config): ReadonlySet<QueueName> {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const idle = new Set<QueueName>(unwatched.map((network) => `watch-${network}` as const))
  if (config.fx.ecbUrl === null) idle.add('rates')
  return isAnchoring(config) ? idle : idle.add('anchor')
}

function ifKnown<T>(part: Promise<T>): Promise<T | null> {
  return part.catch(() => null)
}
