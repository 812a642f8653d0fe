import type { Config } from '../config/config.ts'
import { createHealthServer } from '../http/health-routes.ts'
import type { RedisStanding } from '../storage/limits/redis-standing.ts'
import type { Database } from './database.ts'
import type { Service } from './service.ts'
import { sharedReadiness } from './status.ts'

/**
 * Serves health and metrics on METRICS_PORT: the only port of a worker, and one that can be kept
 * from the public. Null if it is not set.
 */
export function serveHealth(
  config: Config,
  { pollSql }: Database,
  standing: RedisStanding,
  { metrics }: Service,
  ending: AbortSignal,
) {
  if (config.metricsPort === null) return null
  const server = createHealthServer({
    metrics,
    readiness: sharedReadiness(config, pollSql, standing, ending),
  }).listen({
    port: config.metricsPort,
    hostname: config.host,
    reusePort: false,
  })
  return {
    url: `http://localhost:${server.server?.port}`,
    stop: async () => void (await server.stop(true)),
  }
}
