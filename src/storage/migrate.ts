import { readdir } from 'node:fs/promises'
import { DomainError } from '../domain/error.ts'
import { patient, type Sql } from './db.ts'

const ours = new URL('./migrations/', import.meta.url)
// Any constant will do, as long as every process of this product uses the same one.
const lockId = 7_110_263_541
const lookEveryMs = 200

type Options = {
  readonly folder: URL
  readonly onWait: () => void
  readonly waitLimitMs: number
}

/**
 * Brings the schema up to date and returns the names of the files it ran, in order. Any number of
 * processes may call it at once on an empty database: one does the work, the others wait and find
 * nothing left to do. A file that fails leaves nothing behind; earlier files stay applied. Who has
 * to wait calls `onWait` once. Errors: `unavailable` after a minute behind another process, which
 * may be stuck.
 */
export async function migrate(
  sql: Sql,
  { folder = ours, onWait = () => {}, waitLimitMs = 60_000 }: Partial<Options> = {},
): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const pool = patient(sql)
  // Reserved: on a connection opened in its place the lock would be missing.
  const connection = await pool.reserve()
  try {
    // PgBouncer may have ignored what `patient` sets while connecting.
    await connection`set statement_timeout = 0`
    await takeLock(connection, onWait, waitLimitMs)
    await connection`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const applied = new Set((await connection`select name from migrations`).map((row) => row.name))
    const missing = files.filter((name) => !applied.has(name))
    for (const name of missing) {
      const text = await Bun.file(new URL(name, folder)).text()
      // One simple-protocol message is one transaction: the file and its record are stored together
      // or not at all. No begin and commit: after an error they would leave the connection inside a
      // failed transaction.
      await connection.unsafe(`${text}\n; insert into migrations (name) values ('${name}')`)
    }
    return missing
  } finally {
    await connection`select pg_advisory_unlock_all()`
    connection.release()
    await pool.end({ timeout: 1 })
  }
}

async function takeLock(connection: Sql, onWait: () => void, limitMs: number): Promise<void> {
  const lastMs = performance.now() + limitMs
  for (let tries = 1; ; tries++) {
    const [row] = await connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(${lockId}) as got`
    if (row?.got) return
    if (tries === 1) onWait()
    if (performance.now() >= lastMs)
      throw new DomainError('unavailable', 'Another process is still migrating the database', {
        operatorText: `waited for ${limitMs / 1_000} s; try again, or end that process if it hangs`,
      })
    await Bun.sleep(lookEveryMs)
  }
}
