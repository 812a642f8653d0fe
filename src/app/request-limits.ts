import { createLimits } from '../http/admission/limits.ts'
import { localWindows } from '../storage/limits/local-windows.ts'
import { postgresWindows } from '../storage/limits/postgres-windows.ts'
import { redisWindows } from '../storage/limits/redis-windows.ts'
import { requestWindows } from '../storage/limits/request-windows.ts'
import { countProcesses } from '../storage/postgres/database-server.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { connectRedis, type RedisNamespace } from '../storage/redis/connection.ts'
import type { RedisHealth } from '../storage/redis/health.ts'
import type { Log } from '../telemetry/log.ts'
import { createThrottle } from '../telemetry/throttle.ts'
import { steadyMs } from './clock.ts'

const countEveryMs = 10_000

type Parts = {
  readonly pollSql: Sql
  readonly redisNamespace: RedisNamespace | null
  readonly redisHealth: RedisHealth
  readonly log: Log
}

/** Rate limits, exact while Redis or PostgreSQL counts; else each process admits its share. */
export function requestLimits({ pollSql, redisNamespace, redisHealth, log }: Parts) {
  const throttle = createThrottle(60_000)
  // `redisHealth` logs faults of the connection.
  const redis =
    redisNamespace &&
    redisHealth.watch(
      connectRedis(redisNamespace, () => {}),
      'trial',
    )
  let processes = 1
  const count = async () => {
    processes = await countProcesses(pollSql).catch(() => processes)
  }
  void count()
  const counting = setInterval(count, countEveryMs)
  counting.unref()
  const store = requestWindows({
    stores: [
      ...(redis ? [{ name: 'Redis', lease: redisWindows(redis) }] : []),
      { name: 'PostgreSQL', lease: postgresWindows(pollSql) },
    ],
    local: localWindows({ processes: () => processes, nowMs: Date.now }),
    steadyMs,
    onFault(name, err) {
      if (name === 'Redis' && redisHealth.isAway()) return
      const next = name === 'Redis' ? 'PostgreSQL does' : 'each process does alone'
      const repeated = throttle(name)
      if (repeated !== null) log.warn({ err, repeated }, `${name} does not count requests: ${next}`)
    },
  })
  const limits = createLimits({ store, clock: steadyMs, nowMs: Date.now })
  return {
    limits,
    async close() {
      clearInterval(counting)
      await limits.close()
      redis?.disconnect()
    },
  }
}
