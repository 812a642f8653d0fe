import { readdir } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { DomainError, OperatorError } from '../../domain/error.ts'
import { ownFile } from '../../files.ts'
import { isRefusal, type Sql, withoutTimeLimit } from './db.ts'

const ours = pathToFileURL(`${ownFile('storage/migrations')}/`)
// Any constant that every process of this product uses.
const lockId = 7_110_263_541
const retryMs = 200
const fileName = /^\d{4}-.+\.sql$/
const noSuchColumn = '42703'
/** Duplicate table, object or function. */
const exists = ['42P07', '42710', '42723']

type Waiting = {
  readonly onWait?: () => void
  readonly waitLimitMs?: number
  readonly signal?: AbortSignal | undefined
}
type Options = Waiting & { readonly folder?: URL }

export class SchemaError extends OperatorError {
  override readonly name = 'SchemaError'
}

/**
 * Brings the schema up to date and returns the files it ran, in order. One process does the work;
 * others wait, after `onWait`. A file that fails leaves nothing behind. Throws `SchemaError` if the
 * database is of a newer version or not UTF-8. Errors: `unavailable` after a minute behind another
 * process.
 */
export function migrate(
  sql: Sql,
  { folder = ours, ...waiting }: Options = {},
): Promise<readonly string[]> {
  return alone(sql, waiting, async (connection) => {
    const { missing } = await compare(connection, folder)
    return run(connection, folder, missing)
  })
}

/**
 * Creates the schema of an empty database; throws `SchemaError` if any other is not up to date.
 * Waits like `migrate`.
 */
export function requireSchema(
  sql: Sql,
  { folder = ours, ...waiting }: Options = {},
): Promise<void> {
  return alone(sql, waiting, async (connection) => {
    const { applied, missing } = await compare(connection, folder)
    if (applied.length === 0) await run(connection, folder, missing)
    else if (missing.length > 0)
      throw new SchemaError(
        `The database is of an older version, without ${missing.join(', ')}`,
        'run `quittance migrate`, or start the service',
      )
  })
}

/** Runs `work` without a time limit, while no other process migrates. */
async function alone<T>(
  sql: Sql,
  { onWait = () => {}, waitLimitMs = 60_000, signal }: Waiting,
  work: (connection: Sql) => Promise<T>,
): Promise<T> {
  const pool = withoutTimeLimit(sql)
  // The lock belongs to this connection.
  const connection = await pool.reserve()
  try {
    // PgBouncer may have ignored what `withoutTimeLimit` sets while connecting.
    await connection`set statement_timeout = 0`
    await takeLock(connection, onWait, waitLimitMs, signal)
    return await work(connection)
  } finally {
    await connection`select pg_advisory_unlock_all()`
    connection.release()
    await pool.end({ timeout: 1 })
  }
}

async function takeLock(
  connection: Sql,
  onWait: () => void,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lastMs = performance.now() + limitMs
  for (let tries = 1; ; tries++) {
    const [row] = await connection<{ got: boolean }[]>`
      select pg_try_advisory_lock(${lockId}) as got`
    if (row?.got) return
    if (tries === 1) onWait()
    signal?.throwIfAborted()
    if (performance.now() >= lastMs)
      throw new DomainError('unavailable', 'Another process is still migrating the database', {
        operatorText: `waited for ${limitMs / 1_000} s; try again, or end that process if it hangs`,
      })
    await Bun.sleep(retryMs)
  }
}

async function compare(connection: Sql, folder: URL) {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const applied = await appliedNames(connection)
  if (applied.some((name) => !fileName.test(name)))
    throw notOurs('which has run others than our migrations')
  const unknown = applied.filter((name) => !files.includes(name))
  if (unknown.length > 0)
    throw new SchemaError(
      `The database is of a newer version, with ${unknown.join(', ')}`,
      'run that version, or restore the backup from before the upgrade',
    )
  return { applied, missing: files.filter((name) => !applied.includes(name)) }
}

async function appliedNames(connection: Sql): Promise<readonly string[]> {
  // Even where it exists, `create table if not exists` needs the right to create one.
  const [found] = await connection<{ exists: boolean }[]>`
    select to_regclass('migrations') is not null as exists`
  if (!found?.exists) {
    await requireUnicode(connection)
    await connection`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
  }
  try {
    const rows = await connection<{ name: string }[]>`select name from migrations order by name`
    return rows.map(({ name }) => name)
  } catch (error) {
    if (isRefusal(error, noSuchColumn)) throw notOurs('whose `migrations` has no column `name`')
    throw error
  }
}

/** A database keeps its encoding, and another could not store most people's names. */
async function requireUnicode(connection: Sql): Promise<void> {
  const [database] = await connection<{ encoding: string }[]>`
    select current_setting('server_encoding') as encoding`
  if (database?.encoding !== 'UTF8')
    throw new SchemaError(
      `The database is encoded as ${database?.encoding}, which cannot hold every text`,
      `create it with "encoding 'UTF8' template template0"`,
    )
}

function notOurs(how: string): SchemaError {
  return new SchemaError(
    `The database belongs to another program, ${how}`,
    'create a database for Quittance alone, and name it in DATABASE_URL',
  )
}

async function run(
  connection: Sql,
  folder: URL,
  names: readonly string[],
): Promise<readonly string[]> {
  for (const name of names) {
    const text = await Bun.file(new URL(name, folder)).text()
    // One simple-protocol message is one transaction; `begin` and `commit` would leave the
    // connection inside a failed one after an error.
    try {
      await connection.unsafe(`${text}\n; insert into migrations (name) values ('${name}')`)
    } catch (error) {
      if (!isRefusal(error, ...exists)) throw error
      throw new SchemaError(
        `The database already holds something that ${name} makes (${(error as Error).message})`,
        'use a database for Quittance alone, or restore the backup if this is one',
      )
    }
  }
  return names
}
