import type { Config } from '../config/config.ts'
import { isWatched, notesOn } from '../config/notes.ts'
import { ecbSource } from '../domain/money/ecb.ts'
import { isStale } from '../domain/money/money.ts'
import { type Network, networks } from '../domain/network.ts'
import { staleHeadMs } from '../domain/registry.ts'
import { shareRuns } from '../scheduling/cache.ts'
import { clockFault } from '../storage/postgres/clock-check.ts'
import { refusesWrites, type Sql } from '../storage/postgres/db.ts'
import { createWriteCheck } from '../storage/postgres/write-check.ts'
import { findRateDay } from '../storage/rates/exchange-rates.ts'
import type { RedisHealth } from '../storage/redis/health.ts'
import { type ChainWatch, chainWatches } from '../storage/settlement/chain-watches.ts'

export type Readiness = Awaited<ReturnType<typeof readReadiness>>

const readLimitMs = 2_000
/** A chain without a successful step for this long (or ten poll intervals) counts as unwatched. */
const watchedWithinMs = 30_000

/** Concurrent callers share one read of the database, and one write. */
export function createReadiness(...parts: Parameters<typeof readReadiness>) {
  const [, sql] = parts
  const checkWrites = createWriteCheck(sql)
  return shareRuns(async () => {
    const found = await readReadiness(...parts)
    // While it cannot be read, a write would only make the answer later.
    const problem = found.problems.length === 0 ? await checkWrites() : null
    return problem === null ? found : { ...found, problems: [problem] }
  })
}

/**
 * `problems` say why nothing can be served; none means ready. `notes` are for operators: callers
 * are not affected. A chain or Redis out of reach is only a note: due work is found later.
 */
export async function readReadiness(
  config: Config,
  sql: Sql,
  redis?: Pick<RedisHealth, 'isAway' | 'isRefusing'>,
  ending?: AbortSignal,
  ownNotes: () => readonly string[] = () => [],
) {
  const [watches, isRefusing, clock, rates] = await Promise.all([
    chainWatches(sql, readLimitMs).catch(() => null),
    refusesWrites(sql, readLimitMs),
    clockFault(sql, readLimitMs).catch(() => null),
    staleRatesNote(config, sql).catch(() => null),
  ])
  const chains = networks.map((network) => chainStatus(network, config, watches ?? []))
  const problems = [
    ending?.aborted && 'the process is stopping',
    !watches && 'the database does not answer, or takes no writes',
    watches && isRefusing && 'the database refuses writes: is its disk full?',
    clock?.isUnfit && clock.text,
  ]
  const notes = [
    ...notesOn(config),
    redis?.isAway() &&
      `Redis ${redis.isRefusing() ? 'refuses writes' : 'is away'}: jobs wait, and requests are counted in PostgreSQL`,
    ...(watches ? chains : []).map(unwatchedNote),
    ...chains.map(stoppedNote),
    !clock?.isUnfit && clock?.text,
    ...ownNotes(),
    ...(watches ?? []).flatMap((watch) => watch.notes?.split('\n') ?? []),
    rates,
  ]
  return {
    problems: problems.filter((text) => typeof text === 'string'),
    notes: [...new Set(notes.filter((text) => typeof text === 'string'))],
    chains,
  }
}

async function staleRatesNote({ fx }: Config, sql: Sql): Promise<string | null> {
  if (fx.isIndicative || (fx.ecbUrl === null && fx.fixed.source === 'none')) return null
  const day = fx.ecbUrl === null ? fx.fixed : await findRateDay(sql, ecbSource)
  if (!day) return 'exchange rates have not been read yet'
  const asOf = day.asOf.slice(0, 10)
  return isStale(day.asOf, new Date().toISOString()) ? `exchange rates are of ${asOf}` : null
}

type ChainStatus = ReturnType<typeof chainStatus>

/** How one chain is watched by any process. Ages are null before the first time. */
function chainStatus(chain: Network, config: Config, watches: readonly ChainWatch[]) {
  const { pollAgeMs, headAgeMs, behindBlocks, fault } =
    watches.find((watch) => watch.chain === chain) ?? neverWatched
  const configured = isWatched(config, chain)
  const longestMs = Math.max(watchedWithinMs, 10 * config.networks[chain].pollMs)
  const watched = configured && pollAgeMs !== null && pollAgeMs < longestMs
  return {
    chain,
    configured,
    watched,
    pollAgeMs: pollAgeMs && Math.round(pollAgeMs),
    headAgeMs: headAgeMs && Math.round(headAgeMs),
    behindBlocks,
    fault,
  }
}

const neverWatched = { pollAgeMs: null, headAgeMs: null, behindBlocks: null, fault: null }

function unwatchedNote({ chain, configured, watched, fault, pollAgeMs }: ChainStatus) {
  if (!configured || watched) return null
  if (fault !== null) return `${chain} is out of reach: ${fault}`
  // Its last step succeeded, so the chain is not at fault.
  return pollAgeMs === null
    ? `${chain}: no worker has read it yet`
    : `${chain}: no worker has read it for ${Math.floor(pollAgeMs / 1_000)} s`
}

function stoppedNote({ chain, watched, pollAgeMs, headAgeMs }: ChainStatus) {
  if (!watched || headAgeMs === null || headAgeMs - (pollAgeMs ?? 0) <= staleHeadMs) return null
  return `${chain} stands still: its newest block is ${Math.floor(headAgeMs / 1_000)} s old`
}
