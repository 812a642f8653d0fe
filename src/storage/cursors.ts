import type { Network } from '../domain/network.ts'
import { type Sql, within } from './db.ts'

/** How far a chain has been read: blocks before `nextBlock` are confirmed and done. */
export type Cursor = {
  readonly nextBlock: number
  /** Block hashes seen on the way, oldest first, by which a reorganisation is noticed. */
  readonly checkpoints: readonly Checkpoint[]
  readonly version: number
}

export type Checkpoint = { readonly number: number; readonly hash: string }

export async function loadCursor(sql: Sql, chain: Network): Promise<Cursor | null> {
  const [row] = await within(
    () => sql<{ next_block: bigint; checkpoints: string; version: number }[]>`
      select next_block, checkpoints, version from cursors where chain = ${chain}`,
  )
  if (!row) return null
  return {
    nextBlock: Number(row.next_block),
    checkpoints: JSON.parse(row.checkpoints) as Checkpoint[],
    version: row.version,
  }
}

/** Starts reading a chain at `nextBlock`, unless somebody has started already. */
export async function startCursor(
  sql: Sql,
  chain: Network,
  nextBlock: number,
  now: Date,
): Promise<void> {
  await within(
    () => sql`insert into cursors (chain, next_block, checkpoints, version, updated_at)
      values (${chain}, ${nextBlock}, '[]', 0, ${now}) on conflict do nothing`,
  )
}
