import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { testEnv } from '../support/app.ts'
import { quittance } from '../support/cli.ts'
import { serverFolder, type TestDatabase, testDatabase } from '../support/postgres.ts'

const createAccount = ['account', 'create', '--name', 'Ada'] as const

describe('on a database that belongs to another SECRETS_KEY', () => {
  let database: TestDatabase
  let env: Record<string, string>
  beforeAll(async () => {
    database = await testDatabase()
    await quittance(testEnv(database.url), ...createAccount)
    env = testEnv(database.url, {
      SECRETS_KEY: 'cd'.repeat(32),
      BASE_RPC_URL: 'http://127.0.0.1:1',
    })
  })
  afterAll(() => database.drop())

  test('commands that use the key fail with a remedy; the others work', async () => {
    for (const words of [createAccount, ['backfill', 'base', '--from', '1', '--to', '2']]) {
      const { code, stderr } = await quittance(env, ...words)
      expect(code).toBe(1)
      expect(stderr).toContain(
        'SECRETS_KEY does not open the secrets in the database: set it to the key with which the service was last started or rotated',
      )
    }
    expect((await quittance(env, 'audit', 'list')).code).toBe(0)
  })

  test('adopt makes it the key of the database', async () => {
    expect(await quittance(env, 'secrets', 'adopt', '--json')).toMatchObject({
      code: 0,
      json: { adopted: true, file: null },
    })
    expect((await quittance(env, ...createAccount)).code).toBe(0)
    expect((await quittance(testEnv(database.url), ...createAccount)).code).toBe(1)
  })

  test('adopt changes nothing if it already is the key of the database', async () => {
    const own = testEnv(database.url)
    const { text } = await quittance(own, 'secrets', 'adopt')
    expect(text).toContain('The database now belongs to this SECRETS_KEY.\nPayments that carry')
    expect(await quittance(own, 'secrets', 'adopt')).toMatchObject({
      code: 0,
      text: 'The database already belongs to this SECRETS_KEY.\n',
    })
    expect(await quittance(own, 'secrets', 'adopt', '--json')).toMatchObject({
      code: 0,
      json: { adopted: false, file: null },
    })
  })

  test('rotate moves from the previous key to the new one, and may be repeated', async () => {
    const keys = { SECRETS_KEY: 'ef'.repeat(32), SECRETS_KEY_PREVIOUS: 'ab'.repeat(32) }
    const between = testEnv(database.url, keys)
    expect((await quittance(between, 'secrets', 'adopt')).stderr).toContain(
      'SECRETS_KEY_PREVIOUS is the key of the database, so nothing is lost: use',
    )
    expect((await quittance(between, ...createAccount)).code).toBe(0)
    // Two accounts of this key; the third was made under one that is lost to it.
    expect(await quittance(between, 'secrets', 'rotate', '--json')).toMatchObject({
      code: 0,
      json: { moved: true, resealed: 2, unreadable: 1 },
    })
    const again = await quittance(between, 'secrets', 'rotate')
    expect(again.text).toContain(
      'already belongs to this SECRETS_KEY.\n0 secret(s) sealed anew.\n1',
    )
    expect((await quittance(testEnv(database.url), ...createAccount)).code).toBe(1)
    const { stderr } = await quittance(
      { ...env, SECRETS_KEY: 'ef'.repeat(32) },
      'secrets',
      'rotate',
    )
    expect(stderr).toContain('SECRETS_KEY_PREVIOUS is not set')
  })

  test('adopt warns of no loss on a database that has belonged to no key', async () => {
    const empty = await testDatabase()
    expect(await quittance(testEnv(empty.url), 'secrets', 'adopt')).toMatchObject({
      code: 0,
      text: 'The database now belongs to this SECRETS_KEY.\n',
    })
    await empty.drop()
  })
})

describe('on an embedded database whose secrets.json is lost', () => {
  const env = { DATA_DIR: serverFolder() }
  const file = join(env.DATA_DIR, 'secrets.json')
  beforeAll(async () => {
    await quittance(env, ...createAccount)
    rmSync(file)
  })
  afterAll(() => rmSync(env.DATA_DIR, { recursive: true, force: true }))

  test('commands and doctor name the remedy, and nothing is generated', async () => {
    const { code, stderr } = await quittance(env, ...createAccount)
    expect([code, stderr]).toEqual([
      1,
      `${file}, which has the keys and wallets of the database beside it, is missing: restore it from a backup; if there is none, see \`quittance secrets adopt\`\n`,
    ])
    expect((await quittance(env, 'doctor', '--json')).json).toMatchObject([
      { verdict: 'problem', what: 'secrets', remedy: expect.stringContaining('from a backup') },
    ])
    expect(existsSync(file)).toBe(false)
  })

  test('adopt generates new secrets, and commands use them', async () => {
    expect(await quittance(env, 'secrets', 'adopt', '--json')).toMatchObject({
      code: 0,
      json: { adopted: true, file },
    })
    expect((await quittance(env, ...createAccount)).code).toBe(0)
  })

  test('adopt names new secrets if SECRETS_KEY itself was kept', async () => {
    const { secretsKey } = await Bun.file(file).json()
    rmSync(file)
    const { text } = await quittance({ ...env, SECRETS_KEY: secretsKey }, 'secrets', 'adopt')
    expect(text.trim().split('\n')).toEqual([
      'The database already belongs to this SECRETS_KEY.',
      `Keys and wallets that were missing have been generated: back up ${file}.`,
    ])
  })
})
