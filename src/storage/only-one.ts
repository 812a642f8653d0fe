import { type Sql, within } from './db.ts'

/**
 * Runs `work` unless some process is at work under the same `key`; answers whether it ran. Holds a connection meanwhile. Errors:
 * `unavailable` where there is none in time, and those of `work`.
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
  /** However late connection and lock come, they are given back. */
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

/** Who asks next should not find the lock of the one before. */
const releasedWithinMs = 1_000
