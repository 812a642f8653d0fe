import type { Sql } from '../src/storage/postgres/db.ts'

/**
 * `log`: bytes written to PostgreSQL's log since its creation; `tables`: bytes of all tables with
 * their indexes.
 */
export type Bytes = { readonly log: number; readonly tables: number }

export async function bytesOf(sql: Sql): Promise<Bytes> {
  const [bytes] = await sql<Bytes[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log,
      (select sum(pg_total_relation_size(relid))::float8 from pg_stat_user_tables) as tables`
  return bytes as Bytes
}

/** The bytes added per unit of work, for `done` units. */
export function bytesEach(before: Bytes, after: Bytes, done: number): Bytes {
  return {
    log: (after.log - before.log) / done,
    tables: (after.tables - before.tables) / done,
  }
}

export function bytesText({ log, tables }: Bytes): string {
  return `${log.toFixed(0)} + ${tables.toFixed(0)} B`
}
