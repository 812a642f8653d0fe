import type { By, Principal } from '../../domain/accounts/account.ts'
import type { ListedKey } from '../../domain/accounts/keys.ts'
import type { Scope } from '../../domain/accounts/scopes.ts'
import { DomainError, noSuch } from '../../domain/error.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import { type IdempotencyRecord, keyRow } from '../postgres/idempotency.ts'
import { rowsOf } from '../postgres/rows.ts'
import type { Account } from './accounts.ts'
import { attributed } from './audit.ts'

export type NewKey = {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly hash: Uint8Array
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  /** Defaults to now. */
  readonly createdAt?: Date
}

// A poll for changes must fail rather than wait: until it answers, no cached key is accepted.
const pollDeadlineMs = 1_500
// How far back each poll looks: longer than a change can take to commit.
const overlapMs = 10_000
const findDeadlineMs = 3_000
const mostKeys = 50

/** Inserts an account with its first keys, all or nothing. */
export async function createAccount(
  sql: Sql,
  account: Account,
  keys: readonly NewKey[],
): Promise<void> {
  const { id, name, plan, limits, wallets, signingSecretSealed } = account
  const keysInserted = keys.reduce(
    (before, key, n) => sql`${before}, ${sql(`key_${n}`)} as (${keyInserted(sql, key, null)})`,
    sql``,
  )
  await statement(sql)`
    with turn as (
      insert into accounts (id, name, plan, requests_per_minute, requests_per_day, wallets, signing_secret_sealed)
      values (${id}, ${name}, ${plan}, ${limits.perMinute}, ${limits.perDay}, ${sql.json(wallets)}, ${signingSecretSealed})
      returning id as account_id
    )${keysInserted}
    select from turn`
}

/** Creates an operator's key, without the limit on keys. Errors: `not_found`. */
export async function createKey(sql: Sql, key: NewKey, by: By | null = null): Promise<void> {
  const created = await statement(sql)`
    with turn as (select id as account_id from accounts where id = ${key.accountId})
    ${keyInserted(sql, key, by)}`
  if (created.length === 0) throw noSuch('account')
}

/**
 * Creates a key. Request limits are per key, so keys are limited; each counts until a day after its
 * end. Errors: `limit_reached` at 50 keys, `not_found`.
 */
export async function createLimitedKey(
  sql: Sql,
  key: NewKey,
  by: By,
  idempotency: IdempotencyRecord | null,
): Promise<void> {
  const { accountId } = key
  for (;;) {
    const [row] = await statement<{ isFull: boolean; id: string | null }[]>(sql)`
    with room as (
      select xmin::text as version, ${mostKeys} <= (
        select count(*) from api_keys where account_id = ${accountId}
          and coalesce(least(revoked_at, expires_at), 'infinity') > now() - interval '1 day'
      ) as "isFull"
      from accounts where id = ${accountId}
    ),
    -- Of several that counted the same keys one continues, because it changes the row version.
    turn as (
      update accounts set name = name from room
      where id = ${accountId} and accounts.xmin::text = version and not "isFull" returning id as account_id
    ),
    created as (${keyInserted(sql, key, by)})${keyRow(sql, accountId, idempotency)}
    select "isFull", id from room left join created on true`
    if (!row) throw noSuch('account')
    if (row.isFull)
      throw new DomainError(
        'limit_reached',
        `An account has at most ${mostKeys} keys, with those that ended in the last 24 hours`,
      )
    // Another key was created meanwhile. There may still be room, so try again.
    if (row.id) return
  }
}

/** The insertion of a key for the account in the CTE `turn`. */
function keyInserted(sql: Sql, key: NewKey, by: By | null) {
  const { id, accountId, name, hash, hint, scopes, expiresAt, createdAt = null } = key
  return sql`
    insert into api_keys (id, account_id, name, hash, hint, scopes, expires_at, created_at)
    select ${id}, account_id, ${name}, ${hash}, ${hint}, ${[...scopes]}, ${expiresAt}, coalesce(${createdAt}::timestamptz, now())
    from turn where ${attributed(sql, [{ accountId, subjectId: id, by }])}
    returning id, created_at as "createdAt"`
}

