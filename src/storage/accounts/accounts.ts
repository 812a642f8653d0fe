import { type Limits, type Plan, serviceAccountId } from '../../domain/accounts/account.ts'
import { noSuch } from '../../domain/error.ts'
import type { Network } from '../../domain/network.ts'
import { array, type Sql, statement } from '../postgres/db.ts'

/** An account. `signingSecretSealed` null: the deployment's secret signs. `wallets` by network. */
export type Account = {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly limits: Limits
  readonly wallets: Readonly<Partial<Record<Network, string>>>
  readonly signingSecretSealed: Uint8Array | null
}

export async function findAccount(sql: Sql, accountId: string): Promise<Account | null> {
  const [account] = await statement<Account[]>(sql)`
    select id, name, plan, wallets, signing_secret_sealed as "signingSecretSealed",
      json_build_object('perMinute', requests_per_minute, 'perDay', requests_per_day) as limits
    from accounts where id = ${accountId}`
  return account ?? null
}

/** Whether there is one besides the service's own. */
export async function hasAccount(sql: Sql): Promise<boolean> {
  const rows = await statement(sql)`select from accounts where id <> ${serviceAccountId} limit 1`
  return rows.length > 0
}

/** How many accounts are paid at wallets of their own, on any chain. */
export async function ownWalletCount(sql: Sql): Promise<number> {
  const [row] = await statement<[{ count: number }]>(sql)`
    select count(*)::integer as count from accounts where wallets <> '{}'`
  return row.count
}

/** An account as operators see it. */
export type ListedAccount = Omit<Account, 'signingSecretSealed'> & {
  readonly createdAt: Date
  /** Of any of its keys; null: never. */
  readonly lastUsedAt: Date | null
}

/** All accounts, the newest first, or the one with `accountId`. */
export function listAccounts(
  sql: Sql,
  accountId: string | null = null,
): Promise<readonly ListedAccount[]> {
  return statement<ListedAccount[]>(sql)`
    select id, name, plan, wallets, created_at as "createdAt",
      json_build_object('perMinute', requests_per_minute, 'perDay', requests_per_day) as limits,
      (select max(last_used_at) from api_keys where account_id = accounts.id) as "lastUsedAt"
    from accounts where ${accountId}::uuid is null or id = ${accountId}
    order by created_at desc, id desc`
}

/** The sealed secrets of an account's mandates; null: the deployment's own. */
export type SigningSecrets = {
  readonly current: Uint8Array | null
  /** While the overlap after a rotation lasts. */
  readonly previous: { readonly sealed: Uint8Array | null } | null
}

/** In the order of `accountIds`. Errors: `not_found`. */
export async function findSigningSecrets(
  sql: Sql,
  accountIds: readonly string[],
): Promise<readonly SigningSecrets[]> {
  const rows = await statement<
    { id: string; current: Uint8Array | null; previous: Uint8Array | null; overlaps: boolean }[]
  >(sql)`select id, signing_secret_sealed as current, previous_signing_secret_sealed as previous,
      coalesce(previous_signing_secret_until > now(), false) as overlaps
    from accounts where id = any(${array(accountIds)}::uuid[])`
  const found = new Map(rows.map((row) => [row.id, row]))
  return accountIds.map((accountId) => {
    const row = found.get(accountId)
    if (!row) throw noSuch('account')
    const { current, previous, overlaps } = row
    return { current, previous: overlaps ? { sealed: previous } : null }
  })
}

/** The previous secret stays valid for `overlapHours`. Errors: `not_found`. */
export async function rotateSigningSecret(
  sql: Sql,
  accountId: string,
  sealed: Uint8Array,
  overlapHours: number,
): Promise<void> {
  const rotated = await statement(sql)`
    update accounts set previous_signing_secret_sealed = signing_secret_sealed, signing_secret_sealed = ${sealed},
      previous_signing_secret_until = now() + ${overlapHours} * interval '1 hour'
    where id = ${accountId} returning id`
  if (rotated.length === 0) throw noSuch('account')
}

/** Each process applies new limits after its next poll for changes. Errors: `not_found`. */
export async function changeLimits(sql: Sql, accountId: string, limits: Limits): Promise<void> {
  const changed = await statement(sql)`
    update accounts set requests_per_minute = ${limits.perMinute}, requests_per_day = ${limits.perDay},
      changed_at = clock_timestamp()
    where id = ${accountId} returning id`
  if (changed.length === 0) throw noSuch('account')
}

/** Wallets to set, by chain; null removes one. */
export type WalletChanges = Readonly<Partial<Record<Network, string | null>>>

/** Changes where new invoices are paid; processes follow within 5 s. Errors: `not_found`. */
export async function changeWallets(
  sql: Sql,
  accountId: string,
  changes: WalletChanges,
): Promise<Account['wallets']> {
  const [changed] = await statement<Pick<Account, 'wallets'>[]>(sql)`
    update accounts set wallets = jsonb_strip_nulls(wallets || ${sql.json(changes)})
    where id = ${accountId} returning wallets`
  if (!changed) throw noSuch('account')
  return changed.wallets
}
