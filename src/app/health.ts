import { staleHeadMs } from '../chain/chain.ts'
import type { Config } from '../config/config.ts'
import { isWatched, notesOn } from '../config/notes.ts'
import { type Network, networks } from '../domain/network.ts'
import { type ChainStanding, createHealthServer, type Readiness } from '../http/health-routes.ts'
import type { RedisStanding } from '../storage/limits/redis-standing.ts'
import { clockFault } from '../storage/postgres/clock-check.ts'
import { refusesWrites, type Sql } from '../storage/postgres/db.ts'
import { type ChainWatch, chainWatches } from '../storage/settlement/chain-watches.ts'
import type { Database } from './database.ts'
import type { Service } from './service.ts'

const lookLimitMs = 2_000
/**
 * A watcher without a successful step for this long, or for ten of its intervals if that is longer,
 * counts as not watching.
 */
const patienceMs = 30_000

/**
 * Serves health and metrics on METRICS_PORT: the only port of a worker, and one that can be kept
 * from the public. Null if it is not set.
 */
export function serveHealth(
  config: Config,
  { pollSql }: Database,
  standing: RedisStanding,
  { metrics }: Service,
  ending: AbortSignal,
) {
  if (config.metricsPort === null) return null
  const server = createHealthServer({
    metrics,
    readiness: sharedReadiness(config, pollSql, standing, ending),
  }).listen({
    port: config.metricsPort,
    hostname: config.host,
    reusePort: false,
  })
  return {
    url: `http://localhost:${server.server?.port}`,
    stop: async () => void (await server.stop(true)),
  }
}

/**
 * Whether the service can work now, what it does not do as configured, and how each chain is
 * watched. A chain out of reach is only a note: everything else goes on, and its payments are found
 * once it is back. So is Redis, if it is used: due work is found in PostgreSQL.
 */
export async function readiness(
  config: Config,
  sql: Sql,
  redis?: Pick<RedisStanding, 'isAway' | 'isRefusing'>,
  ending?: AbortSignal,
): Promise<Readiness> {
  const [watches, isRefusing, clock] = await Promise.all([
    chainWatches(sql, lookLimitMs).catch(() => null),
    refusesWrites(sql, lookLimitMs),
    clockFault(sql, lookLimitMs).catch(() => null),
  ])
  const chains = networks.map((network) => standingOf(network, config, watches ?? []))
  const away = chains.filter(({ configured, watched }) => configured && !watched)
  return {
    problems: [
      ...(ending?.aborted ? ['the process is stopping'] : []),
      ...(watches ? [] : ['the database does not answer, or takes no writes']),
      ...(watches && isRefusing ? ['the database refuses writes: is its disk full?'] : []),
    ],
    notes: [
      ...notesOn(config),
      ...(redis?.isAway()
        ? [
            `Redis ${redis.isRefusing() ? 'refuses writes' : 'is away'}: jobs wait, and requests are counted in PostgreSQL`,
          ]
        : []),
      ...(watches ? away : []).map(({ chain, fault, pollAgeMs }) =>
        fault === null ? unasked(chain, pollAgeMs) : `${chain} is out of reach: ${fault}`,
      ),
      ...chains.flatMap(({ chain, watched, pollAgeMs, headAgeMs }) =>
        watched && headAgeMs !== null && headAgeMs - (pollAgeMs ?? 0) > staleHeadMs
          ? [`${chain} stands still: its newest block is ${Math.floor(headAgeMs / 1_000)} s old`]
          : [],
      ),
      ...(clock ? [clock.text] : []),
    ],
    chains,
  }
}

/**
 * The readiness for anybody, as often as they ask: whoever asks while a look is under way gets its
 * answer. Each look takes statements of the connections that count requests and vouch for keys.
 */
export function sharedReadiness(...of: Parameters<typeof readiness>): () => Promise<Readiness> {
  let looking: Promise<Readiness> | null = null
  return () => {
    looking ??= readiness(...of).finally(() => {
      looking = null
    })
    return looking
  }
}

function standingOf(chain: Network, config: Config, watches: readonly ChainWatch[]): ChainStanding {
  const { pollAgeMs, headAgeMs, behindBlocks, fault } =
    watches.find((watch) => watch.chain === chain) ?? neverWatched
  const configured = isWatched(config, chain)
  const longestMs = Math.max(patienceMs, 10 * config.networks[chain].pollMs)
  const watched = configured && pollAgeMs !== null && pollAgeMs < longestMs
  return {
    chain,
    configured,
    watched,
    pollAgeMs: whole(pollAgeMs),
    headAgeMs: whole(headAgeMs),
    behindBlocks,
    fault,
  }
}

/** What is said of a chain whose last step went well: it is not the chain that is at fault. */
function unasked(chain: string, pollAgeMs: number | null): string {
  return pollAgeMs === null
    ? `${chain}: no worker has looked at it yet`
    : `${chain}: no worker has finished a look at it for ${Math.floor(pollAgeMs / 1_000)} s`
}

const neverWatched = { pollAgeMs: null, headAgeMs: null, behindBlocks: null, fault: null }

function whole(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms)
}
