import { type Sql, statement } from '../postgres/db.ts'

/** Blocks before `nextBlock` are confirmed and finished. */
export type Cursor = {
  readonly nextBlock: number
  /** Blocks already read, oldest first, which reveal a reorganisation. */
  readonly checkpoints: readonly Checkpoint[]
  readonly version: number
}

export type Checkpoint = { readonly number: number; readonly hash: string }

/** The cursor of a chain, or of a block range that is read separately. */
export async function loadCursor(sql: Sql, name: string): Promise<Cursor | null> {
  const [row] = await statement<{ next_block: bigint; checkpoints: string; version: number }[]>(
    sql,
  )`
    select next_block, checkpoints, version from cursors where chain = ${name}`
  if (!row) return null
  return {
    nextBlock: Number(row.next_block),
    checkpoints: JSON.parse(row.checkpoints) as Checkpoint[],
    version: row.version,
  }
}

/** The newest block that a chain's watcher knows; 0 before the first. */
export async function newestBlock(sql: Sql, chain: string): Promise<number> {
  return (await loadCursor(sql, chain))?.checkpoints.at(-1)?.number ?? 0
}

export async function startCursor(
  sql: Sql,
  name: string,
  nextBlock: number,
  now: Date,
): Promise<void> {
  await statement(sql)`insert into cursors (chain, next_block, checkpoints, version, updated_at)
    values (${name}, ${nextBlock}, '[]', 0, ${now}) on conflict do nothing`
}

/** False when it has been moved since `version`. */
export async function moveCursor(
  sql: Sql,
  name: string,
  { version }: Cursor,
  next: Omit<Cursor, 'version'>,
  now: Date,
): Promise<boolean> {
  const moved = await statement(
    sql,
  )`update cursors set next_block = ${next.nextBlock}, checkpoints = ${JSON.stringify(next.checkpoints)},
      version = version + 1, updated_at = ${now}
    where chain = ${name} and version = ${version}`
  return moved.count === 1
}

export async function dropCursor(sql: Sql, name: string): Promise<void> {
  await statement(sql)`delete from cursors where chain = ${name}`
}

/** Deletes a cursor that nobody has moved for a day. */
export async function dropOldCursor(sql: Sql, name: string): Promise<void> {
  await statement(
    sql,
  )`delete from cursors where chain = ${name} and updated_at < now() - interval '1 day'`
}
