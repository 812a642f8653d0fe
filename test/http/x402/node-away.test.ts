import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { perCall, refusal, saying } from '../../support/rpc-faults.ts'
import type { Fault } from '../../support/rpc-relay.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import { type Seller, startSeller } from '../../support/x402-seller.ts'

/** If a node fails while a payment is verified, that says nothing about the payment. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }

let seller: Seller

beforeAll(async () => {
  seller = await startSeller()
})

afterEach(() => seller.relay.behave())

afterAll(async () => {
  await seller.stop()
})

async function signed() {
  const { json } = await seller.app.keyless('POST', path, order)
  const { proof } = await signedOrder(seller.payer, json)
  return () => seller.app.keyless('POST', path, order, { 'payment-signature': proof })
}

/** Applies the fault to requests with this method; others are answered. */
function onlyTo(method: string, fault: Fault): Fault {
  const answered = perCall((call, ask) => ask(call))
  return (request, forward) =>
    (request.some((call) => call.method === method) ? fault : answered)(request, forward)
}

test.each([
  ['eth_getCode', 'HTTP 429', saying('', { status: 429 })],
  ['eth_getCode', 'a refusal of its own', refusal(-32601, 'method not found')],
  ['eth_call', 'HTTP 502', saying('bad gateway', { status: 502 })],
  ['eth_call', 'too many requests', refusal(-32005, 'too many requests')],
] as const)(
  '%s answered by %s is 503, and the same payment buys later',
  async (method, _, fault) => {
    const pay = await signed()
    seller.relay.misbehave(onlyTo(method, fault))
    const { status, headers, json } = await pay()
    expect([status, headers.get('retry-after'), json.error.code]).toEqual([
      503,
      '5',
      'SERVICE_UNAVAILABLE',
    ])
    seller.relay.behave()
    // A node that limits our rate rests for a while, and the service answers 503 meanwhile.
    while ((await pay()).status === 503) await Bun.sleep(250)
    expect((await pay()).status).toBe(200)
  },
)
