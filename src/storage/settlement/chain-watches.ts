import type { Network } from '../../domain/network.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** Ages by the database's clock; null: never. */
export type ChainWatch = {
  readonly chain: Network
  /** Since the last step that succeeded. */
  readonly pollAgeMs: number | null
  /** Blocks not yet read and confirmed. */
  readonly behindBlocks: number | null
  /** The age of the newest block that a node reported. */
  readonly headAgeMs: number | null
  /** Why the last step failed. */
  readonly fault: string | null
  /** What operators should know of its nodes, a line each. */
  readonly notes: string | null
}

/** `caughtUpAt`: a moment before it asked for a head that it has read up to. */
type Progress = {
  readonly head: { readonly number: number; readonly timestampMs: number }
  readonly caughtUpAt: Date | null
}

/** A step's progress or, if it failed, the chain's fault; null: it failed by something else. */
export type Watched =
  | (Progress & { readonly fault?: never })
  | (Partial<Progress> & { readonly fault: string | null })

export async function noteWatch(
  sql: Sql,
  chain: Network,
  watched: Watched,
  notes: readonly string[] = [],
): Promise<void> {
  const { head = null, caughtUpAt = null, fault = null } = watched
  const headAt = head && new Date(head.timestampMs)
  const hasFailed = watched.fault !== undefined
  await statement(sql)`
    insert into chain_watches as watch (chain, polled_at, head_number, head_at, fault, caught_up_at, notes, updated_at)
    values (${chain}, case when not ${hasFailed}::boolean then now() end, ${head?.number ?? null}, ${headAt}, ${fault},
      ${caughtUpAt}, ${notes.join('\n') || null}, now())
    on conflict (chain) do update set polled_at = coalesce(excluded.polled_at, watch.polled_at),
      head_number = coalesce(excluded.head_number, watch.head_number), head_at = coalesce(excluded.head_at, watch.head_at),
      caught_up_at = coalesce(excluded.caught_up_at, watch.caught_up_at), fault = excluded.fault, notes = excluded.notes, updated_at = now()`
}

export function chainWatches(sql: Sql, limitMs: number): Promise<readonly ChainWatch[]> {
  return statement<ChainWatch[]>(sql, limitMs)`
    select chain, fault, notes, (extract(epoch from now() - polled_at) * 1000)::float8 as "pollAgeMs",
      (extract(epoch from now() - head_at) * 1000)::float8 as "headAgeMs",
      case when head_number is not null then greatest(0, head_number - next_block + 1)::integer end as "behindBlocks"
    from chain_watches left join cursors using (chain) order by chain`
}
