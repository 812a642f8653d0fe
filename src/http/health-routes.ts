import { Elysia } from 'elysia'
import { inboundRequestId } from './operation.ts'

export type HealthParts = {
  readonly metrics: { text(): Promise<string> }
  readiness(): Promise<Readiness>
}

export type Readiness = {
  /** Why nothing can be served; empty means ready. */
  readonly problems: readonly string[]
  /** What an operator should know and callers can live with. */
  readonly notes: readonly string[]
  readonly chains: readonly ChainStanding[]
}

/** How one chain is watched. Ages in milliseconds; null: not known, as it was never looked at. */
export type ChainStanding = {
  readonly chain: string
  /** Whether it has an RPC URL. */
  readonly configured: boolean
  /** Whether its watcher, in whatever process, has stepped well lately. */
  readonly watched: boolean
  readonly pollAgeMs: number | null
  readonly headAgeMs: number | null
  readonly behindBlocks: number | null
  /** In which way the last step failed; null when it did not. */
  readonly fault: string | null
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

/** Is it up, can it work, and how is it doing. None of these are counted by the rate limits: they answer when their store does not. */
export function healthRoutes({ metrics, readiness }: HealthParts) {
  const headersTo = (request: Request) => ({
    'x-request-id': inboundRequestId(request) ?? crypto.randomUUID(),
  })
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
      const text = await metrics.text()
      return new Response(text, {
        headers: { ...headersTo(request), 'content-type': prometheusText },
      })
    })
}

/** The same on a port of their own. */
export function createHealthServer(parts: HealthParts) {
  return new Elysia().use(healthRoutes(parts))
}
