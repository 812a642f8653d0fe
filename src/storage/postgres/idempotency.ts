import type { FirstUse, Idempotency } from '../../domain/idempotency.ts'
import { type Sql, statement } from './db.ts'
import type { Columns } from './rows.ts'

/** A request and what it made, as JSON text; null where its own row tells. */
export type IdempotencyRecord = Idempotency & { readonly made: string | null }

/** Whether a key's 24 hours are over: it counts as unused, even before its row is removed. */
export function isOver(sql: Sql) {
  return sql`idempotency_keys.created_at < now() - interval '24 hours'`
}

/**
 * The conflict clause for keys used before. An expired key is overwritten. For one in force
 * `created_at` becomes null, which the table forbids: that rejects the whole statement.
 */
export function overOldKey(sql: Sql) {
  return sql`on conflict (account_id, route, key) do update set request_hash = excluded.request_hash,
    subject_id = excluded.subject_id, made = excluded.made, created_at = case when ${isOver(sql)} then excluded.created_at end`
}

/** Null if unused within 24 hours. */
export async function firstUse(
  sql: Sql,
  accountId: string,
  { route, key }: Idempotency,
): Promise<FirstUse | null> {
  const [row] = await statement<FirstUse[]>(sql)`
    select request_hash as "requestHash", subject_id as "subjectId", made from idempotency_keys
    where account_id = ${accountId} and route = ${route} and key = ${key} and not ${isOver(sql)}`
  return row ?? null
}

/**
 * A CTE, to follow one named `created` (with an `id`), that stores the key. A key already in use
 * rejects the whole statement.
 */
export function keyRow(sql: Sql, accountId: string, idempotency: IdempotencyRecord | null) {
  if (!idempotency) return sql``
  const { route, key, requestHash, made } = idempotency
  return sql`,
      key as (
        insert into idempotency_keys (account_id, route, key, request_hash, subject_id, made, created_at)
        select ${accountId}, ${route}, ${key}, ${requestHash}, id, ${made}, now() from created
        ${overOldKey(sql)}
      )`
}

/** The columns of the key that an item of a batch may have. */
export function keyColumns<Item>(of: (item: Item) => IdempotencyRecord | null): Columns<Item> {
  return {
    route: ['text', (item) => of(item)?.route ?? null],
    key: ['text', (item) => of(item)?.key ?? null],
    request_hash: ['bytea', (item) => of(item)?.requestHash ?? null],
    made: ['json text', (item) => of(item)?.made ?? null],
  }
}
