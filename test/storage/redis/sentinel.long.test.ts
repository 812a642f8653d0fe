import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { sentinelFindings } from '../../../src/operator/doctor/servers.ts'
import { redisFindings } from '../../../src/operator/doctor/stores.ts'
import { redisBackend } from '../../../src/queues/backends/redis.ts'
import { connectRedis } from '../../../src/storage/redis/connection.ts'
import { createRedisHealth } from '../../../src/storage/redis/health.ts'
import { startSentinels } from '../../support/high-availability.ts'
import { serverFolder } from '../../support/postgres.ts'
import { hasRedis } from '../../support/redis.ts'
import { eventually } from '../../support/wait.ts'

describe.skipIf(!hasRedis)('the master that Sentinels name', () => {
  const folder = serverFolder()
  let servers: Awaited<ReturnType<typeof startSentinels>>

  beforeAll(async () => {
    servers = await startSentinels(folder)
  })
  afterAll(async () => {
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is in order, says the doctor', async () => {
    const sentinels = await sentinelFindings(servers.url)
    expect(sentinels.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok'])
    expect(await redisFindings(servers.url)).toContainEqual(
      expect.objectContaining({ what: 'Redis', verdict: 'ok', detail: 'noeviction' }),
    )
  })

  test('is followed when it freezes, by request counts and by queues', async () => {
    const namespace = { url: servers.url, prefix: 'quittance-test' }
    const counts = connectRedis(namespace, () => {})
    const health = createRedisHealth(() => {})
    const backend = redisBackend(namespace, { warn() {}, error() {} }, health)
    const queue = backend.openQueue('sentinel')
    let done = 0
    const worker = backend.openWorker('sentinel', {
      concurrency: 1,
      process: async () => void done++,
      onFailed: () => {},
    })
    void worker.run()
    const works = async () => {
      const before = done
      await counts.set('one', '1')
      await queue.add('job', {})
      await eventually(() => done > before, 1_000)
      return true
    }
    await eventually(() => works().catch(() => false))
    const master = await servers.master()
    process.kill(master.pid, 'SIGSTOP')
    await eventually(async () => (await servers.master()) !== master)
    await eventually(() => works().catch(() => false), 5_000)
    process.kill(master.pid, 'SIGCONT')
    await worker.close()
    await backend.close()
    counts.disconnect()
  })

  test('may be unknown to them, which the doctor says', async () => {
    const findings = await sentinelFindings(servers.url.replace(/quittance$/, 'other'))
    expect(findings).toHaveLength(3)
    for (const { verdict, detail } of findings) {
      expect(verdict).toBe('problem')
      expect(detail).toContain('No such master')
    }
  })
})
