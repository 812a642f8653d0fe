import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { type Service, startService } from '../support/service.ts'
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts'
import { eventually } from '../support/wait.ts'

let database: TestDatabase
let relay: TcpRelay
let service: Service
let redis: TestRedis | null
let account: NewAccount

beforeAll(async () => {
  database = await testDatabase()
  const url = new URL(database.url)
  relay = await startTcpRelay(Number(url.port))
  url.port = `${relay.port}`
  const limits = { perMinute: 100_000, perDay: 1_000_000 }
  const wanted = { name: 'Test', plan: 'pro', limits } as const
  account = await openAccount(database.sql, keyFrom(testSecretsKey), wanted)
  redis = hasRedis ? await startRedis() : null
  const shared = redis ? { REDIS_URL: redis.url } : {}
  service = await startService(testEnv(url.href, { ROLE: 'http', LOG_LEVEL: 'info', ...shared }))
})
afterAll(async () => {
  await service.stop()
  relay.stop()
  await redis?.stop()
  await database.drop()
})

const list = () => fetch(`${service.url}/v1/invoices`, { headers: { 'x-api-key': account.v1Key } })

describe('while PostgreSQL is out of reach', () => {
  test('503 whoever brings a key that cannot be looked up, and no 429 however often', async () => {
    relay.cut()
    const answers = await Promise.all(Array.from({ length: 150 }, list))
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([503])
    expect(answers.every(({ headers }) => headers.has('retry-after'))).toBe(true)
    relay.heal()
    await eventually(async () => (await list()).status === 200, 20_000)
  })
})
