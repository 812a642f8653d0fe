import { type Sql, statement, within } from './db.ts'

/** The backend of a lock's holder, and its client. */
export type Holder = {
  readonly pid: number
  readonly name: string
  /** Null for a local socket. */
  readonly client: string | null
  readonly silentMs: number
}

export type FrozenHolders = {
  /** A holder silent for longer counts as frozen. */
  readonly mostSilentMs: number
  /** Called with each holder whose connection was ended. */
  readonly onFrozen: (holder: Holder) => void
}

/**
 * Runs `work` unless work under `key` is running in any process. Returns whether it ran. A
 * suspended process would hold the lock for ever, because its kernel answers keepalives: whoever
 * finds the lock held by a frozen process ends its connection. `work` continues without the lock if
 * its connection is lost. Errors: `unavailable` when no connection is free in time, and those of
 * `work`.
 */
export async function asOnlyOne(
  sql: Sql,
  key: string,
  work: () => Promise<void>,
  { mostSilentMs = 60_000, onFrozen = () => {} }: Partial<FrozenHolders> = {},
): Promise<boolean> {
  const reserving = sql.reserve()
  const locking = reserving.then(
    (connection) => connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${key}, 0)) as got`,
  )
  let signs: Timer | undefined
  /** Releases connection and lock, however late they come. */
  async function release(): Promise<void> {
    await locking.catch(() => {})
    const connection = await reserving
    await connection`select pg_advisory_unlock(hashtextextended(${key}, 0))`.catch(() => {})
    connection.release()
  }
  try {
    const [row] = await within(() => locking)
    const connection = await reserving
    if (!row?.got) {
      for (const holder of await endFrozen(connection, key, mostSilentMs)) onFrozen(holder)
      return false
    }
    signs = setInterval(() => void connection`select`.catch(() => {}), mostSilentMs / 6)
    await work()
    return true
  } finally {
    clearInterval(signs)
    const released = release().catch(() => {})
    await within(() => released, releasedWithinMs).catch(() => {})
  }
}

/** Ends the connection of a holder that has been silent for so long. */
async function endFrozen(sql: Sql, key: string, mostSilentMs: number): Promise<readonly Holder[]> {
  return statement<Holder[]>(sql)`
    with frozen as materialized (
      select pid, application_name as name, host(client_addr) as client,
        (extract(epoch from clock_timestamp() - state_change) * 1000)::float8 as "silentMs"
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and datid = pg_locks.database and datname = current_database()
        and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = hashtextextended(${key}, 0)
        and state = 'idle' and state_change < clock_timestamp() - ${mostSilentMs} * interval '1 ms'
    )
    select * from frozen where pg_terminate_backend(pid)`
}

const releasedWithinMs = 1_000