/** All keys, including revoked and expired ones, newest first. */
export function listKeys(sql: Sql, accountId: string): Promise<readonly ListedKey[]> {
  return statement<ListedKey[]>(sql)`
    select id, name, hint, scopes, expires_at as "expiresAt", created_at as "createdAt",
      revoked_at as "revokedAt", last_used_at as "lastUsedAt"
    from api_keys where account_id = ${accountId} order by created_at desc, id desc`
}

/** Revokes a key; doing it again changes nothing. Errors: `not_found`. */
export async function revokeKey(
  sql: Sql,
  accountId: string,
  keyId: string,
  by: By | null = null,
): Promise<void> {
  const revoked = await statement(sql)`
    update api_keys set revoked_at = coalesce(revoked_at, now()), changed_at = clock_timestamp()
    where id = ${keyId} and account_id = ${accountId} and ${attributed(sql, [{ accountId, subjectId: keyId, by }])} returning id`
  if (revoked.length === 0) throw noSuch('key')
}

/** Null when unknown, revoked or expired. */
export async function findKey(
  sql: Sql,
  hash: Uint8Array,
): Promise<{ readonly hash: Uint8Array; readonly principal: Principal } | null> {
  return findWhere(sql, sql`k.hash = ${hash}`)
}

/** Null when unknown, revoked or expired. */
export async function findKeyById(sql: Sql, keyId: string): Promise<Principal | null> {
  return (await findWhere(sql, sql`k.id = ${keyId}`))?.principal ?? null
}

async function findWhere(sql: Sql, condition: Fragment): ReturnType<typeof findKey> {
  const [row] = await statement<
    (Omit<Principal, 'scopes'> & { hash: Uint8Array; scopes: Scope[] })[]
  >(sql, findDeadlineMs)`
    select k.hash, k.id as "keyId", k.account_id as "accountId", k.scopes,
      a.requests_per_minute as "perMinute", a.requests_per_day as "perDay",
      (extract(epoch from k.expires_at) * 1000)::float8 as "expiresAtMs"
    from api_keys k join accounts a on a.id = k.account_id
    where ${condition} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`
  if (!row) return null
  const { hash: found, ...principal } = row
  return { hash: found, principal: { ...principal, scopes: new Set(row.scopes) } }
}

/**
 * The keys that changed, or whose account changed, since an earlier poll's `asOf` (null: none). A
 * change appears in every poll of the next 10 s.
 */
export async function changedSince(
  sql: Sql,
  asOf: Date | null,
): Promise<{ readonly keyIds: readonly string[]; readonly asOf: Date }> {
  const since = asOf && new Date(asOf.getTime() - overlapMs)
  const [row] = await statement<[{ keyIds: string[]; asOf: Date }]>(sql, pollDeadlineMs)`
    select now() as "asOf", array(
      select id from api_keys where changed_at > ${since}
      union
      select k.id from api_keys k join accounts a on a.id = k.account_id where a.changed_at > ${since}
    ) as "keyIds"`
  return row
}

/** Records when keys were last used; the newest time stays. */
export async function touchLastUsed(
  sql: Sql,
  uses: readonly { readonly keyId: string; readonly usedAtMs: number }[],
): Promise<void> {
  const rows = rowsOf(sql, uses, {
    id: ['uuid', ({ keyId }) => keyId],
    used_at: ['timestamptz', ({ usedAtMs }) => new Date(usedAtMs)],
  })
  // Locked in one order, against deadlocks.
  await statement(sql)`
    with uses as (select k.id, used_at from ${rows} join api_keys k using (id) order by k.id for no key update of k)
    update api_keys k set last_used_at = greatest(k.last_used_at, uses.used_at) from uses where k.id = uses.id`
}
