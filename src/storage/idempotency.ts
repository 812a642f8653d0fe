import { type Sql, within } from './db.ts'

/** A key that makes creation repeatable, with the answer to repeat. */
export type IdempotencyRecord = {
  readonly route: string
  readonly key: string
  readonly requestHash: Uint8Array
  readonly status: number
  readonly body: string
}

/**
 * Whether a key's 24 hours are over, by PostgreSQL's clock: then it counts as unused, whether or not its row has been removed. For a
 * statement that reads or writes `idempotency_keys`.
 */
export function isOver(sql: Sql) {
  return sql`idempotency_keys.created_at < now() - interval '24 hours'`
}

/**
 * The end of an insertion into `idempotency_keys`, for keys that have been used before: over one that is kept no longer the new one is
 * written. One that is still kept would lose its time, which the table does not allow: that refuses the whole statement.
 */
export function overOldKey(sql: Sql) {
  return sql`on conflict (account_id, route, key) do update set request_hash = excluded.request_hash, status = excluded.status,
    body = excluded.body, subject_id = excluded.subject_id, created_at = case when ${isOver(sql)} then excluded.created_at end`
}

/** A key had been used: this is what was answered then. */
export type FirstAnswer = {
  readonly kind: 'replayed'
  readonly requestHash: Uint8Array
  readonly status: number
  readonly body: string
}

/** What was answered when this key was first used within its 24 hours, or null. */
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

/** The CTE after one named `created` (`id`) that keeps what is to be answered whenever the key comes again. A key that is taken refuses the whole statement. */
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

/** A key among the members of a row that a statement reads as JSON. */
export function encodeKey({ route, key, requestHash, status, body }: IdempotencyRecord) {
  return { route, key, request_hash: Buffer.from(requestHash).toString('hex'), status, body }
}
