import postgres from 'postgres'
import { DomainError } from '../domain/error.ts'
import { readDatabaseUrl } from './database-url.ts'

export type Sql = postgres.Sql<{ bigint: bigint }>

const statementTimeoutMs = 5_000
/** So long a caller waits for storage, for its statement and for those before it. */
export const deadlineMs = 6_000

/**
 * A pool whose queries cannot hang: the server cancels a statement after 5 s, connecting gives up
 * after 3 s, and a dead server is retried at once instead of after postgres.js's growing backoff. With `planOnce` a statement is planned
 * once and not for every batch: right where only the contents of arrays change.
 *
 * A server that takes no writes, as one does that another has been promoted over, is none: connecting to it fails, and connections to one
 * that turns out to be such are ended. They would see nothing of what is committed elsewhere and, being well, last for ever.
 *
 * postgres.js is patched (`patches/`): as released, what a closed connection leaves behind (an error, unsent bytes) fails statements of
 * the one that is opened in its place, however much later; a standby passes for `read-write`; and what kind of server it is, is
 * looked at only while connecting.
 */
export function connect(
  url: string,
  options: { max: number; name: string; planOnce?: boolean },
): Sql {
  const { options: settings, ...address } = readDatabaseUrl(url)
  return postgres({
    ...address,
    max: options.max,
    backoff: () => 0.2,
    connect_timeout: 3,
    idle_timeout: 0,
    max_lifetime: null,
    target_session_attrs: 'read-write',
    onnotice: () => {},
    transform: { undefined: null },
    types: {
      bigint: postgres.BigInt,
      // `date`/`timestamptz` stay Dates; numeric stays text so no digit is lost.
    },
    connection: {
      application_name: `quittance ${options.name}`,
      ...(settings && { options: settings }),
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      TimeZone: 'UTC',
      // A machine of ours that vanished holds its locks until the server misses it: after 25 s. By its own settings that takes two hours.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      ...(options.planOnce && { plan_cache_mode: 'force_generic_plan' }),
    },
  }) as Sql
}

/**
 * Resolves like `query`, or fails as `unavailable` once the deadline has passed, the connection is
 * gone, or the server is full or takes no writes; retries at most three times what PostgreSQL itself asked to run again. Where statements queue for seconds, no more are taken.
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

/** Whether a statement was kept; false where PostgreSQL refused it with one of these codes. Errors: those of `within`. */
export async function unlessRefused(
  run: () => PromiseLike<unknown>,
  ...codes: readonly string[]
): Promise<boolean> {
  try {
    await within(run)
    return true
  } catch (error) {
    if (isRefusal(error, ...codes)) return false
    throw error
  }
}

/** Whether this is PostgreSQL refusing a statement with one of these codes: nothing of it was kept. */
export function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(codeOf(error))
}

/** How a statement refuses itself, `1 / (…)::integer`: every part of it is undone. */
export const divisionByZero = '22012'
export const uniqueViolation = '23505'

/** Of this process, whatever their pools, oldest first. */
const open = new Set<{ readonly sinceMs: number }>()
/** More than pools have connections: so many are not all slow, they wait. */
const mostSlow = 200
const longWaitMs = 2_000

/** Who comes now would wait until nobody waits for him any more. */
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
      if (isRetryable(error) || isServerFault(error)) throw unavailable(String(error))
      throw error
    }
  }
}

/** The longest pause after a first conflict, doubled with each further one. It may be shorter by any part, so that those who met do not meet again. */
const firstPauseMs = 10

const serializationFailure = '40001'
const deadlockDetected = '40P01'

/** PostgreSQL asked for the statement to be run again: nothing of it was kept. */
function isRetryable(error: unknown): boolean {
  return isRefusal(error, serializationFailure, deadlockDetected)
}

const serverFaults = [
  // Of PostgreSQL: connection lost, shutting down or starting, statement cancelled, out of something (disk, memory, connections),
  // read only, letting nobody in.
  /^(08...|57P..|57014|53...|25006|28...)$/,
  // Of the system: no way there.
  /^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  // Of TLS: a certificate that does not prove what it has to.
  /^(ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/,
  // Of postgres.js: CONNECT_TIMEOUT, CONNECTION_CLOSED and their like.
  /^CONNECT/,
]

/** The server or the way to it, not the statement, is at fault: what was sent may or may not have been kept. */
function isServerFault(error: unknown): boolean {
  return serverFaults.some((look) => look.test(codeOf(error)))
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

/** What a caller is told who waits no longer; it may or may not have been kept. */
export function unavailable(operatorText: string): DomainError {
  return new DomainError(
    'unavailable',
    'The service cannot reach its database; try again shortly',
    {
      operatorText: `postgres: ${operatorText}`,
      retryAfterSeconds: 1,
    },
  )
}

export type Scalar = string | number | bigint | boolean | null

/**
 * A PostgreSQL array literal, for `${array(…)}::uuid[]`. postgres.js's own arrays take their type from the first element, which an empty
 * array or a leading null does not have.
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

const special = /["\\]/
const everySpecial = /["\\]/g

/**
 * JSON texts as one parameter, for `string_to_array(${jsonTexts(…)}, chr(30))`: they are full of quotes, which an array literal
 * would have to escape one by one, and never hold a control character. Null stands as null with a third argument ''.
 */
export function jsonTexts(values: readonly (string | null)[]): string {
  return values.join('\u001e')
}
