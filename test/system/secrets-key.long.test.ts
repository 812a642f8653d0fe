import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { adoptKey, requireKeys } from '../../src/config/secrets-key.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const otherSecretsKey = 'cd'.repeat(32)
const refusal =
  'SECRETS_KEY does not open the secrets in the database: set it to the key with which the service was last started or rotated; if that key is lost, see `quittance secrets adopt`'

const only = (secretsKey: string) => ({ secretsKey, previousSecretsKey: null })

async function start(database: TestDatabase, over: Record<string, string> = {}): Promise<void> {
  const config = readConfig(testEnv(database.url, over))
  const app = await startApp(config, createLog(config.logLevel))
  await app.drain()
}

describe('once a process has started with a SECRETS_KEY', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
    await start(database)
  })
  afterAll(() => database.drop())

  test.each(['all', 'http', 'worker'])('none starts with another one as %s', async (role) => {
    const other = { ROLE: role, SECRETS_KEY: otherSecretsKey }
    await expect(start(database, other)).rejects.toThrow(refusal)
  })

  test('the same key starts in whatever way it is written', async () => {
    const base64 = Buffer.from(testSecretsKey, 'hex').toString('base64')
    await start(database, { SECRETS_KEY: base64 })
  })

  test('another one starts only after it was adopted, and the first no more', async () => {
    await adoptKey(database.sql, only(otherSecretsKey))
    await start(database, { SECRETS_KEY: otherSecretsKey })
    await expect(start(database)).rejects.toThrow(refusal)
    await adoptKey(database.sql, only(testSecretsKey))
  })
})

test('another one is not adopted beside a running service, which would go on with the first', async () => {
  const database = await testDatabase()
  const config = readConfig(testEnv(database.url, { ROLE: 'worker' }))
  const app = await startApp(config, createLog('silent'))
  await expect(adoptKey(database.sql, only(otherSecretsKey))).rejects.toThrow(
    'the service is running and would keep using its old key: stop all of its processes, then adopt this key',
  )
  await app.drain()
  expect(await adoptKey(database.sql, only(otherSecretsKey))).toBe('other')
  await database.drop()
})

test('of processes that start at once on a new database with different keys, those of one key go on', async () => {
  const database = await testDatabase()
  const keys = Array.from({ length: 6 }, (_, n) => (n % 2 ? testSecretsKey : otherSecretsKey))
  const starts = await Promise.allSettled(keys.map((key) => requireKeys(database.sql, only(key))))
  const going = keys.filter((_, at) => starts[at]?.status === 'fulfilled')
  expect(going).toHaveLength(3)
  expect(new Set(going).size).toBe(1)
  await database.drop()
})
