import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { fillDatabase } from '../support/full-database.ts'
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

const create = () =>
  fetch(`${service.url}/v1/invoices`, {
    method: 'POST',
    headers: { 'x-api-key': account.v1Key, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ amount: 12.5, currency: 'USDC' },
      ...{ customerName: 'Ada Example', customerEmail: 'ada@example.com' },
    }),
  })
const readiness = async () => (await fetch(`${service.url}/readyz`)).status

describe('while the disk of PostgreSQL is full', () => {
  test('503 whoever creates and, from then on, whoever asks for readiness, until there is space', async () => {
    const makeRoom = await fillDatabase(database.sql)
    const refused = await create()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.text()).toContain('The database of the service refuses this for now')
    const unready = await fetch(`${service.url}/readyz`)
    expect(unready.status).toBe(503)
    expect(await unready.json()).toMatchObject({
      problems: ['the database refuses writes: is its disk full?'],
    })
    expect((await list()).status).toBe(200)
    await makeRoom()
    await eventually(async () => (await readiness()) === 200)
    expect((await create()).status).toBe(201)
  })
})

describe('while PostgreSQL takes no writes', () => {
  test('503 whoever creates and whoever asks for readiness, and all is well again without a restart', async () => {
    expect((await create()).status).toBe(201)
    const name = new URL(database.url).pathname.slice(1)
    await database.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    relay.cut()
    relay.heal()
    await eventually(async () => (await readiness()) === 503)
    for (let round = 0; round < 20; round++) {
      const { status, headers } = await create()
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    }
    await database.sql.unsafe(`alter database ${name} reset default_transaction_read_only`)
    await eventually(async () => (await create()).status === 201, 20_000)
    await eventually(async () => (await readiness()) === 200, 20_000)
  })
})
