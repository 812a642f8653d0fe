import { DomainError } from '../../domain/error.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { connect, type Sql } from './db.ts'

/** All connection pools of a process, one for each kind of work. */
export type Database = ReturnType<typeof openDatabase>

/**
 * Runs one statement of an account that may take long. Errors: `overloaded` if too many such
 * statements are running.
 */
export type ListReader = Database['list']

/** The name of the pool on which a process listens for changes, with one connection. */
export const changesPool = 'changes'

/** The commit lanes that accounts are spread over; each runs one statement at a time. */
const lanes = 2

/**
 * Lists may take PostgreSQL seconds: they have connections of their own, of which an account gets
 * half. Waiting and a statement's limit of 5 s stay below the 10 s of silence of a connection.
 */
const lists = { total: 4, perKey: 2, maxWaitMs: 3_000 }
/** Enough for hundreds of thousands of transfers. */
const patientMs = 60_000
/** For more of an answer that has begun, which a refusal would break off. */
const furtherWaitMs = 40_000

/** Opens the pools; they connect when they are used. */
export function openDatabase(url: string) {
  const sql = connect(url, { max: 10, name: 'requests' })
  const pollSql = connect(url, { max: 2, name: 'polls' })
  const changesSql = connect(url, { max: 1, name: changesPool })
  const listSql = connect(url, { max: lists.total, name: 'lists' })
  const unhurriedSql = connect(url, { max: 1, name: 'unhurried', limitMs: 3_600_000 })
  const patientSql = connect(url, { max: 1, name: 'patient', limitMs: patientMs })
  const laneSqls = Array.from({ length: lanes }, (_, n) =>
    connect(url, { max: 1, name: `lane ${n}`, planOnce: true }),
  )
  const pools = [sql, pollSql, changesSql, listSql, unhurriedSql, patientSql, ...laneSqls]
  const limit = createConcurrencyLimit({ ...lists, refusal: tooManyLists })

  function list<T>(accountId: string, read: (sql: Sql) => Promise<T>): Promise<T> {
    return limit.run(accountId, () => read(listSql))
  }

  /** Like `list`, for more of an answer that has begun: waits up to 40 s for its turn. */
  function listFurther<T>(accountId: string, read: (sql: Sql) => Promise<T>): Promise<T> {
    return limit.run(accountId, () => read(listSql), furtherWaitMs)
  }

  async function close(): Promise<void> {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))
  }

  return {
    sql,
    /** For what must not queue behind requests: polls, request counts, readiness. */
    pollSql,
    /** For listening alone, which takes one connection. */
    changesSql,
    /** For work that takes as long as it takes; connected only meanwhile. */
    unhurriedSql,
    /** For what a chain waits for, longer than statements may take; connected only meanwhile. */
    patientSql,
    /** One connection for each lane. */
    lanes: laneSqls,
    list,
    listFurther,
    close,
  }
}

function tooManyLists(): DomainError {
  return new DomainError('overloaded', 'Too many lists are being read; try again shortly', {
    retryAfterSeconds: 2,
  })
}
