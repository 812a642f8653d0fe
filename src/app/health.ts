import type { createReadiness } from '../actors/readiness.ts'
import type { Config } from '../config/config.ts'
import { createHealthServer } from '../http/health-routes.ts'
import { listen } from '../http/listen.ts'
import type { Service } from './service.ts'

/** Serves health and metrics on METRICS_PORT, the only port of a worker; null if it is not set. */
export function serveHealth(
  config: Config,
  { metrics }: Service,
  readiness: ReturnType<typeof createReadiness>,
) {
  if (config.metricsPort === null) return null
  const server = listen(createHealthServer({ metrics, readiness }), {
    hostname: config.host,
    port: config.metricsPort,
    variable: 'METRICS_PORT',
  })
  return {
    url: `http://localhost:${server.server?.port}`,
    stop: async () => void (await server.stop(true)),
  }
}
