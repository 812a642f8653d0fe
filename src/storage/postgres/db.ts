import postgres from 'postgres'
import { DomainError } from '../../domain/error.ts'
import { readDatabaseUrl, splitAddress } from './database-url.ts'

export type Sql = postgres.Sql<{ bigint: bigint }>

const statementTimeoutMs = 5_000
/** A connection silent for this much longer than a statement may take is dead. */
const silenceSeconds = 3
/** How long a statement may take for which no caller waits. */
export const unhurriedMs = 3_600_000
const idleSeconds = 10
/** How long a caller waits for storage: its own statement plus those queued ahead of it. */
export const deadlineMs = 6_000

/**
 * A pool whose queries cannot hang: the server cancels a statement after 5 s, connecting gives up
 * after 3 s, and a dead server is retried at once. With `planOnce` a statement is planned once and
 * not for every batch: right where only the contents of arrays change. With `limitMs` a statement
 * may take that long, with `isUnhurried` an hour, and idle connections are closed.
 *
 * A server that accepts no writes, such as an old primary after a standby was promoted, counts as
 * down: a healthy connection to it would stay open and miss everything committed elsewhere.
 *
 * `patches/README.md` says what is mended in postgres.js.
 */
export function connect(
  url: string,
  options: {
    max: number
    name: string
    planOnce?: boolean
    isUnhurried?: boolean
    limitMs?: number
  },
): Sql {
  const limitMs = options.isUnhurried ? unhurriedMs : (options.limitMs ?? statementTimeoutMs)
  const address = readDatabaseUrl(url)
  const { options: settings, ...parts } = address
  return postgres({
    ...parts,
    // Not in the types: lists, and what is patched in.
    ...(splitAddress(address) as object),
    ...({ answer_timeout: silenceSeconds } as object),
    max: options.max,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: limitMs > statementTimeoutMs ? idleSeconds : 0,
    max_lifetime: null,
    target_session_attrs: 'read-write',
    onnotice: () => {},
    transform: { undefined: null },
    types: {
      bigint: postgres.BigInt,
      // `date`/`timestamptz` stay Dates; numeric stays text so no digit is lost.
    },
    connection: {
      application_name: applicationName(options.name),
      ...(settings && { options: settings }),
      statement_timeout: limitMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      TimeZone: 'UTC',
      // The server drops the locks of a client that vanished after 25 s, not after two hours.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      ...(options.planOnce && { plan_cache_mode: 'force_generic_plan' }),
    },
  }) as Sql
}

export function applicationName(pool: string): string {
  return `quittance ${pool}`
}

/** A pool of one connection to the server of `sql`, without a time limit for statements. */
export function withoutTimeLimit(sql: Sql): Sql {
  const connection = { ...sql.options.connection, statement_timeout: 0 }
  const options = { ...sql.options, connection, max: 1 }
  return postgres(options as object) as unknown as Sql
}

/** The connection on which `sql` listens, once `sql.listen` has been called. */
export function listening(sql: Sql): Sql {
  return (sql as Sql & { listening(): Sql }).listening()
}

/**
 * Runs a statement and resolves to its result. Errors: `unavailable` when the deadline has passed,
 * the connection is lost, or the server is full or accepts no writes. Repeats the statement at most
 * three times when PostgreSQL itself asks for that (serialization failure, deadlock). When
 * statements have been queuing for seconds, new ones are refused at once.
 */
export async function within<T>(run: () => PromiseLike<T>, limitMs = deadlineMs): Promise<T> {
  if (isClogged()) throw unavailable('too many statements wait for too long')
  const waiting = { sinceMs: performance.now() }
  open.add(waiting)
  try {
    return await repeated(run, limitMs)
  } finally {
    open.delete(waiting)
  }
}

/** How long a caller waits for a statement of this pool: longer than it may take there. */
export function patienceOf({ options }: Sql): number {
  const limitMs = Number(options.connection.statement_timeout ?? 0)
  return Math.max(limitMs, statementTimeoutMs) + deadlineMs - statementTimeoutMs
}

/**
 * Now, by the database's clock, because processes' clocks may differ and what one has written
 * another compares; in whole milliseconds, so that a Date read from it is equal to it.
 */
export function clock(sql: Sql) {
  return sql`date_trunc('milliseconds', now())`
}

/** So long ago, by the database's clock. */
export function ago(sql: Sql, ms: number) {
  return sql`now() - ${ms} * interval '1 millisecond'`
}

/**
 * Whether a statement was stored; false when PostgreSQL refused it with one of these codes. Errors:
 * those of `within`.
 */
export async function unlessRefused(
  run: () => PromiseLike<unknown>,
  codes: readonly string[],
  limitMs = deadlineMs,
): Promise<boolean> {
  try {
    await within(run, limitMs)
    return true
  } catch (error) {
    if (isRefusal(error, ...codes)) return false
    throw error
  }
}

/** Whether PostgreSQL refused a statement with one of these codes: nothing of it was stored. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error))
}

/**
 * The code by which a statement aborts itself, with `1 / (…)::integer`: all its parts are undone.
 */
export const selfRefusal = '22012'
export const uniqueViolation = '23505'

/** Statements under way in this process, across all pools, oldest first. */
const open = new Set<{ readonly sinceMs: number }>()
/** If this many statements take long, they wait for a connection rather than being slow. */
const mostSlow = 200
const longWaitMs = 2_000

