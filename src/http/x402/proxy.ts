import { Elysia } from 'elysia'
import { longestStreamMs } from '../../domain/purchases/purchase.ts'
import { createAnswerSlots, withSlot } from '../admission/answer-slots.ts'
import type { Answer, Call, Operations } from '../operation.ts'
import type { ProxyParts } from './proxy-demand.ts'
import { demanded, demandIn } from './proxy-demand.ts'
import { proxyDocs } from './proxy-docs.ts'
import { pay } from './proxy-payment.ts'
import { orderOf, paymentOf } from './proxy-request.ts'
import { passed } from './proxy-results.ts'
import { type Forwarded, forwardFree, sendable } from './proxy-upstream.ts'

const route = '/api/x402/proxy'
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** How long an answer may be silent: the longest that Bun allows. */
const silenceSeconds = 255

// Bun's fetch runs 256 requests at once: deliveries may take 160, the chains need the rest.
const limits = {
  total: 64,
  perAccount: 32,
  maxWaitMs: 5_000,
  maxStreamMs: longestStreamMs,
  refusal: 'Too many requests through the proxy are under way',
}

/**
 * `/api/x402/proxy` (contract §11). `operation` accepts keys only: a browser sends cookies by
 * itself, and these requests may cost money.
 */
export function proxyRoutes(operation: Operations, parts: ProxyParts) {
  const options = {
    scope: 'invoices:write' as const,
    isBodyRaw: true as const,
    maxSeconds: silenceSeconds,
  }
  const slots = createAnswerSlots(limits)
  const app = new Elysia()
  for (const method of methods) {
    const docs = method !== 'HEAD' && { docs: proxyDocs(method) }
    const handle = operation({ ...options, ...docs }, async (call) => {
      const { request } = call
      const order = orderOf(request, parts.taxes)
      const payment = paymentOf(request.headers, parts.tokens, parts.readTransfer)
      const body = await sendable(request)
      return withSlot(slots, call, ({ ended }) => {
        const forwarded = { order, request, body, ended }
        return payment ? pay(call, forwarded, payment, parts) : ask(call, forwarded, parts)
      })
    })
    app.route(method, route, handle, { parse: 'none' })
  }
  return app
}

async function ask(call: Call, forwarded: Forwarded, parts: ProxyParts): Promise<Answer> {
  const response = await forwardFree(parts.egress, forwarded)
  if (response.status !== 402) return passed(call.request, response)
  return demanded(call, forwarded.order, await demandIn(response, parts), parts)
}
