import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { keyHash, keyHint, limitsOf, newKey } from '../../../src/domain/accounts/account.ts'
import { presets } from '../../../src/domain/accounts/scopes.ts'
import * as Accounts from '../../../src/storage/accounts/accounts.ts'
import * as Keys from '../../../src/storage/accounts/api-keys.ts'
import type { Sql } from '../../../src/storage/postgres/db.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

async function account() {
  const id = Bun.randomUUIDv7()
  const limits = limitsOf('pro')
  const signingSecretSealed = randomBytes(60)
  const wallets = { base: '0xabc' }
  await Keys.createAccount(
    db.sql,
    { id, name: 'Acme', plan: 'pro', limits, wallets, signingSecretSealed },
    [],
  )
  return { id, signingSecretSealed }
}

function newKeyOf(accountId: string, expiresAt: Date | null = null) {
  const raw = newKey('inv_', randomBytes(32))
  const id = Bun.randomUUIDv7()
  const hash = keyHash(raw)
  const scopes = presets.read_only
  return { raw, row: { id, accountId, name: 'ci', hash, hint: keyHint(raw), scopes, expiresAt } }
}

async function key(accountId: string, expiresAt: Date | null = null) {
  const { raw, row } = newKeyOf(accountId, expiresAt)
  await Keys.createKey(db.sql, row)
  return { id: row.id, raw, hash: row.hash }
}

describe('found', () => {
  test('an account is read as it was created', async () => {
    const { id, signingSecretSealed } = await account()
    const found = await Accounts.findAccount(db.sql, id)
    expect(found).toEqual({
      id,
      name: 'Acme',
      plan: 'pro',
      limits: { perMinute: 600, perDay: 50_000 },
      wallets: { base: '0xabc' },
      signingSecretSealed,
    })
  })

  test('a key is found by its hash, with its account’s limits', async () => {
    const { id: accountId } = await account()
    const expiresAt = new Date(Date.now() + 60_000)
    const { id: keyId, hash } = await key(accountId, expiresAt)
    const found = await Keys.findKey(db.sql, hash)
    expect(Buffer.compare(found!.hash, hash)).toBe(0)
    expect(found!.principal).toMatchObject({ keyId, accountId, perMinute: 600, perDay: 50_000 })
    expect([...found!.principal.scopes]).toEqual([...presets.read_only])
    expect(found!.principal.expiresAtMs).toBe(expiresAt.getTime())
  })

  test('the list shows hints and times and never a hash', async () => {
    const { id: accountId } = await account()
    const { id, raw } = await key(accountId)
    expect(await Keys.listKeys(db.sql, accountId)).toMatchObject([
      { id, name: 'ci', hint: `inv_…${raw.slice(-4)}`, revokedAt: null, lastUsedAt: null },
    ])
    expect(Object.keys((await Keys.listKeys(db.sql, accountId))[0]!)).not.toContain('hash')
  })
})

describe('not found', () => {
  test('an expired or revoked key; revoking it again changes nothing', async () => {
    const { id: accountId } = await account()
    const expired = await key(accountId, new Date(Date.now() - 1))
    expect(await Keys.findKey(db.sql, expired.hash)).toBeNull()
    const { id, hash } = await key(accountId)
    const revokedAt = async () => {
      await Keys.revokeKey(db.sql, accountId, id)
      return (await Keys.listKeys(db.sql, accountId)).find((listed) => listed.id === id)?.revokedAt
    }
    const first = await revokedAt()
    expect(first).toBeInstanceOf(Date)
    expect(await Keys.findKey(db.sql, hash)).toBeNull()
    expect(await revokedAt()).toEqual(first)
  })

  test('another account’s key cannot be revoked or listed', async () => {
    const [mine, theirs] = [await account(), await account()]
    const { id, hash } = await key(theirs.id)
    await expect(Keys.revokeKey(db.sql, mine.id, id)).rejects.toMatchObject({
      reason: 'not_found',
    })
    expect(await Keys.listKeys(db.sql, mine.id)).toHaveLength(0)
    expect(await Keys.findKey(db.sql, hash)).not.toBeNull()
  })

  test('no key is made for an account that does not exist', async () => {
    await expect(key(Bun.randomUUIDv7())).rejects.toMatchObject({ reason: 'not_found' })
  })
})

