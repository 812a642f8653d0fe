import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

describe.skipIf(!hasRedis)('while Redis is away', () => {
  type Ready = { status: string; problems: string[]; notes: string[] }
  let database: TestDatabase
  let node: EvmNode
  let redis: TestRedis
  let service: Service
  let account: NewAccount

  beforeAll(async () => {
    database = await testDatabase()
    node = await startEvmNode({ chainId: 8453 })
    redis = await startRedis()
    const wanted = { name: 'Test', plan: 'pro', limits: {} } as const
    account = await openAccount(database.sql, keyFrom(testSecretsKey), wanted)
    process.kill(redis.pid, 'SIGKILL')
    service = await startService(
      testEnv(database.url, {
        REDIS_URL: redis.url,
        LOG_LEVEL: 'info',
        BASE_RPC_URL: node.url,
      }),
    )
  })
  afterAll(async () => {
    await service.stop()
    await redis.stop()
    await node.stop()
    await database.drop()
  })

  async function notes(): Promise<readonly string[]> {
    const answer = await fetch(`${service.url}/readyz`)
    const { status, problems, notes } = (await answer.json()) as Ready
    expect([answer.status, status, problems]).toEqual([200, 'ready', []])
    return notes
  }

  const list = () =>
    fetch(`${service.url}/v1/invoices`, { headers: { 'x-api-key': account.v1Key } })

  /** Said a few times of a Redis that is slow to answer, as on a busy machine. */
  const uncounted = 'Redis does not count requests: PostgreSQL does'
  const slow = [uncounted, 'the queue backend failed']

  /** The other lines that are worth somebody's attention, and those on Redis. */
  const told = () =>
    service.lines
      .filter(({ level, msg }) => level !== 'info' || String(msg).includes('Redis'))
      .filter(({ msg }) => !slow.includes(String(msg)))
      .map(({ level, msg }) => `${level}: ${msg}`)

  const away = 'Redis is away: jobs wait, and requests are counted in PostgreSQL'

  test('readiness names Redis, and blames no chain that nobody has asked', async () => {
    await eventually(async () => (await notes()).includes(away))
    expect((await notes()).filter((note) => note.startsWith('base'))).toEqual([
      'base: no worker has read it yet',
    ])
  })

  test('the log says so once, with the reason, and once that it is back, however often it goes', async () => {
    for (let round = 1; round <= 2; round++) {
      for (let request = 0; request < 20; request++) {
        expect((await list()).status).toBe(200)
        await Bun.sleep(200)
      }
      await redis.restart()
      await eventually(() => told().length === 2 * round, 20_000)
      expect(told().slice(-2)).toEqual(['warn: Redis is away', 'info: Redis is back'])
      await eventually(async () => !(await notes()).includes(away))
      if (round === 1) process.kill(redis.pid, 'SIGKILL')
    }
    expect(service.lines.filter(({ msg }) => msg === uncounted).length).toBeLessThanOrEqual(4)
    const [first] = service.lines.filter(({ msg }) => msg === 'Redis is away')
    expect(first?.reason).toContain('ECONNREFUSED')
  }, 60_000)

  test('readiness says that Redis refuses writes while its memory is full, and the log once', async () => {
    const before = told().length
    const admin = new Bun.RedisClient(redis.url)
    await admin.send('CONFIG', ['SET', 'maxmemory', '1'])
    const refusing = 'Redis refuses writes: jobs wait, and requests are counted in PostgreSQL'
    await eventually(async () => (await notes()).includes(refusing), 20_000)
    expect((await list()).status).toBe(200)
    await Bun.sleep(2_500)
    expect(await notes()).toContain(refusing)
    await admin.send('CONFIG', ['SET', 'maxmemory', '0'])
    await eventually(() => told().at(-1) === 'info: Redis is back', 20_000)
    expect(told().slice(before)).toEqual(['warn: Redis is away', 'info: Redis is back'])
    expect((await notes()).filter((note) => note.startsWith('Redis'))).toEqual([])
    admin.close()
  }, 60_000)
})
