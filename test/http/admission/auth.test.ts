import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { createKeyRing, type KeyRing } from '../../../src/actors/keys/key-ring.ts'
import { keyHash, keyHint, limitsOf, newKey } from '../../../src/domain/accounts/account.ts'
import { presets } from '../../../src/domain/accounts/scopes.ts'
import { identify } from '../../../src/http/admission/auth.ts'
import * as Accounts from '../../../src/storage/accounts/accounts.ts'
import * as Keys from '../../../src/storage/accounts/api-keys.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
const accountId = Bun.randomUUIDv7()
const rings: KeyRing[] = []
let passedMs = 0

beforeAll(async () => {
  const signingSecretSealed = randomBytes(60)
  const limits = limitsOf('free')
  await Keys.createAccount(
    db.sql,
    { id: accountId, name: 'Acme', plan: 'free', limits, wallets: {}, signingSecretSealed },
    [],
  )
})

afterEach(async () => {
  for (const ring of rings.splice(0)) await ring.close()
  passedMs = 0
})

/** The key ring of one process. It learns of changes through `polls`. */
function ring(polls: Sql = db.sql): KeyRing {
  const made = createKeyRing({
    sql: db.sql,
    pollSql: polls,
    clock: { now: () => new Date(Date.now() + passedMs), learn() {} },
    steadyMs: () => performance.now() + passedMs,
    onFault: () => {},
  })
  rings.push(made)
  return made
}

async function key(kind: 'inv_' | 'sk_' = 'inv_', expiresAt: Date | null = null) {
  const raw = newKey(kind, randomBytes(32))
  const id = Bun.randomUUIDv7()
  await Keys.createKey(db.sql, {
    id,
    accountId,
    name: 'test',
    hash: keyHash(raw),
    hint: keyHint(raw),
    scopes: presets.full,
    expiresAt,
  })
  return { id, raw }
}

/** Waits until the key is answered from the cache. */
async function warm(keys: KeyRing, raw: string) {
  while (keys.find(raw) instanceof Promise) await Bun.sleep(5)
}

function request(headers: Record<string, string>, query = '') {
  return new Request(`http://localhost/v1/invoices${query}`, { headers })
}

