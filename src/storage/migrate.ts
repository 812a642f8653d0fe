import { readdir } from 'node:fs/promises'
import type { Sql } from './db.ts'

const ours = new URL('./migrations/', import.meta.url)
// Any constant will do, as long as every process of this product uses the same one.
const lockId = 7_110_263_541

/** The database's schema is not of this version. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  constructor(
    readonly detail: string,
    readonly remedy: string,
  ) {
    super(`${detail}: ${remedy}`)
  }
}

/**
 * Brings the schema up to date and returns the names of the files it ran, in order. Any number of
 * processes may call it at once on an empty database: one does the work, the others wait and find
 * nothing left to do. A file that fails leaves nothing behind; earlier files stay applied. Throws
 * `SchemaError` if a newer version has migrated the database.
 */
export function migrate(sql: Sql, folder = ours): Promise<readonly string[]> {
  return alone(sql, async (connection) => {
    const { missing } = await compare(connection, folder)
    return run(connection, folder, missing)
  })
}

/**
 * Makes the schema of an empty database; any other must be up to date. Throws `SchemaError` if it
 * is not.
 */
export function requireSchema(sql: Sql, folder = ours): Promise<void> {
  return alone(sql, async (connection) => {
    const { applied, missing } = await compare(connection, folder)
    if (applied.length === 0) await run(connection, folder, missing)
    else if (missing.length > 0)
      throw new SchemaError(
        `The database is of an older version, without ${missing.join(', ')}`,
        'run `quittance migrate`, or start the service',
      )
  })
}

/** Runs `work` on a connection without a time limit, while no other process looks or migrates. */
async function alone<T>(sql: Sql, work: (connection: Sql) => Promise<T>): Promise<T> {
  const connection = await sql.reserve()
  try {
    await connection`set statement_timeout = 0`
    await connection`select pg_advisory_lock(${lockId})`
    return await work(connection)
  } finally {
    await connection`select pg_advisory_unlock_all()`
    await connection`reset statement_timeout`
    connection.release()
  }
}

/** Which files have been run, and which have not. */
async function compare(connection: Sql, folder: URL) {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  await connection`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
  const rows = await connection<{ name: string }[]>`select name from migrations order by name`
  const applied = rows.map(({ name }) => name)
  const unknown = applied.filter((name) => !files.includes(name))
  if (unknown.length > 0)
    throw new SchemaError(
      `The database is of a newer version, with ${unknown.join(', ')}`,
      'run that version, or restore the backup from before the upgrade',
    )
  return { applied, missing: files.filter((name) => !applied.includes(name)) }
}

async function run(
  connection: Sql,
  folder: URL,
  names: readonly string[],
): Promise<readonly string[]> {
  for (const name of names) {
    const text = await Bun.file(new URL(name, folder)).text()
    // One simple-protocol message is one transaction: the file and its record are stored together
    // or not at all. No begin and commit: after an error they would leave the connection inside a
    // failed transaction.
    await connection.unsafe(`${text}\n; insert into migrations (name) values ('${name}')`)
  }
  return names
}