/** Whether a new statement would wait longer than its caller does. */
function isClogged(): boolean {
  if (open.size < mostSlow) return false
  const [last] = open.values().drop(mostSlow - 1)
  return last !== undefined && performance.now() - last.sinceMs > longWaitMs
}

async function repeated<T>(run: () => PromiseLike<T>, limitMs: number): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await deadline(run(), limitMs)
    } catch (error) {
      if (isRetryable(error) && attempt < 4) {
        await Bun.sleep(Math.random() * firstPauseMs * 2 ** (attempt - 1))
        continue
      }
      if (isOutOfResource(error)) {
        isInDoubt = true
        throw refused(String(error))
      }
      if (isRetryable(error) || isServerFault(error)) throw unavailable(String(error))
      throw error
    }
  }
}

/** The longest pause after the first conflict, doubled after each further one. */
const firstPauseMs = 10

const serializationFailure = '40001'
const deadlockDetected = '40P01'

/** Whether PostgreSQL asked for the statement to be run again: nothing of it was stored. */
function isRetryable(error: unknown): boolean {
  return isRefusal(error, serializationFailure, deadlockDetected)
}

const serverFaults = [
  // From PostgreSQL: connection lost, shutting down or starting, statement cancelled, too many
  // connections, access refused.
  /^(08...|57P..|57014|53300|28...)$/,
  // From the operating system: the server cannot be reached.
  /^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  // From TLS: a certificate that does not prove what it must.
  /^(ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/,
  // From postgres.js: CONNECT_TIMEOUT, CONNECTION_CLOSED and similar.
  /^CONNECT/,
]

/**
 * Whether the server or the connection is at fault and not the statement: what was sent may or may
 * not have been stored.
 */
function isServerFault(error: unknown): boolean {
  return serverFaults.some((pattern) => pattern.test(codeOf(error)))
}

/** Whether the server answers, but lacks disk or memory, fails on its files, or is read only. */
function isOutOfResource(error: unknown): boolean {
  return /^(53(?!300)...|58...|25006)$/.test(codeOf(error))
}

/** Whether a statement was refused for want of resources since a write was last tried. */
let isInDoubt = false
let isRefusing = false
let triedAtMs = Number.NEGATIVE_INFINITY
const tryEveryMs = 1_000

/**
 * Whether the server refuses writes, as a full disk makes it do while it goes on answering what is
 * read. Once a statement of this process has been refused, tries a write, at most once a second,
 * until one succeeds.
 */
export async function refusesWrites(sql: Sql, limitMs: number): Promise<boolean> {
  if ((isInDoubt || isRefusing) && performance.now() - triedAtMs > tryEveryMs) {
    triedAtMs = performance.now()
    isInDoubt = false
    // Any other refusal, such as a missing privilege, proves nothing.
    isRefusing = await tryWrite(sql, limitMs).then(
      () => false,
      (error) => error instanceof DomainError,
    )
  }
  return isRefusing
}

/** Ten megabytes: after a snapshot of half a day the table has as much free room. */
const mostTrialRows = 10_000

/**
 * Writes into a small table until it is half a megabyte larger, more than may still fit in a full
 * disk's last pages. The statement then undoes itself. It needs no other rights than the service
 * has. Errors: those of `within`.
 */
export async function tryWrite(sql: Sql, limitMs: number): Promise<void> {
  const trial = () => sql`
    with tried as (
      insert into cursors (chain, next_block, checkpoints, version, updated_at)
      select gen_random_uuid(), 1 / (pg_relation_size('cursors') < (select pg_relation_size('cursors')) + 500000)::integer,
        repeat('x', 1000), 0, now()
      from generate_series(1, ${mostTrialRows})
      returning 1
    )
    select 1 / (count(*) = 0)::integer from tried`
  try {
    await within(trial, limitMs)
  } catch (error) {
    if (!isRefusal(error, selfRefusal)) throw error
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code)
}

function deadline<T>(query: PromiseLike<T>, limitMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable(`no answer in ${limitMs} ms`)), limitMs)
    query.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** For a caller whose wait is over; its statement may or may not have been stored. */
export function unavailable(operatorText: string): DomainError {
  return comeBack('The service cannot reach its database; try again shortly', operatorText)
}

function refused(operatorText: string): DomainError {
  return comeBack(
    'The database of the service refuses this for now; try again shortly',
    operatorText,
  )
}

function comeBack(message: string, operatorText: string): DomainError {
  return new DomainError('unavailable', message, {
    operatorText: `postgres: ${operatorText}`,
    retryAfterSeconds: 1,
  })
}

/** A part of a statement, to be put into another. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

type Scalar = string | number | bigint | boolean | null

/**
 * A PostgreSQL array literal, for `${array(…)}::uuid[]`. postgres.js's own arrays take their type
 * from the first element, which fails for an empty array or a leading null.
 */
export function array(values: readonly Scalar[]): string {
  let literal = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (at > 0) literal += ','
    if (value === null || value === undefined) literal += 'NULL'
    else if (typeof value !== 'string') literal += value
    else literal += `"${special.test(value) ? value.replace(everySpecial, '\\$&') : value}"`
  }
  return `${literal}}`
}

/** Creates a function that returns what `read` takes from each of these rows, as an `array`. */
export function columnOf<Row>(rows: readonly Row[]): (read: (row: Row) => Scalar) => string {
  return (read) => array(rows.map(read))
}

const special = /["\\]/
const everySpecial = /["\\]/g
