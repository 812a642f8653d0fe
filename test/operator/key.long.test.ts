import { beforeAll, expect, test } from 'bun:test'
import { keyHash } from '../../src/domain/accounts/account.ts'
import { presets } from '../../src/domain/accounts/scopes.ts'
import { findKey, touchLastUsed } from '../../src/storage/accounts/api-keys.ts'
import { quittance } from '../support/cli.ts'
import { useWorld } from '../support/world.ts'

const { database, env } = useWorld({ service: 'none' })
let accountId: string

beforeAll(async () => {
  accountId = (await quittance(env, 'account', 'create', '--name', 'Ada', '--json')).json.account.id
})

const key = (...words: readonly string[]) => quittance(env, 'key', ...words, '--account', accountId)

test('create, list and revoke: a key works until it is revoked, and is shown once', async () => {
  const words = ['--kind', 'sk_', '--name', 'robot', '--scopes', 'invoices:read,admin', '--json']
  const made = await key('create', ...words)
  expect(made.code).toBe(0)
  const found = await findKey(database.sql, keyHash(made.json.key))
  expect([...(found?.principal.scopes ?? [])]).toEqual(['invoices:read', 'admin'])

  const listed = await key('list', '--json')
  expect(listed.json).toHaveLength(3)
  expect(listed.json[0]).toMatchObject({ id: made.json.id, name: 'robot', revokedAt: null })
  expect(listed.text).not.toContain(made.json.key)

  const revoked = await key('revoke', made.json.id, '--json')
  expect([revoked.code, revoked.json]).toEqual([0, { revoked: made.json.id }])
  expect(await findKey(database.sql, keyHash(made.json.key))).toBeNull()
  expect((await key('list')).text).toContain('  robot  revoked')
})

test('list shows the status, expiry, permissions and last use of each key', async () => {
  const words = ['--name', 'ops', '--scopes', 'full,admin', '--expires', '2099-12-31']
  const { json } = await key('create', ...words, '--json')
  const usedAtMs = Date.parse('2026-11-22T10:00:00Z')
  await touchLastUsed(database.sql, [{ keyId: json.id, usedAtMs }])
  const lines = (await key('list')).text.split('\n')
  expect(lines.find((line) => line.startsWith(json.id))).toEndWith(
    '  ops  until 2099-12-31T23:59:59.999Z  full, admin  used 2026-11-22T10:00:00.000Z',
  )
  expect(lines.find((line) => line.includes('first v1 key'))).toEndWith(
    '  first v1 key  active  full  never used',
  )
  await database.sql`update api_keys set expires_at = now() - interval '1 s' where id = ${json.id}`
  expect((await key('list')).text).toContain('  ops  expired  ')
})

test('list escapes control characters in a name, so that none reaches the terminal', async () => {
  const { json } = await key('create', '--name', 'old', '--json')
  const name = 'old\u001b[2J\n\u009b31m\u202egnp'
  await database.sql`update api_keys set name = ${name} where id = ${json.id}`
  const lines = (await key('list')).text.split('\n')
  expect(lines.find((line) => line.startsWith(json.id))).toContain(
    '  old\\u001b[2J\\u000a\\u009b31m\\u202egnp  active  ',
  )
})

test('presets and scopes may be combined', async () => {
  const { json } = await key('create', '--scopes', 'read_only,admin,admin', '--json')
  const found = await findKey(database.sql, keyHash(json.key))
  expect([...(found?.principal.scopes ?? [])]).toEqual([...presets.read_only, 'admin'])
})

test('deposits list prints none if there are none', async () => {
  const { code, text } = await quittance(env, 'deposits', 'list', '--from', '0')
  expect([code, text]).toEqual([0, 'none\n'])
})

test('1 for another account’s key, and for an unknown account', async () => {
  const { json } = await key('list', '--json')
  const other = await quittance(env, 'account', 'create', '--name', 'Eve', '--json')
  for (const [words, stderr] of [
    [['revoke', json[0].id, '--account', other.json.account.id], 'No such key\n'],
    [['list', '--account', crypto.randomUUID()], 'No such account\n'],
  ] as const)
    expect(await quittance(env, 'key', ...words)).toMatchObject({ code: 1, stderr })
})

test.each([
  [['create', '--scopes', 'everything'], 'everything is not a scope'],
  [['create', '--name', 'a\nb'], 'must be a text of 1 to 256 characters'],
  [['create', '--kind', 'pk_'], 'Allowed choices are inv_, sk_'],
  [['create', '--expires', '2020-01-01'], 'must be an ISO 8601 date or timestamp in the future'],
  [['revoke', 'mine'], 'must be an id such as'],
])('2 for key %j', async (words, problem) => {
  const { code, stderr } = await key(...words)
  expect(code).toBe(2)
  expect(stderr).toContain(problem)
})
