import { randomBytes } from 'node:crypto'
import type { Idempotency, Once } from '../actors/once.ts'
import { keyHash, keyHint, newKey, type Principal } from '../domain/accounts/account.ts'
import type { By } from '../domain/accounts/audit.ts'
import { grantOf, insistOnWriting, insistWithin } from '../domain/accounts/key-grant.ts'
import { noSuch } from '../domain/error.ts'
import type { Keys } from '../http/api/keys.ts'
import { createLimitedKey, listKeys, revokeKey } from '../storage/accounts/api-keys.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { newId } from './clock.ts'

/** Lets an account issue, list and revoke its own keys. */
export function keyService(sql: Sql, once: Once, now: () => Date): Keys {
  async function issue(
    issuer: Principal,
    { name, ...wanted }: Parameters<Keys['issue']>[1],
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
      idempotency && { ...idempotency, body: idempotency.wrap(JSON.stringify(listed)) },
    )
    return { kind: 'issued' as const, key: { ...listed, key: raw } }
  }

  return {
    issue: (issuer, wanted, by, idempotency) =>
      once.unlessAnswered(issuer.accountId, idempotency, () =>
        issue(issuer, wanted, by, idempotency),
      ),
    list: (accountId) => listKeys(sql, accountId),
    async revoke(issuer, keyId, by) {
      const key = (await listKeys(sql, issuer.accountId)).find(({ id }) => id === keyId)
      if (!key) throw noSuch('key')
      insistWithin(issuer, key.scopes)
      insistOnWriting(issuer)
      await revokeKey(sql, issuer.accountId, keyId, by)
    },
  }
}
