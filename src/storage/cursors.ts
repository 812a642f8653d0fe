import { type Sql, within } from './db.ts'

/** How far a chain has been read: blocks before `nextBlock` are confirmed and done. */
export type Cursor = {
  readonly nextBlock: number
  /** Block hashes seen on the way, oldest first, by which a reorganisation is noticed. */
  readonly checkpoints: readonly Checkpoint[]
  readonly version: number
}

export type Checkpoint = { readonly number: number; readonly hash: string }

/** The cursor of this name: a chain's, or that of a range of it which is read by itself. */
export async function loadCursor(sql: Sql, name: string): Promise<Cursor | null> {
  const [row] = await within(
    () => sql<{ next_block: bigint; checkpoints: string; version: number }[]>`
      select next_block, checkpoints, version from cursors where chain = ${name}`,
  )
  if (!row) return null
  return {
    nextBlock: Number(row.next_block),
    checkpoints: JSON.parse(row.checkpoints) as Checkpoint[],
    version: row.version,
  }
}

/** Starts reading at `nextBlock`, unless somebody has started already. */
export async function startCursor(
  sql: Sql,
  name: string,
  nextBlock: number,
  now: Date,
): Promise<void> {
  await within(
    () => sql`insert into cursors (chain, next_block, checkpoints, version, updated_at)
      values (${name}, ${nextBlock}, '[]', 0, ${now}) on conflict do nothing`,
  )
}

/** Moves a cursor on by itself. False when somebody else moved it first. */
export async function moveCursor(
  sql: Sql,
  name: string,
  { version }: Cursor,
  next: Omit<Cursor, 'version'>,
  now: Date,
): Promise<boolean> {
  const moved = await within(
    () => sql`update cursors set next_block = ${next.nextBlock}, checkpoints = ${JSON.stringify(next.checkpoints)},
        version = version + 1, updated_at = ${now}
      where chain = ${name} and version = ${version}`,
  )
  return moved.count === 1
}

/** Forgets a cursor that has come to its end. */
export async function dropCursor(sql: Sql, name: string): Promise<void> {
  await within(() => sql`delete from cursors where chain = ${name}`)
}
