import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { redisBackend } from '../../src/queues/backends/redis.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { createWorkers } from '../../src/queues/workers.ts'
import { redisWindows } from '../../src/storage/limits/redis-windows.ts'
import { connectRedis, redisNamespace } from '../../src/storage/redis/connection.ts'
import { createRedisHealth } from '../../src/storage/redis/health.ts'
import { testApp } from '../support/app.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { eventually } from '../support/wait.ts'

const silent = { warn() {}, error() {} }

describe.skipIf(!hasRedis)('deployments that share a Redis', () => {
  let redis: TestRedis
  let databases: TestDatabase[]

  beforeAll(async () => {
    redis = await startRedis()
    databases = await Promise.all([testDatabase(), testDatabase()])
  })
  afterAll(async () => {
    for (const database of databases) await database.drop()
    await redis.stop()
  })

  const places = () => Promise.all(databases.map(({ sql }) => redisNamespace(redis.url, sql)))

  test('each run their own jobs, and nobody else’s', async () => {
    const [one, other] = (await places()).map((place) => {
      const backend = redisBackend(
        place,
        silent,
        createRedisHealth(() => {}),
      )
      const queues = createQueues({ backend, log: silent })
      const ran = { count: 0 }
      const processors = { trust: async () => void ran.count++ }
      const workers = createWorkers({ backend, processors, log: silent })
      return { backend, queues, workers, ran }
    }) as [Deployment, Deployment]
    await eventually(() => one.queues.add('trust', {}, { jobId: 'first' }))
    await eventually(() => other.queues.add('trust', {}, { jobId: 'second' }))
    other.workers.start()
    await eventually(() => other.ran.count > 0)
    one.workers.start()
    await eventually(() => one.ran.count > 0)
    expect([one.ran.count, other.ran.count]).toEqual([1, 1])
    for (const { workers, queues, backend } of [one, other]) {
      await workers.drain(0)
      await queues.close()
      await backend.close()
    }
  })

  test('each count requests of an address for themselves', async () => {
    const ask = { bucket: 'ip:203.0.113.1', want: 1, spare: 0, perMinute: 1, perDay: null }
    for (const place of await places()) {
      const connection = connectRedis(place, () => {})
      connection.options.commandTimeout = 10_000
      await new Promise((resolve) => connection.once('ready', resolve))
      const lease = redisWindows(connection)
      expect(await lease([{ ...ask, unused: 0, known: null }])).toMatchObject([{ granted: 1 }])
      connection.disconnect()
    }
  })

  test('put nothing there that is not named after their database', async () => {
    const client = new Bun.RedisClient(redis.url)
    await client.send('FLUSHALL', [])
    const app = await testApp({ REDIS_URL: redis.url })
    const { prefix } = await redisNamespace(redis.url, app.database.sql)
    await app.send('GET', '/v1/invoices')
    const keys = async () => (await client.send('KEYS', ['*'])) as string[]
    await eventually(async () => (await keys()).some((key) => key.includes(':requests:')))
    await eventually(async () => (await keys()).some((key) => key.includes(':outbox:')))
    expect((await keys()).filter((key) => !key.startsWith(`${prefix}:`))).toEqual([])
    await app.stop()
    client.close()
  })

  test('leave database 0 alone where theirs does not exist, and say so', async () => {
    const few = await startRedis('--databases', '2')
    const missing = { url: `${few.url}/2`, prefix: 'quittance' }
    const faults = { ofQueues: 0, ofLimits: 0 }
    const refused = (error: unknown) => `${error}`.includes('DB index is out of range')
    const health = createRedisHealth((reason) => {
      if (refused(reason)) faults.ofQueues++
    })
    const backend = redisBackend(missing, silent, health)
    const queues = createQueues({ backend, log: silent })
    const workers = createWorkers({ backend, processors: { trust: async () => {} }, log: silent })
    workers.start()
    const connection = connectRedis(missing, (error) => {
      if (refused(error)) faults.ofLimits++
    })
    // Refused again and again: a connection that had stayed would have been used.
    await eventually(async () => {
      await queues.add('trust', {}, { jobId: 'first' }).catch(() => {})
      await expect(connection.set('limit', '1')).rejects.toThrow()
      return faults.ofQueues > 0 && faults.ofLimits > 2
    })
    const client = new Bun.RedisClient(few.url)
    expect(await client.send('KEYS', ['*'])).toEqual([])
    client.close()
    connection.disconnect()
    await backend.close()
    await few.stop()
  })
})

type Deployment = {
  backend: ReturnType<typeof redisBackend>
  queues: ReturnType<typeof createQueues>
  workers: ReturnType<typeof createWorkers>
  ran: { count: number }
}
