import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { serviceAccountId } from '../../../src/domain/accounts/account.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { eventually } from '../../support/wait.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'

/**
 * A facilitator whose answers are lost: the payments it was asked to settle may be on chain or not.
 */

let node: EvmNode
let app: TestApp
let settleRequests = 0
/** The facilitator does not answer before this resolves. */
let silence = Promise.resolve()

const facilitator = Bun.serve({
  port: 0,
  async fetch(request) {
    if (request.url.endsWith('/verify')) return Response.json({ isValid: true })
    if (request.url.endsWith('/settle')) settleRequests++
    await silence
    return new Response('lost', { status: 502 })
  },
})

const path = '/api/x402/invoice'
const order = { amount: 2.5 }
const payer = () => node.wallet(0)

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(payer().address, 1_000_000n)
  app = await testApp({
    ROLE: 'http',
    BASE_RPC_URL: node.url,
    BASE_WALLET: node.wallet(3).address,
    X402_FACILITATOR_URL: `http://localhost:${facilitator.port}`,
  })
})

afterAll(async () => {
  await facilitator.stop(true)
  await app.stop()
  await node.stop()
})

test('a settlement without an answer is pending, found on chain, and never asked for again', async () => {
  const { payment, pay } = await signed()
  for (const answer of [await pay(), await pay()]) {
    expect(answer.status).toBe(202)
    expect(answer.json).toMatchObject({ status: 'settlement_pending', network: 'base' })
  }
  expect(settleRequests).toBe(1)

  const txHash = await settleOnChain(payment.payload)
  const answers = await Promise.all([pay(), pay(), pay()])
  const delivered = answers.filter(({ status }) => status === 200)
  expect(delivered.length).toBeGreaterThan(0)
  const again = await pay()
  expect(new Set([again, ...delivered].map(({ text }) => text)).size).toBe(1)
  const receipt = again.headers.get('payment-response') ?? ''
  expect(JSON.parse(Buffer.from(receipt, 'base64').toString()).transaction).toBe(txHash)
  const made = await app.database.sql`
    select from invoices where account_id = ${serviceAccountId}`
  expect(made).toHaveLength(1)
})

test.each<[string, { to?: string; usdcBase?: bigint }]>([
  ['to the payer himself', { to: '0x00000000000000000000000000000000000000bb' }],
  ['of less', { usdcBase: 1n }],
])('an authorization that its payer has used up for a payment %s buys nothing', async (_, over) => {
  const { payment, pay } = await signed()
  expect((await pay()).status).toBe(202)
  await settleOnChain(payment.payload, over)
  const refused = await pay()
  expect([refused.status, refused.json.error.code]).toEqual([402, 'PAYMENT_REQUIRED'])
})

test('a copy of a payment that is being settled is told to ask again, not that it bought something else', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  silence = promise
  const { pay } = await signed()
  const before = settleRequests
  const first = pay()
  await eventually(async () => settleRequests > before, 20_000)
  const copy = await pay()
  const other = await pay({ amount: 3 })
  resolve()
  expect([copy.status, copy.json.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(copy.headers.get('retry-after')).toBe('1')
  expect([other.status, other.json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
  expect((await first).status).toBe(202)
})

/** A payment signed by the official client. Each call of `pay` sends it. */
async function signed() {
  const { json, headers } = await app.keyless('POST', path, order)
  expect(headers.get('payment-required')).not.toBeNull()
  const { payment, proof } = await signedOrder(payer(), json)
  const pay = (body: object = order) =>
    app.keyless('POST', path, body, { 'payment-signature': proof })
  return { payment, pay }
}

/**
 * Settles as the facilitator would have. With `over` it is another payment, signed with the same
 * nonce.
 */
function settleOnChain(
  payload: Record<string, unknown>,
  over: { to?: string; usdcBase?: bigint } = {},
): Promise<Hex> {
  return node.transferWithAuthorization({ ...permittedBy(payer(), { payload }), ...over })
}
