import postgres from 'postgres'
import { DomainError } from '../../domain/error.ts'
import { type DatabaseAddress, hostsAndPorts, readDatabaseUrl } from './database-url.ts'
import { serversOf } from './servers.ts'

export type Sql = postgres.Sql<{ bigint: bigint }>

const statementTimeoutMs = 5_000
/** A connection silent for this much longer than a statement may take is dead. */
const silenceSeconds = 3
const idleSeconds = 10
/** How long a caller waits for storage: its own statement plus those queued ahead of it. */
export const deadlineMs = 6_000

/**
 * A pool whose queries cannot hang: the server cancels a statement after `limitMs`, and connecting
 * gives up after 3 s. With more than the usual 5 s, idle connections are closed. With `planOnce` a
 * statement is planned once: right where only the contents of arrays change.
 *
 * A server that accepts no writes, such as an old primary, counts as down: a connection to it would
 * miss everything committed elsewhere. Of several servers, connections find the one that does.
 * `patches/README.md` lists our patches of postgres.js.
 */
export function connect(
  to: string | DatabaseAddress,
  options: { max: number; name: string; planOnce?: boolean; limitMs?: number },
): Sql {
  const { limitMs = statementTimeoutMs } = options
  const address = typeof to === 'string' ? readDatabaseUrl(to) : to
  const { options: settings, servers: _, ...parts } = address
  return postgres({
    ...parts,
    // Not in the types: lists, and the patched options.
    ...(hostsAndPorts(address) as object),
    ...({ answer_timeout: silenceSeconds, servers: serversOf(address) } as object),
    max: options.max,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: limitMs > statementTimeoutMs ? idleSeconds : 0,
    max_lifetime: null,
    target_session_attrs: 'read-write',
    onnotice: () => {},
    transform: { undefined: null },
    types: { bigint: postgres.BigInt },
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
 * Runs a statement, the template that follows, and resolves to its rows. Errors: `unavailable` when
 * the deadline has passed, the connection is lost, or the server is full or accepts no writes.
 * Repeats the statement up to three times when PostgreSQL asks for that (serialization failure,
 * deadlock).
 */
export function statement<Rows extends readonly (object | undefined)[] = postgres.Row[]>(
  sql: Sql,
  limitMs = patienceOf(sql),
) {
  return (
    text: TemplateStringsArray,
    ...values: postgres.ParameterOrFragment<bigint>[]
  ): Promise<postgres.RowList<Rows>> => within(() => sql<Rows>(text, ...values), limitMs)
}

/** Runs what is no template like `statement`. Refuses when statements have queued for seconds. */
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

/** Longer than the pool lets a statement take. Transactions have no options. */
function patienceOf({ options }: Partial<Sql>): number {
  const limitMs = Number(options?.connection.statement_timeout ?? 0)
  return Math.max(limitMs, statementTimeoutMs) + deadlineMs - statementTimeoutMs
}

/** Now, by the database's clock, in whole milliseconds: a Date read from it is equal to it. */
export function clock(sql: Sql) {
  return sql`date_trunc('milliseconds', now())`
}

/** A time before now, by the database's clock. */
export function ago(sql: Sql, ms: number) {
  return sql`now() - ${ms} * interval '1 millisecond'`
}

/** Whether a statement was stored; false when PostgreSQL refused it with one of these codes. */
export async function unlessRefused(
  storing: Promise<unknown>,
  ...codes: readonly string[]
): Promise<boolean> {
  try {
    await storing
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

/** The code by which a statement aborts itself as a whole, with `1 / (…)::integer`. */
export const selfRefusal = '22012'
export const uniqueViolation = '23505'

/** Statements under way in this process, across all pools, oldest first. */
const open = new Set<{ readonly sinceMs: number }>()
/** If this many take long, they are waiting for a connection. */
const mostSlow = 200
const longWaitMs = 2_000

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

function isRetryable(error: unknown): boolean {
  return isRefusal(error, serializationFailure, deadlockDetected)
}

const serverFaults = [
  // From PostgreSQL: connection lost, shutting down or starting, statement cancelled, too many
  // connections, access refused.
  /^(08...|57P..|57014|53300|28...)$/,
  // From the operating system: the server cannot be reached.
  /^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  // From TLS.
  /^(ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/,
  // From postgres.js: CONNECT_TIMEOUT, CONNECTION_CLOSED and similar.
  /^CONNECT/,
]

/** Whether the server or the connection is at fault: the statement may have been stored. */
function isServerFault(error: unknown): boolean {
  return serverFaults.some((pattern) => pattern.test(codeOf(error)))
}

/** Whether the server answers, but lacks disk or memory, fails on its files, or is read only. */
function isOutOfResource(error: unknown): boolean {
  return /^(53(?!300)...|58...|25006)$/.test(codeOf(error))
}

/** Whether a statement was refused for lack of resources since a write was last tried. */
let isInDoubt = false
let isRefusing = false
let triedAtMs = Number.NEGATIVE_INFINITY
const tryEveryMs = 1_000

/**
 * Whether the server refuses writes, for example because its disk is full. Once a statement of this
 * process has been refused, tries a write, at most once a second, until one succeeds.
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
 * Writes into a small table until it has grown by half a megabyte, which fits in no full disk's
 * last pages, then undoes itself. It needs no rights that the service lacks.
 */
export async function tryWrite(sql: Sql, limitMs: number): Promise<void> {
  const trial = statement(sql, limitMs)`
    with tried as (
      insert into cursors (chain, next_block, checkpoints, version, updated_at)
      select gen_random_uuid(), 1 / (pg_relation_size('cursors') < (select pg_relation_size('cursors')) + 500000)::integer,
        repeat('x', 1000), 0, now()
      from generate_series(1, ${mostTrialRows})
      returning 1
    )
    select 1 / (count(*) = 0)::integer from tried`
  await unlessRefused(trial, selfRefusal)
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

/** The statement may or may not have been stored. */
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

/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

type Scalar = string | number | bigint | boolean | Date | Uint8Array | null

/**
 * A PostgreSQL array literal, for `${array(…)}::uuid[]`. postgres.js takes the type of an array
 * from its first element, which fails for an empty array or a leading null.
 */
export function array(values: readonly Scalar[]): string {
  let literal = '{'
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (at > 0) literal += ','
    if (value === null || value === undefined) literal += 'NULL'
    else if (value instanceof Uint8Array) literal += `"\\\\x${Buffer.from(value).toString('hex')}"`
    else if (value instanceof Date) literal += value.toISOString()
    else if (typeof value !== 'string') literal += value
    else literal += `"${special.test(value) ? value.replace(everySpecial, '\\$&') : value}"`
  }
  return `${literal}}`
}

const special = /["\\]/
const everySpecial = /["\\]/g
