import { Elysia } from 'elysia'
import type { Readiness } from '../actors/readiness.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ShowWindow } from './admission/admission.ts'
import { inboundRequestId } from './operation.ts'

export type HealthParts = {
  readonly metrics: Pick<Metrics, 'text'>
  readiness(): Promise<Readiness>
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Not counted by the rate limits, so they are answered while the store of the limits is away.
 * `showWindow` adds the headers that say what is left of the caller's minute.
 */
export function healthRoutes({ metrics, readiness }: HealthParts, showWindow?: ShowWindow) {
  const headersTo = (request: Request) => {
    const headers = { 'x-request-id': inboundRequestId(request) ?? crypto.randomUUID() }
    showWindow?.(request, headers)
    return headers
  }
  const isReady = async () => (await readiness()).problems.length === 0
  return new Elysia()
    .get('/healthz', ({ request }) =>
      Response.json({ status: 'ok' }, { headers: headersTo(request) }),
    )
    .get('/readyz', async ({ request }) => {
      const found = await readiness()
      const isReady = found.problems.length === 0
      const status = isReady ? 'ready' : 'not ready'
      return Response.json(
        { status, ...found },
        { status: isReady ? 200 : 503, headers: headersTo(request) },
      )
    })
    .get('/metrics', async ({ request }) => {
      const text = await metrics.text(isReady)
      return new Response(text, {
        headers: { ...headersTo(request), 'content-type': prometheusText },
      })
    })
}

/** The health routes on a port of their own. */
export function createHealthServer(parts: HealthParts) {
  return new Elysia().use(healthRoutes(parts))
}
