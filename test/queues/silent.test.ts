import { expect, test } from 'bun:test'
import type { Backend } from '../../src/queues/backends/backend.ts'
import { postgresBackend } from '../../src/queues/backends/postgres.ts'
import { redisBackend } from '../../src/queues/backends/redis.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { createWorkers } from '../../src/queues/workers.ts'
import { connectRedis } from '../../src/storage/redis/connection.ts'
import { createRedisHealth } from '../../src/storage/redis/health.ts'
import { testDatabase } from '../support/postgres.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { startTcpRelay } from '../support/tcp-relay.ts'
import { eventually } from '../support/wait.ts'

/** Connections that die without a word, while new ones to the same address are well. */

const quiet = { warn() {}, error() {} }

/** A relay to the server at `serverUrl`. */
async function relayTo(serverUrl: string) {
  const address = new URL(serverUrl)
  const relay = await startTcpRelay(Number(address.port))
  address.hostname = '127.0.0.1'
  address.port = `${relay.port}`
  return { relay, url: address.href }
}

async function producesAndWorksAgain(backend: Backend, forget: () => void): Promise<void> {
  const queues = createQueues({ backend, log: quiet })
  const seen: string[] = []
  const workers = createWorkers({
    backend,
    log: quiet,
    processors: { deliver: async ({ webhookIds }) => void seen.push(...webhookIds) },
  })
  workers.start()
  const add = (id: string) => queues.add('deliver', { webhookIds: [id] }, { jobId: id })
  await eventually(() => add('before'))
  await eventually(() => seen.includes('before'))
  forget()
  await eventually(() => add('after'))
  await eventually(() => seen.includes('after'))
  await workers.drain(0)
  await queues.close()
  await backend.close()
}

test('producers and workers on PostgreSQL replace connections that have died without a word', async () => {
  const database = await testDatabase()
  const { relay, url } = await relayTo(database.url)
  await producesAndWorksAgain(await postgresBackend(url, quiet), relay.forget)
  relay.stop()
  await database.drop()
})

test.skipIf(!hasRedis)(
  'producers and workers on Redis replace connections that have died without a word',
  async () => {
    const redis = await startRedis()
    const { relay, url } = await relayTo(redis.url)
    await producesAndWorksAgain(
      redisBackend(
        { url, prefix: 'test' },
        quiet,
        createRedisHealth(() => {}),
      ),
      relay.forget,
    )
    relay.stop()
    await redis.stop()
  },
)

test.skipIf(!hasRedis)(
  'the counters of requests replace a connection to Redis that has died without a word',
  async () => {
    const server = await startRedis()
    const { relay, url } = await relayTo(server.url)
    const redis = connectRedis({ url, prefix: 'test' }, () => {})
    const answers = () =>
      redis.ping().then(
        () => true,
        () => false,
      )
    await eventually(answers)
    relay.forget()
    expect(await answers()).toBe(false)
    await eventually(answers)
    redis.disconnect()
    relay.stop()
    await server.stop()
  },
)
