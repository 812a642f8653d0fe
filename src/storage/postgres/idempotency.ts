import { type Sql, within } from './db.ts'

/** An idempotency key with the answer to replay. */
export type IdempotencyRecord = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
  readonly status: number
  readonly body: string
}

/**
 * Whether a key's 24 hours are over, by PostgreSQL's clock: it then counts as unused, even if its
 * row has not been removed. For a statement that reads or writes `idempotency_keys`.
 */
export function isOver(sql: Sql) {
  return sql`idempotency_keys.created_at < now() - interval '24 hours'`
}

/**
 * The conflict clause of an insertion into `idempotency_keys`, for keys used before. An expired key
 * is overwritten. For a key still in force `created_at` would become null, which the table forbids:
 * that rejects the whole statement.
 */
export function overOldKey(sql: Sql) {
  return sql`on conflict (account_id, route, key) do update set request_hash = excluded.request_hash, status = excluded.status,
    body = excluded.body, subject_id = excluded.subject_id, created_at = case when ${isOver(sql)} then excluded.created_at end`
}

/** The answer given when the key was first used. */
export type FirstAnswer = {
  readonly kind: 'replayed'
  readonly requestHash: Uint8Array
  readonly status: number
  readonly body: string
}

/** The answer given when this key was first used, if that was within 24 hours; otherwise null. */
export async function firstAnswer(
  sql: Sql,
  accountId: string,
  route: string,
  key: string,
): Promise<FirstAnswer | null> {
  const [row] = await within(
    () => sql<{ requestHash: Uint8Array; status: number; body: string }[]>`
      select request_hash as "requestHash", status, body from idempotency_keys
      where account_id = ${accountId} and route = ${route} and key = ${key} and not ${isOver(sql)}`,
  )
  return row ? { kind: 'replayed', ...row } : null
}

/**
 * A CTE, to follow one named `created` (with an `id`), that stores the answer to replay whenever
 * the key is sent again. A key already in use rejects the whole statement. Empty when `idempotency`
 * is null.
 */
export function keyRow(sql: Sql, accountId: string, idempotency: IdempotencyRecord | null) {
  if (!idempotency) return sql``
  const { route, key, requestHash, status, body } = idempotency
  return sql`,
      key as (
        insert into idempotency_keys (account_id, route, key, request_hash, status, body, subject_id, created_at)
        select ${accountId}, ${route}, ${key}, ${requestHash}, ${status}, ${body}, id, now() from created
        ${overOldKey(sql)}
      )`
}

/** The key's columns for a row that a statement reads as JSON. */
export function encodeKey({ route, key, requestHash, status, body }: IdempotencyRecord) {
  return { route, key, request_hash: Buffer.from(requestHash).toString('hex'), status, body }
}