async function outcome(keys: KeyRing, asked: Request) {
  try {
    return (await identify(asked, keys))?.keyId ?? null
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

describe('identified', () => {
  test.each(['inv_', 'sk_'] as const)(
    'an %s key in either header, or the same in both',
    async (kind) => {
      const keys = ring()
      const { id, raw } = await key(kind)
      for (const headers of [
        { authorization: `Bearer ${raw}` },
        { authorization: `bearer  ${raw}` },
        { 'x-api-key': raw },
        { 'x-api-key': raw, authorization: `Bearer ${raw}` },
      ]) {
        expect(await outcome(keys, request(headers))).toBe(id)
      }
    },
  )

  test('a key seen before is answered without a promise', async () => {
    const keys = ring()
    const { id, raw } = await key()
    await warm(keys, raw)
    expect(identify(request({ 'x-api-key': raw }), keys)).toMatchObject({
      keyId: id,
      accountId,
      perMinute: 60,
    })
  })

  test('a key by its id, as long as the key is valid', async () => {
    const keys = ring()
    const { id } = await key('sk_', new Date(Date.now() + 3_000))
    while (keys.findById(id) instanceof Promise) await Bun.sleep(5)
    expect(keys.findById(id)).toMatchObject({ keyId: id, accountId })
    // An id is not secret, so it must not work as a key.
    expect(keys.find(id)).toBeNull()
    passedMs += 3_001
    expect(keys.findById(id)).toBeNull()
    expect(await keys.findById(Bun.randomUUIDv7())).toBeNull()
  })

  test('the last use is written when the process ends, at the latest', async () => {
    const keys = ring()
    const { id, raw } = await key()
    await warm(keys, raw)
    await keys.close()
    const listed = (await Keys.listKeys(db.sql, accountId)).find((one) => one.id === id)
    expect(Date.now() - listed!.lastUsedAt!.getTime()).toBeLessThan(5_000)
  })
})

describe('nobody', () => {
  test('no header, also with a key in the query string', async () => {
    const { raw } = await key()
    expect(identify(request({}), ring())).toBeNull()
    expect(identify(request({}, `?api_key=${raw}&x-api-key=${raw}`), ring())).toBeNull()
  })
})

describe('unauthorized', () => {
  test('AUTH-002 … AUTH-019 and what else could be read two ways', async () => {
    const keys = ring()
    const [{ raw }, { raw: other }] = [await key(), await key('sk_')]
    await warm(keys, raw)
    for (const headers of [
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Basic dXNlcjpwYXNz' },
      { authorization: `Basic ${raw}` },
      { authorization: raw },
      { authorization: 'Bearer nope' },
      { authorization: `Bearer ${raw}x` },
      { authorization: `Bearer ${raw.slice(0, -1)}` },
      { authorization: `Bearer ${raw} ${raw}` },
      { authorization: "Bearer ' OR '1'='1" },
      { authorization: `Bearer ${raw}, Bearer ${other}` },
      { authorization: `Bearer ${raw}, Bearer ${raw}` },
      { 'x-api-key': '' },
      { 'x-api-key': 'nope' },
      { 'x-api-key': `${raw}, ${raw}` },
      { 'x-api-key': raw, authorization: `Bearer ${other}` },
      { 'x-api-key': raw, authorization: 'Basic dXNlcjpwYXNz' },
      { 'x-api-key': raw, authorization: '' },
      { 'x-api-key': '', authorization: `Bearer ${raw}` },
    ]) {
      expect([headers, await outcome(keys, request(headers))]).toEqual([headers, 'unauthorized'])
    }
  })

  test('a well-formed key nobody has, and then for a moment without asking again', async () => {
    const keys = ring()
    const raw = newKey('sk_', randomBytes(32))
    expect(keys.find(raw)).toBeInstanceOf(Promise)
    expect(await keys.find(raw)).toBeNull()
    expect(keys.find(raw)).toBeNull()
    passedMs += 3_000
    expect(keys.find(raw)).toBeInstanceOf(Promise)
  })

  test('a key held in memory, from the moment it expires', async () => {
    const keys = ring()
    const { id, raw } = await key('sk_', new Date(Date.now() + 3_000))
    await warm(keys, raw)
    expect(await outcome(keys, request({ 'x-api-key': raw }))).toBe(id)
    passedMs += 3_001
    expect(keys.find(raw)).toBeNull()
  })

  test('a key revoked by another process, within 5 s', async () => {
    const keys = ring()
    const { id, raw } = await key()
    await warm(keys, raw)
    await Keys.revokeKey(db.sql, accountId, id)
    const revokedAtMs = performance.now()
    while ((await keys.find(raw)) !== null) await Bun.sleep(20)
    expect(performance.now() - revokedAtMs).toBeLessThan(5_000)
  })

  test('a revoked key, 5 s after the last poll for changes that worked', async () => {
    const polls = connect(db.url, { max: 1, name: 'test polls' })
    const keys = ring(polls)
    const { id, raw } = await key()
    await warm(keys, raw)
    await polls.end()
    await Keys.revokeKey(db.sql, accountId, id)
    expect(keys.find(raw)).toMatchObject({ keyId: id })
    passedMs += 5_000
    expect(await keys.find(raw)).toBeNull()
  })
})

describe('limits of an account', () => {
  test('new numbers hold in every process within 5 s', async () => {
    const keys = ring()
    const { raw } = await key()
    await warm(keys, raw)
    await Accounts.changeLimits(db.sql, accountId, { perMinute: 7, perDay: 8 })
    const changedAtMs = performance.now()
    while ((await keys.find(raw))?.perMinute !== 7) await Bun.sleep(20)
    expect(performance.now() - changedAtMs).toBeLessThan(5_000)
  })
})
