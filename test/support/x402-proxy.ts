import { afterAll, beforeEach } from 'bun:test'
import type { Answer, TestApp } from './app.ts'
import { purchasesIn } from './bought.ts'
import { usdcOnBase } from './evm-node.ts'
import { aMandate } from './mandates.ts'
import { useWorld, type Wants } from './world.ts'
import { signedPayment } from './x402-buyer.ts'
import { unsignedPayload } from './x402-payload.ts'

type Headers = Readonly<Record<string, string>>

/** The path by which the proxy sends a request on to `url`. */
export function through(url: string): string {
  return `/api/x402/proxy?url=${encodeURIComponent(url)}`
}

/** How the account of `app` buys through the proxy. */
export function buyerIn(app: TestApp) {
  const { invoice, becomes } = purchasesIn(app)

  function buy(url: string, headers: Headers = {}): Promise<Answer> {
    return app.send('GET', through(url), undefined, headers)
  }

  /** Sets an agent's budget; by default a new agent's. Answers the agent's id. */
  async function allow(limit: number, agentId = `agent ${crypto.randomUUID()}`): Promise<string> {
    await app.send('PUT', `/api/budget/${encodeURIComponent(agentId)}`, { limit })
    return agentId
  }

  async function budgetOf(agentId: string) {
    const { json } = await app.send('GET', `/api/budget/${encodeURIComponent(agentId)}`)
    const { spent, reserved } = json.data
    return { spent, reserved }
  }

  /** The id of a mandate over `amount`, which both parties have signed. */
  async function agreedFor(amount: string, currency = 'USDC'): Promise<string> {
    return (await aMandate(app, undefined, undefined, { amount, currency })).id
  }

  /** What the payments bound to a mandate amount to, in millionths. */
  async function boundTo(mandateId: string): Promise<number> {
    const [row] = await app.database.sql<{ bound: number }[]>`
      select bound_micro::integer as bound from mandates where id = ${mandateId}`
    return row?.bound ?? Number.NaN
  }

  return { buy, invoice, becomes, allow, budgetOf, agreedFor, boundTo }
}

/** The id of the invoice that an answer names. */
export function idIn({ headers }: Pick<Answer, 'headers'>): string {
  return headers.get('x-invoice-id') ?? ''
}

/**
 * A world with an official upstream on Base that sells for 0.01 USDC; wallet 1 buys. Before each
 * test the upstream settles, and the node answers.
 */
export function useShop(wants: Wants = {}) {
  const world = useWorld({ chains: ['base'], funded: [1], upstream: true, ...wants })
  beforeEach(() => {
    world.upstream.behaviour = 'settle'
    world.upstream.handOver = null
    if (wants.relayed) world.relay.behave()
  })
  let made = 0
  return {
    ...world,
    ...buyerIn(world.app),
    /** A URL of the resource that was not requested before. */
    aResource: () => `${world.upstream.url}?n=${made++}`,
    /** The headers of a payment for a 402. */
    sign: async (unpaid: Pick<Answer, 'headers'>) =>
      (await signedPayment(world.node.wallet(1), unpaid)).headers,
  }
}

/** A server that answers as `fetch` does. It stops after the file's tests. */
export function useServer(fetch: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  afterAll(() => server.stop(true))
  return server
}

/** A payment of 0.01 USDC on Base that an upstream accepts. */
export const option = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: usdcOnBase,
  amount: '10000',
  payTo: `0x${'5e'.repeat(20)}`,
}

/** The `PAYMENT-REQUIRED` of an upstream that accepts these payments. */
export function requiring(accepts: readonly object[], more: object = {}): string {
  return btoa(JSON.stringify({ x402Version: 2, ...more, accepts }))
}

/** The 402 of an upstream that accepts these payments. */
export function demand(accepts: readonly object[] = [option]): Response {
  return new Response('{}', { status: 402, headers: { 'payment-required': requiring(accepts) } })
}

/** A new payment for `option`, for upstreams that check no signature. */
export function aPayment(): Record<string, string> {
  const payload = unsignedPayload(option.payTo, option.amount)
  return {
    'payment-signature': btoa(JSON.stringify({ x402Version: 2, accepted: option, payload })),
  }
}
