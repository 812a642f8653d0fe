import { Elysia } from 'elysia'
import type { KeptAnswer } from '../../domain/purchases/delivery.ts'
import { longestStreamMs } from '../../domain/purchases/purchase.ts'
import { createAnswerSlots, withSlot } from '../admission/answer-slots.ts'
import type { Answer, Call, Operations } from '../operation.ts'
import type { ProxyParts } from './proxy-demand.ts'
import { demanded, demandIn } from './proxy-demand.ts'
import { proxyDocs } from './proxy-docs.ts'
import { pay, sendAgain } from './proxy-payment.ts'
import { bodyIn, orderOf, paymentOf } from './proxy-request.ts'
import { passed } from './proxy-results.ts'
import { type Forwarded, forwardFree } from './proxy-upstream.ts'

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
 * An agent buys (contract §11):
 * 1. A request without a payment goes to the upstream as it is, and so does its answer.
 * 2. Where that is a demand of x402, `actors/purchases/asking.ts` finds or makes a quote with its
 *    invoice, and the caller gets the 402 with both.
 * 3. The same request with a payment: `actors/purchases/forwarding.ts` claims it for the quote, and
 *    holds budget and mandate, before anything is forwarded.
 * 4. The payment is forwarded to its end; the answer is recorded, handed over, and witnessed.
 * 5. `actors/purchases/outcome.ts` follows the payment on chain, settles it, or ends the hold.
 *
 * A request under an `Idempotency-Key` that has bought gets what it bought, at any step.
 * `operation` accepts keys only: a browser sends cookies by itself, and these requests cost money.
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
    const handle = operation({ ...options, ...docs }, (call) =>
      withSlot(slots, call, async ({ ended }) => {
        const { request } = call
        const sent = paymentOf(request.headers, parts.tokens, parts.readTransfer)
        const body = await bodyIn(request)
        const order = orderOf(request, body, parts.taxes)
        const forwarded = { order, request, body, ended }
        const before = await boughtBefore(call, forwarded, parts)
        if (before) return before
        return sent ? pay(call, forwarded, sent, parts) : ask(call, forwarded, parts)
      }),
    )
    app.route(method, route, handle, { parse: 'none' })
  }
  return app
}

async function ask(call: Call, forwarded: Forwarded, parts: ProxyParts): Promise<Answer> {
  const response = await forwardFree(parts.egress, forwarded)
  if (response.status !== 402) return passed(call.request, response)
  return demanded(call, forwarded.order, await demandIn(response, parts), parts)
}

/** What an `Idempotency-Key` has bought: its first answer, or that to the first payment again. */
async function boughtBefore(
  call: Call,
  forwarded: Forwarded,
  parts: ProxyParts,
): Promise<Answer | null> {
  const { idempotencyKey, resource } = forwarded.order
  if (idempotencyKey === null) return null
  const { accountId } = call.principal
  const bought = await parts.purchases.boughtUnder(accountId, idempotencyKey, resource)
  if (!bought) return null
  const { purchase, answer } = bought
  return answer ? kept(answer) : sendAgain(call, forwarded, purchase, parts)
}

function kept({ status, headers, body }: KeptAnswer): Answer {
  return {
    status,
    body: new Uint8Array(body),
    headers: { ...headers, 'idempotent-replayed': 'true' },
  }
}
