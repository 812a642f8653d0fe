import { DomainError } from '../../domain/error.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import { connect, type Sql } from './db.ts'

/** The connection pools of a process, one for each kind of work. */
export type Database = ReturnType<typeof openDatabase>

/** Runs a slow statement of an account. Errors: `overloaded` if too many such statements run. */
export type ListReader = Database['list']

/** The pool on which a process listens for changes, with one connection. */
export const changesPool = 'changes'

/** The pool for what must not queue behind requests; its name continues with the process's tag. */
export const pollsPool = 'polls'

/** Commit lanes that accounts are spread over; each runs one statement at a time. */
const lanes = 2

/**
 * Lists have connections of their own, of which an account gets half. Waiting and a statement's 5 s
 * stay below the 10 s of silence that end a caller's connection.
 */
const lists = { total: 4, perKey: 2, maxWaitMs: 3_000 }
const patientMs = 60_000
/** For the rest of an answer that has begun, which a refusal would cut off. */
const furtherWaitMs = 40_000

/** Opens the pools; they connect when they are used. `tag` shows which key the process has. */
export function openDatabase(url: string, tag: string) {
  const sql = connect(url, { max: 10, name: 'requests' })
  const pollSql = connect(url, { max: 2, name: `${pollsPool} ${tag}` })
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

  /** `list` for the rest of an answer that has begun: waits up to 40 s for its turn. */
  function listFurther<T>(accountId: string, read: (sql: Sql) => Promise<T>): Promise<T> {
    return limit.run(accountId, () => read(listSql), furtherWaitMs)
  }

  async function close(): Promise<void> {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))
  }

  return {
    sql,
    pollSql,
    changesSql,
    /** For work that takes as long as it takes. */
    unhurriedSql,
    /** For long statements that a chain waits for. */
    patientSql,
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
