import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { EvmNode } from '../../support/evm-node.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import { demandIn, expectOneSale, path } from '../../support/x402-seller.ts'
import { officialFacilitator } from '../../support/x402-upstream.ts'

/** A remote facilitator, built with the official package, that settles on Base only. */

const network = 'eip155:8453'

let facilitator: Bun.Server<undefined>
const asked: string[] = []
/** Members that its answer about a settlement adds or overrides. */
let told = {}
/** The HTTP status of its answer about an invalid payment. */
let invalidStatus = 200

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env({ node }) {
    facilitator = startFacilitator(node)
    const wallet = node.wallet(3).address
    return {
      ROLE: 'http',
      POLYGON_RPC_URL: node.url,
      POLYGON_WALLET: wallet,
      BASE_WALLET: wallet,
      X402_FACILITATOR_URL: facilitator.url.href,
    }
  },
})

// The service knows what the facilitator settles once it has asked it.
beforeAll(() => eventually(async () => asked.includes('/supported')))
afterAll(() => facilitator.stop(true))

function startFacilitator(node: EvmNode): Bun.Server<undefined> {
  const settling = officialFacilitator(node)
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      if (pathname === '/supported') return Response.json(settling.getSupported())
      const { paymentPayload, paymentRequirements } = (await request.json()) as never
      const outcome =
        pathname === '/verify'
          ? await settling.verify(paymentPayload, paymentRequirements)
          : { ...(await settling.settle(paymentPayload, paymentRequirements)), ...told }
      const status = 'isValid' in outcome && !outcome.isValid ? invalidStatus : 200
      return Response.json(outcome, { status })
    },
  })
}

async function aPayment(): Promise<string> {
  const demand = demandIn(await app.keyless('POST', path, {}))
  return (await signedOrder(node.wallet(1), demand)).proof
}

function pay(proof: string) {
  return app.keyless('POST', path, {}, { 'payment-signature': proof })
}

test('only what it settles is offered', async () => {
  const demand = demandIn(await app.keyless('POST', path, {}))
  expect(demand.accepts.map((one: { network: string }) => one.network)).toEqual([network])
})

test('five copies of one payment at once are settled once, and deliver one thing', async () => {
  const before = await node.balanceOf(node.wallet(1).address)
  const proof = await aPayment()
  await expectOneSale(() => pay(proof))
  expect(before - (await node.balanceOf(node.wallet(1).address))).toBe(10_000n)
  expect(asked.filter((one) => one === '/settle')).toHaveLength(1)
})

test.each([
  [{ transaction: 'pending' }],
  [{ success: false, errorReason: 'later', transaction: 'pending' }],
  [{ success: false, errorReason: 'later', transaction: '5'.repeat(88) }],
])('what it settles and tells as %j is found on chain', async (said) => {
  told = said
  const paid = await pay(await aPayment())
  told = {}
  expect(paid.status).toBe(200)
  const { transaction } = JSON.parse(atob(paid.headers.get('payment-response') ?? ''))
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
})

async function payInvalid() {
  const payload = JSON.parse(Buffer.from(await aPayment(), 'base64').toString())
  payload.payload.signature = `0x${'11'.repeat(65)}`
  return pay(JSON.stringify(payload))
}

test.each([200, 400, 402, 422])(
  'a payment that it finds invalid, and says so with %i, is refused with a fresh demand, and not settled',
  async (status) => {
    invalidStatus = status
    const settled = asked.filter((one) => one === '/settle').length
    const refused = await payInvalid()
    expect([refused.status, refused.json.accepts.length]).toEqual([402, 1])
    expect(asked.filter((one) => one === '/settle')).toHaveLength(settled)
  },
)

test.each([429, 503])(
  'a facilitator that answers %i has not looked at the payment: nothing is said about it',
  async (status) => {
    invalidStatus = status
    const unsaid = await payInvalid()
    expect([unsaid.status, unsaid.headers.get('retry-after')]).toEqual([503, '5'])
  },
)
