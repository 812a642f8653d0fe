import { expect, test } from 'bun:test'
import { redisBackend } from '../../src/queues/backends/redis.ts'
import { createQueues } from '../../src/queues/queues.ts'
import { connectRedis } from '../../src/storage/redis/connection.ts'
import { createRedisHealth } from '../../src/storage/redis/health.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { eventually } from '../support/wait.ts'

const silent = { warn() {}, error() {} }

test.skipIf(!hasRedis)(
  'a Redis whose memory is full counts as away until a write succeeds, and is said to be so once',
  async () => {
    const redis = await startRedis()
    const admin = new Bun.RedisClient(redis.url)
    const told: (string | null)[] = []
    const place = { url: redis.url, prefix: 'test' }
    const health = createRedisHealth((reason) => told.push(reason))
    const backend = redisBackend(place, silent, health)
    const queues = createQueues({ backend, log: silent })
    const counting = health.watch(
      connectRedis(place, () => {}),
      'trial',
    )
    await eventually(() => queues.add('trust', {}, { jobId: 'before' }))
    await eventually(() => !health.isAway())
    told.length = 0

    await admin.send('CONFIG', ['SET', 'maxmemory', '1'])
    expect(await queues.add('trust', {}, { jobId: 'refused' })).toBe(false)
    await expect(counting.set('count', '1')).rejects.toThrow('OOM')
    expect([health.isAway(), health.isRefusing()]).toEqual([true, true])
    // Long enough for trials of both connections, which are refused too.
    await Bun.sleep(2_500)
    expect([health.isAway(), health.isRefusing()]).toEqual([true, true])
    expect(await counting.get('count')).toBeNull()

    await admin.send('CONFIG', ['SET', 'maxmemory', '0'])
    await eventually(() => !health.isAway())
    expect(health.isRefusing()).toBe(false)
    expect(told).toEqual([expect.stringContaining('OOM'), null])
    expect(await queues.add('trust', {}, { jobId: 'after' })).toBe(true)

    await admin.send('CONFIG', ['SET', 'maxmemory', '1'])
    await expect(counting.set('count', '1')).rejects.toThrow('OOM')
    await redis.stop()
    await eventually(() => !health.isRefusing())
    expect(health.isAway()).toBe(true)

    counting.disconnect()
    await queues.close()
    await backend.close()
    admin.close()
  },
)
