import { type Sql, within } from './db.ts'

/**
 * Runs `work` unless work under the same `key` is running already, in any process. Returns whether
 * it ran. Holds a connection meanwhile. Errors: `unavailable` when no connection is free in time,
 * and those of `work`.
 */
export async function asOnlyOne(
  sql: Sql,
  key: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const reserving = sql.reserve()
  const locking = reserving.then(
    (connection) => connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${key}, 0)) as got`,
  )
  /** Gives connection and lock back, however late they come. */
  async function release(): Promise<void> {
    await locking.catch(() => {})
    const connection = await reserving
    await connection`select pg_advisory_unlock(hashtextextended(${key}, 0))`.catch(() => {})
    connection.release()
  }
  try {
    const [row] = await within(() => locking)
    if (!row?.got) return false
    await work()
    return true
  } finally {
    const released = release().catch(() => {})
    await within(() => released, releasedWithinMs).catch(() => {})
  }
}

/**
 * How long the caller waits for the lock to be released, so that its next call does not still find
 * it taken.
 */
const releasedWithinMs = 1_000
