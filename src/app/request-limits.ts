import { createLimits } from '../http/admission/limits.ts'
import type { RedisPlace } from '../storage/limits/redis-place.ts'
import type { RedisStanding } from '../storage/limits/redis-standing.ts'
import { postgresWindows } from '../storage/limits/request-windows.ts'
import { createMirror } from '../storage/limits/request-windows-mirror.ts'
import {
  companyOn,
  connectRedis,
  firstThat,
  redisWindows,
} from '../storage/limits/request-windows-redis.ts'
import type { Sql } from '../storage/postgres/db.ts'
import type { Log } from '../telemetry/log.ts'
import { steadyMs } from './clock.ts'

const mirrorEveryMs = 60_000

type Stores = {
  readonly pollSql: Sql
  readonly redisPlace: RedisPlace | null
  readonly standing: RedisStanding
  readonly log: Log
}

/**
 * The rate limits. Requests are counted in Redis and mirrored to PostgreSQL, which counts them
 * where there is no Redis, or while it is away.
 */
export function requestLimits({ pollSql, redisPlace, standing, log }: Stores) {
  const onFault = (error: unknown) => log.warn({ err: error }, 'a background task failed')
  const onRedisFault = (error: unknown) => {
    if (!standing.isAway())
      log.warn({ err: error }, 'Redis does not count requests: PostgreSQL does')
  }
  // What goes wrong with the connection is logged by `standing`.
  const redis =
    redisPlace &&
    standing.watch(
      connectRedis(redisPlace, () => {}),
      'trial',
    )
  const counts = postgresWindows(pollSql)
  const mirror = createMirror(counts, onFault)
  const mirroring = setInterval(mirror.write, mirrorEveryMs)
  mirroring.unref()
  const store = redis
    ? firstThat(
        redisWindows(redis, mirror),
        counts,
        steadyMs,
        onRedisFault,
        companyOn(pollSql, mirror, onFault),
      )
    : counts
  const limits = createLimits({ store, clock: steadyMs })
  return {
    limits,
    async close() {
      clearInterval(mirroring)
      await Promise.all([limits.close(), mirror.write()])
      redis?.disconnect()
    },
  }
}
