import { staleHeadMs } from '../chain/chain.ts'
import { problemsOf } from '../chain/wallets.ts'
import type { Config } from '../config/config.ts'
import { misspeltNote } from '../config/env.ts'
import type { Secrets } from '../config/secrets.ts'
import { type Network, networks } from '../domain/network.ts'
import type { ChainStanding, Readiness } from '../http/health-routes.ts'
import type { RedisStanding } from '../storage/limits/redis-standing.ts'
import { refusesWrites, type Sql } from '../storage/postgres/db.ts'
import type { Embedded } from '../storage/postgres/embedded/embedded.ts'
import { type ChainWatch, chainWatches } from '../storage/settlement/chain-watches.ts'
import type { Log } from '../telemetry/log.ts'
import { clockFault } from './clock-check.ts'

const lookLimitMs = 2_000
/**
 * A watcher without a successful step for this long, or for ten of its intervals if that is longer,
 * counts as not watching.
 */
const patienceMs = 30_000

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

/** What the service does not do as it is configured, for operators. */
function notesOn(config: Config): readonly string[] {
  const unwatched = networks.filter((network) => !isWatched(config, network))
  const { url: facilitatorUrl } = config.facilitator
  const untaken = facilitatorUrl === null ? '' : '; X402_FACILITATOR_URL takes no payments there'
  const mistyped = problemsOf((network) => config.networks[network].wallet)
  return [
    ...config.misspelt.map(misspeltNote),
    ...mistyped.map(({ variable, problem }) => `${variable} ${problem}`),
    ...(unwatched.length > 0
      ? [`not watched: ${unwatched.join(', ')} (no RPC URL)${untaken}`]
      : []),
    ...(isAnchoring(config)
      ? []
      : ['receipts wait to be anchored: ANCHOR_RPC_URL or ANCHOR_CONTRACT is missing']),
    ...(isAnchoring(config) && lacksAnchorKey(config)
      ? ['nothing is anchored by this process: ANCHOR_PRIVATE_KEY is missing']
      : []),
  ]
}

/** Whether a worker lacks the key to anchor with, which the embedded default generates. */
function lacksAnchorKey({ role, queues, databaseUrl, anchor }: Config): boolean {
  const anchors = role !== 'http' && queues.includes('anchor')
  return anchors && databaseUrl !== null && anchor.privateKey === null
}

/** Whether a chain is watched for payments. */
export function isWatched(config: Config, network: Network): boolean {
  return config.networks[network].rpcUrls.length > 0
}

/** Whether receipts and mandates are anchored, by a process that has the key. */
export function isAnchoring({ anchor: { rpcUrls, contract } }: Config): boolean {
  return rpcUrls.length > 0 && contract !== null
}

/** Writes the first lines of the log. */
export function announce(
  config: Config,
  secrets: Secrets,
  embedded: Embedded | null,
  url: string | null,
  log: Log,
): void {
  if (embedded)
    log.info({ dataDir: config.dataDir, data: embedded.folder }, 'embedded PostgreSQL is running')
  if (secrets.file)
    log.info(
      { file: secrets.file },
      'missing secrets and chain wallets are generated in this file; back it up',
    )
  for (const note of notesOn(config)) log.info({}, note)
  log.info(
    { role: config.role, url, watched: networks.filter((network) => isWatched(config, network)) },
    'ready',
  )
}
