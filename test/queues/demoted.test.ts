import { describe, expect, test } from 'bun:test'
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

/** A server that becomes read-only while its clients stay connected. */

const silent = { warn() {}, error() {} }

function work(backend: Parameters<typeof createWorkers>[0]['backend']) {
  const queues = createQueues({ backend, log: silent })
  const seen: string[] = []
  const workers = createWorkers({
    backend,
    log: silent,
    processors: { deliver: async ({ webhookIds }) => void seen.push(...webhookIds) },
  })
  workers.start()
  return {
    add: (id: string) => queues.add('deliver', { webhookIds: [id] }, { jobId: id }),
    seen,
    async stop() {
      await workers.drain(0)
      await queues.close()
      await backend.close()
    },
  }
}

describe.skipIf(!hasRedis)(
  'a Redis that becomes a replica while another one takes its name',
  () => {
    async function twoRedis() {
      const [before, after] = await Promise.all([startRedis(), startRedis()])
      const relay = await startTcpRelay(Number(new URL(before.url).port))
      const admin = new Bun.RedisClient(before.url)
      return {
        url: `redis://127.0.0.1:${relay.port}`,
        async failOver() {
          const { port } = new URL(after.url)
          await admin.send('REPLICAOF', ['127.0.0.1', port])
          relay.lead(Number(port))
        },
        async stop() {
          admin.close()
          relay.stop()
          await Promise.all([before.stop(), after.stop()])
        },
      }
    }

    test('is left for it by producers and workers', async () => {
      const servers = await twoRedis()
      const { add, seen, stop } = work(
        redisBackend(
          { url: servers.url, prefix: 'test' },
          silent,
          createRedisHealth(() => {}),
        ),
      )
      await eventually(() => add('before'))
      await eventually(() => seen.includes('before'))
      await servers.failOver()
      await eventually(() => add('after'))
      await eventually(() => seen.includes('after'))
      await stop()
      await servers.stop()
    })

    test('is left for it by the counters of requests', async () => {
      const servers = await twoRedis()
      const redis = connectRedis({ url: servers.url, prefix: 'test' }, () => {})
      const count = () =>
        redis.eval("return redis.call('incr', 'count')", 0).catch((error: Error) => error.message)
      await eventually(async () => (await count()) === 1)
      await servers.failOver()
      // Refused, not repeated: a command that may have been executed must not run twice.
      expect(await count()).toContain('READONLY')
      await eventually(async () => typeof (await count()) === 'number')
      redis.disconnect()
      await servers.stop()
    })

    test('is left once, however many commands it refuses at the same time', async () => {
      const warnings: string[] = []
      const note = ({ name }: Error) => void warnings.push(name)
      process.on('warning', note)
      const servers = await twoRedis()
      const redis = connectRedis({ url: servers.url, prefix: 'test' }, () => {})
      await eventually(async () => (await redis.ping().catch(() => null)) === 'PONG')
      await servers.failOver()
      const writes = Array.from({ length: 20 }, () => redis.incr('count'))
      const refused = (await Promise.allSettled(writes)).filter(
        ({ status }) => status === 'rejected',
      )
      expect(refused).toHaveLength(20)
      await eventually(async () => (await redis.incr('count').catch(() => null)) === 1)
      expect(warnings).toEqual([])
      process.off('warning', note)
      redis.disconnect()
      await servers.stop()
    })
  },
)

test('a PostgreSQL that takes no writes gets no queues, and has them again without a restart', async () => {
  const { url, sql, drop } = await testDatabase()
  const { add, seen, stop } = work(await postgresBackend(url, silent))
  await eventually(() => add('before'))
  await eventually(() => seen.includes('before'))
  const database = new URL(url).pathname.slice(1)
  await sql.unsafe(`alter database ${database} set default_transaction_read_only = on`)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await expect(postgresBackend(url, silent)).rejects.toThrow('not read-write')
  await eventually(async () => !(await add('meanwhile')))
  await sql.unsafe(`alter database ${database} reset default_transaction_read_only`)
  await eventually(() => add('after'))
  await eventually(() => seen.includes('after'))
  await stop()
  await drop()
})
