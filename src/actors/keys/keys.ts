import { randomBytes } from 'node:crypto'
import { type By, keyHash, keyHint, newKey, type Principal } from '../../domain/accounts/account.ts'
import {
  grantOf,
  requireWithin,
  requireWriting,
  type WantedGrant,
} from '../../domain/accounts/keys.ts'
import { noSuch } from '../../domain/error.ts'
import type { Idempotency } from '../../domain/idempotency.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import { createLimitedKey, listKeys, revokeKey } from '../../storage/accounts/api-keys.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import type { Once } from '../once.ts'

export type Keys = ReturnType<typeof createKeys>

export type WantedKey = WantedGrant & { readonly name: string }

export function createKeys(parts: {
  readonly sql: Sql
  readonly once: Once
  readonly now: () => Date
  readonly newId: () => string
}) {
  const { sql, once, now, newId } = parts

  /**
   * Creates a key; the raw key is only in this answer. Errors: `forbidden`, `invalid_request`,
   * `limit_reached`.
   */
  function issue(issuer: Principal, wanted: WantedKey, by: By, idempotency: Idempotency | null) {
    return once.unlessUsed(issuer.accountId, idempotency, () =>
      insert(issuer, wanted, by, idempotency),
    )
  }

  async function insert(
    issuer: Principal,
    { name, ...wanted }: WantedKey,
    by: By,
    idempotency: Idempotency | null,
  ) {
    const { accountId } = issuer
    const at = now()
    const grant = grantOf(issuer, wanted, at)
    const raw = newKey('inv_', randomBytes(32))
    const start = { createdAt: at, revokedAt: null, lastUsedAt: null }
    const listed = { id: newId(), name, hint: keyHint(raw), ...grant, ...start }
    await createLimitedKey(
      sql,
      { ...listed, accountId, hash: keyHash(raw) },
      by,
      // The raw key must not be stored, so a replayed answer lacks it.
      idempotency && { ...idempotency, made: JSON.stringify(listed) },
    )
    return { kind: 'issued' as const, key: { ...listed, key: raw } }
  }

  /** The account that a key is of. Errors: `not_found`. */
  async function account(accountId: string) {
    const found = await findAccount(sql, accountId)
    if (!found) throw noSuch('account')
    return found
  }

  function list(accountId: string) {
    return listKeys(sql, accountId)
  }

  /** Errors: `not_found`, `forbidden`. */
  async function revoke(issuer: Principal, keyId: string, by: By): Promise<void> {
    const key = (await list(issuer.accountId)).find(({ id }) => id === keyId)
    if (!key) throw noSuch('key')
    requireWithin(issuer, key.scopes)
    requireWriting(issuer)
    await revokeKey(sql, issuer.accountId, keyId, by)
  }

  return { issue, account, list, revoke }
}
