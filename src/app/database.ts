import { connect, type Sql } from '../storage/db.ts'

/** The commit lanes that accounts are spread over; each runs one statement at a time. */
export const lanes = 2

export type Database = {
  readonly sql: Sql
  /** For the polls that keep caches valid: they must not queue behind requests. */
  readonly pollSql: Sql
  /** One connection per lane, since a lane runs one statement at a time. */
  readonly lanes: readonly Sql[]
  close(): Promise<void>
}

/** Opens all connection pools, one for each kind of work. */
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
