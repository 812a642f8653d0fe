import type { Network } from '../../domain/network.ts'
import { type Sql, statement } from '../postgres/db.ts'

/**
 * How one chain is being watched. Ages are by the database's clock; null: it has never happened.
 */
export type ChainWatch = {
  readonly chain: Network
  /** Time since the last step that succeeded. */
  readonly pollAgeMs: number | null
  /** Blocks up to the chain's head that are not yet read and confirmed. */
  readonly behindBlocks: number | null
  /** Time since the newest block reported by a node was produced. */
  readonly headAgeMs: number | null
  /** The chain’s fault by which the last step failed; null when there was none. */
  readonly fault: string | null
}

/** The head that a step saw, and a moment before it asked for that, if it has read on to it. */
type Progress = {
  readonly head: { readonly number: number; readonly timestampMs: number }
  /** By the database's clock. */
  readonly caughtUpAt: Date | null
}

/**
 * The result of a watcher's step: its progress or, if it failed, the chain's fault, null where it
 * failed by something else. A step that failed may have made progress.
 */
export type Watched =
  | (Progress & { readonly fault?: never })
  | (Partial<Progress> & { readonly fault: string | null })

/** Records the result of a step of this chain's watcher. */
export async function noteWatch(sql: Sql, chain: Network, watched: Watched): Promise<void> {
  const { head = null, caughtUpAt = null, fault = null } = watched
  const headAt = head && new Date(head.timestampMs)
  const hasFailed = watched.fault !== undefined
  await statement(sql)`
    insert into chain_watches as watch (chain, polled_at, head_number, head_at, fault, caught_up_at, updated_at)
    values (${chain}, case when not ${hasFailed}::boolean then now() end, ${head?.number ?? null}, ${headAt}, ${fault},
      ${caughtUpAt}, now())
    on conflict (chain) do update set polled_at = coalesce(excluded.polled_at, watch.polled_at),
      head_number = coalesce(excluded.head_number, watch.head_number), head_at = coalesce(excluded.head_at, watch.head_at),
      caught_up_at = coalesce(excluded.caught_up_at, watch.caught_up_at), fault = excluded.fault, updated_at = now()`
}

/** Every chain that any process has watched. Errors: `unavailable` after `limitMs`. */
export function chainWatches(sql: Sql, limitMs: number): Promise<readonly ChainWatch[]> {
  return statement<ChainWatch[]>(sql, limitMs)`
    select chain, fault, (extract(epoch from now() - polled_at) * 1000)::float8 as "pollAgeMs",
      (extract(epoch from now() - head_at) * 1000)::float8 as "headAgeMs",
      case when head_number is not null then greatest(0, head_number - next_block + 1)::integer end as "behindBlocks"
    from chain_watches left join cursors using (chain) order by chain`
}
