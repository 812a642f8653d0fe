import { connect, type Sql } from '../storage/db.ts'

/** One statement is under way per lane; accounts are spread over them. */
export const lanes = 2

export type Database = {
  readonly sql: Sql
  /** For the polls that vouch for caches: they must not queue behind requests. */
  readonly pollSql: Sql
  /** One connection each: a lane has one statement under way. */
  readonly lanes: readonly Sql[]
  close(): Promise<void>
}

/** Every pool of connections, each for its own kind of work. */
export function openDatabase(url: string): Database {
  const sql = connect(url, { max: 10, name: 'requests' })
  const pollSql = connect(url, { max: 1, name: 'polls' })
  const laneSqls = Array.from({ length: lanes }, (_, n) =>
    connect(url, { max: 1, name: `lane ${n}`, planOnce: true }),
  )
  return {
    sql,
    pollSql,
    lanes: laneSqls,
    close: async () =>
      void (await Promise.all([sql, pollSql, ...laneSqls].map((pool) => pool.end({ timeout: 5 })))),
  }
}
