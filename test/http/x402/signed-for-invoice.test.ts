import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type TestApp, testApp } from '../../support/app.ts'
import { authorizationFields, type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import { random32 } from '../../support/x402-payload.ts'

/** A payment that its payer has signed for an invoice, and that others have read. */

let node: EvmNode
let app: TestApp

const path = '/api/x402/invoice'
const order = { recipient: 'Ada Example', email: 'ada@example.com', amount: 2.5 }

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  app = await testApp({
    ROLE: 'http',
    BASE_RPC_URL: node.url,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(8).privateKey,
  })
  await node.mint(node.wallet(0).address, 100_000_000n)
})
afterAll(async () => {
  await app.stop()
  await node.stop()
})

/** The price of the paid endpoint, signed under this nonce, as its payment. */
async function signedWith(nonce: string): Promise<string> {
  const payer = node.wallet(0)
  const demand = (await app.keyless('POST', path, order)).json
  const { payment } = await signedOrder(payer, demand)
  const [{ asset, extra }] = demand.accepts
  const authorization = { ...(payment.payload.authorization as Message), nonce: nonce as Hex }
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
    domain: { name: extra.name, version: extra.version, chainId: 8453, verifyingContract: asset },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  })
  return btoa(JSON.stringify({ ...payment, payload: { signature, authorization } }))
}

type Message = Record<'from' | 'to', Hex> & Record<'value' | 'validAfter' | 'validBefore', bigint>

async function pay(nonce: string) {
  const proof = await signedWith(nonce)
  return app.keyless('POST', path, order, { 'payment-signature': proof })
}

test('buys nothing else for whoever posts it, and is not brought on chain for that', async () => {
  const wanted = {
    amount: 0.01,
    currency: 'USD',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
  }
  const { paymentDetails } = (await app.send('POST', '/v1/invoices', wanted)).json.data
  const { status, json } = await pay(paymentDetails.reference)
  expect([status, json.error]).toEqual([
    402,
    {
      code: 'PAYMENT_REQUIRED',
      message: 'The payment is signed for an invoice, which it would pay',
      status: 402,
    },
  ])
  const rows = await app.database.sql`select key from x402_payments`
  expect(rows).toHaveLength(0)
  // The same signed under a nonce that names no invoice is a payment.
  expect((await pay(random32())).status).toBe(200)
})
