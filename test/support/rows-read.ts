import type { Sql } from '../../src/storage/postgres/db.ts'
import { connect } from '../../src/storage/postgres/db.ts'
import type { TestDatabase } from './postgres.ts'

/**
 * How many rows of a table `work` reads; a search of an index counts as one. PostgreSQL counts by
 * connection, so `work` has its own.
 */
export async function rowsRead(
  { url }: TestDatabase,
  table: string,
  work: (sql: Sql) => Promise<unknown>,
): Promise<number> {
  const sql = connect(url, { max: 1, name: 'counted' })
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ read: number }[]>`
      select (seq_tup_read + idx_tup_fetch + idx_scan)::integer as read from pg_stat_user_tables where relname = ${table}`
    return row?.read ?? Number.NaN
  }
  try {
    const before = await read()
    await work(sql)
    return (await read()) - before
  } finally {
    await sql.end()
  }
}
