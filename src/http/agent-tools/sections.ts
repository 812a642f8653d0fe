import { Elysia } from 'elysia'
import type { Reports } from '../../actors/reports.ts'
import { trustJson } from '../../domain/receipts/trust.ts'
import { pricingJson } from '../../domain/x402/pricing.ts'
import type { Operations } from '../operation.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import { tagOf, unlessKnown } from '../response/etag.ts'
import * as Docs from './docs.ts'

// Prices change with a release and figures once a night; caches revalidate after five minutes.
const cacheControl = 'public, max-age=300'

/** `/agent-tools/sections`: what agents read about the service before they use it. */
export function sectionRoutes(operation: Operations, reports: Pick<Reports, 'trustSignals'>) {
  const pricing = pricingJson()
  const headers = readableAnywhere()
  const pricingTag = tagOf(pricing)
  return new Elysia()
    .get(
      '/agent-tools/sections/pricing.json',
      operation({ scope: null, headers, docs: Docs.getPricing }, ({ request }) =>
        unlessKnown(request, pricingTag, cacheControl, () => ({ status: 200, body: pricing })),
      ),
    )
    .get(
      '/agent-tools/sections/trust_signals.json',
      operation({ scope: null, headers, docs: Docs.getTrustSignals }, async ({ request }) => {
        const body = trustJson(await reports.trustSignals())
        return unlessKnown(request, tagOf(body), cacheControl, () => ({ status: 200, body }))
      }),
    )
}