describe('changes', () => {
  /** Only later changes are reported then. */
  async function makeOld(): Promise<void> {
    await db.sql`update api_keys set changed_at = now() - interval '1 hour'`
    await db.sql`update accounts set changed_at = now() - interval '1 hour'`
  }

  test('a revoked key and every key of an account with new limits are named', async () => {
    const [one, two] = [await account(), await account()]
    const keys = [await key(one.id), await key(two.id), await key(two.id)]
    await makeOld()
    const { asOf, keyIds } = await Keys.changedSince(db.sql, null)
    expect(keyIds).toEqual([])
    expect((await Keys.changedSince(db.sql, asOf)).keyIds).toEqual([])
    await Keys.revokeKey(db.sql, one.id, keys[0]!.id)
    await Accounts.changeLimits(db.sql, two.id, { perMinute: 1, perDay: 2 })
    const changed = await Keys.changedSince(db.sql, asOf)
    expect(changed.keyIds.toSorted()).toEqual(keys.map(({ id }) => id).toSorted())
  })

  test('a key whose revocation is committed only after a later poll is named by the next one', async () => {
    const { id: accountId } = await account()
    const { id: keyId } = await key(accountId)
    await makeOld()
    const stamped = Promise.withResolvers<void>()
    const polled = Promise.withResolvers<void>()
    const revoking = db.sql.begin(async (transaction) => {
      await Keys.revokeKey(transaction as unknown as Sql, accountId, keyId)
      stamped.resolve()
      await polled.promise
    })
    await stamped.promise
    const { asOf } = await Keys.changedSince(db.sql, null)
    polled.resolve()
    await revoking
    expect((await Keys.changedSince(db.sql, asOf)).keyIds).toEqual([keyId])
  })

  test('an older use never replaces a newer one', async () => {
    const { id: accountId } = await account()
    const { id: keyId } = await key(accountId)
    await Keys.touchLastUsed(db.sql, [{ keyId, usedAtMs: 2_000_000 }])
    await Keys.touchLastUsed(db.sql, [{ keyId, usedAtMs: 1_000_000 }])
    const [listed] = await Keys.listKeys(db.sql, accountId)
    expect(listed!.lastUsedAt).toEqual(new Date(2_000_000))
  })
})

describe('room', () => {
  const by = { keyId: 'k', requestId: 'r' }
  const limited = (accountId: string) =>
    Keys.createLimitedKey(db.sql, newKeyOf(accountId).row, by, null)

  test('is for 50 keys, an operator’s among them, whom it does not stop', async () => {
    const { id } = await account()
    for (let n = 1; n < 50; n++) await key(id)
    await limited(id)
    expect(limited(id)).rejects.toMatchObject({ reason: 'limit_reached' })
    await key(id)
    expect(await Keys.listKeys(db.sql, id)).toHaveLength(51)
  })

  test.each(['revoked_at', 'expires_at'])('comes back a day after %s', async (end) => {
    const { id } = await account()
    for (let n = 1; n <= 50; n++) await key(id)
    const endAll = (hours: number) =>
      db.sql`update api_keys set ${db.sql(end)} = now() - ${hours} * interval '1 hour' where account_id = ${id}`
    await endAll(23)
    expect(limited(id)).rejects.toMatchObject({ reason: 'limit_reached' })
    await endAll(24)
    await limited(id)
  })

  test('of an account that is none is not found', () => {
    expect(limited(Bun.randomUUIDv7())).rejects.toMatchObject({ reason: 'not_found' })
  })
})
