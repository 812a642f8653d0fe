import { connect, type Sql } from '../storage/postgres/db.ts'
import type { ListReader } from '../storage/postgres/pools.ts'
import { createShares } from './shares.ts'

/** The commit lanes that accounts are spread over; each runs one statement at a time. */
export const lanes = 2

/**
 * Lists that are searched, filtered or counted may take PostgreSQL seconds: they have connections
 * of their own, of which an account gets half at most. A list takes one statement at a time. With a
 * statement's limit of 5 s, the patience stays below the 10 s that a connection may be silent.
 */
const lists = { overall: 4, each: 2, patienceMs: 3_000 }
/** Enough for hundreds of thousands of transfers, and how long a connection that died is used. */
const patientMs = 60_000
/** For more of an answer that has begun, which a refusal would break off. */
const furtherPatienceMs = 40_000

export type Database = {
  readonly sql: Sql
  /**
   * For what must not queue behind requests: the polls that keep caches valid, the counting of
   * requests, readiness.
   */
  readonly pollSql: Sql
  /** For work that takes as long as it takes; connected only meanwhile. */
  readonly unhurriedSql: Sql
  /** For what a chain waits for, and takes longer than statements may; connected only meanwhile. */
  readonly patientSql: Sql
  /** One connection per lane, since a lane runs one statement at a time. */
  readonly lanes: readonly Sql[]
  readonly list: ListReader
  /** Like `list`, for more of an answer that has begun: waits for up to 40 s for its turn. */
  readonly listFurther: ListReader
  close(): Promise<void>
}

/** Opens all connection pools, one for each kind of work. */
export function openDatabase(url: string): Database {
  const sql = connect(url, { max: 10, name: 'requests' })
  const pollSql = connect(url, { max: 2, name: 'polls' })
  const listSql = connect(url, { max: lists.overall, name: 'lists' })
  const unhurriedSql = connect(url, { max: 1, name: 'unhurried', isUnhurried: true })
  const patientSql = connect(url, { max: 1, name: 'patient', limitMs: patientMs })
  const laneSqls = Array.from({ length: lanes }, (_, n) =>
    connect(url, { max: 1, name: `lane ${n}`, planOnce: true }),
  )
  const pools = [sql, pollSql, listSql, unhurriedSql, patientSql, ...laneSqls]
  const inTurn = createShares(lists)
  return {
    sql,
    pollSql,
    unhurriedSql,
    patientSql,
    lanes: laneSqls,
    list: (accountId, read) => inTurn(accountId, () => read(listSql)),
    listFurther: (accountId, read) => inTurn(accountId, () => read(listSql), furtherPatienceMs),
    close: async () => void (await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))),
  }
}
