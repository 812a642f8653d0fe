import { Elysia } from 'elysia'
import type { Mandates } from '../../actors/mandates.ts'
import type { Reports } from '../../actors/reports.ts'
import { trustJson } from '../../domain/receipts/trust.ts'
import type { Gate } from '../admission/gate.ts'
import type { Operations } from '../operation.ts'
import { tagOf, unlessKnown } from '../response/etag.ts'
import * as Docs from './docs.ts'
import { paidEndpoints } from './endpoints.ts'
import type { HostCheck } from './hosts.ts'
import { mcpRoute } from './mcp.ts'
import { agentTools, pricesOf } from './tools.ts'

type Parts = Parameters<typeof paidEndpoints>[0] & {
  readonly log: Gate['log']
  readonly mandates: Mandates
  readonly reports: Pick<Reports, 'trustSignals'>
  readonly checkHost: HostCheck
}

// Prices change with a release and figures once a night; caches revalidate after five minutes.
const cacheControl = 'public, max-age=300'

/** `/agent-tools`: the tool server, and what agents read about the service before they use it. */
export function agentRoutes(operations: { rpc: Operations; api: Operations }, parts: Parts) {
  const { log, mandates, reports, checkHost } = parts
  const tools = agentTools({ mandates, reports, paid: paidEndpoints(parts) })
  const pricing = pricesOf(tools)
  const pricingTag = tagOf(pricing)
  const open = { scope: null } as const
  return new Elysia()
    .use(mcpRoute(operations.rpc, { log, checkHost, tools }))
    .get(
      '/agent-tools/sections/pricing.json',
      operations.api({ ...open, docs: Docs.getPricing }, ({ request }) =>
        unlessKnown(request, pricingTag, cacheControl, () => ({ status: 200, body: pricing })),
      ),
    )
    .get(
      '/agent-tools/sections/trust_signals.json',
      operations.api({ ...open, docs: Docs.getTrustSignals }, async ({ request }) => {
        const body = trustJson(await reports.trustSignals())
        return unlessKnown(request, tagOf(body), cacheControl, () => ({ status: 200, body }))
      }),
    )
}
