import { DomainError } from '../domain/error.ts'
import { grantOf, insistOnRoom, insistWithin } from '../domain/key-grant.ts'
import type { Keys } from '../http/api/keys.ts'
import { issueKey } from '../operator/accounts.ts'
import { listKeys, revokeKey } from '../storage/accounts.ts'
import type { Sql } from '../storage/db.ts'
import { now } from './clock.ts'

/** What an account does about its own keys. */
export function keyService(sql: Sql): Keys {
  async function find(accountId: string, keyId: string) {
    const key = (await listKeys(sql, accountId)).find(({ id }) => id === keyId)
    if (!key) throw new DomainError('not_found', 'There is no such key')
    return key
  }

  return {
    async issue(issuer, { name, ...wanted }, by) {
      const { accountId } = issuer
      const grant = grantOf(issuer, wanted, now())
      insistOnRoom(await listKeys(sql, accountId), now())
      const { id, key } = await issueKey(sql, { accountId, kind: 'inv_', name, ...grant }, by)
      return { ...(await find(accountId, id)), key }
    },
    list: (accountId) => listKeys(sql, accountId),
    async revoke(issuer, keyId, by) {
      const { scopes } = await find(issuer.accountId, keyId)
      insistWithin(issuer, scopes)
      await revokeKey(sql, issuer.accountId, keyId, by)
    },
  }
}
