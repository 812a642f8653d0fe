import { afterAll, beforeAll, expect, test } from 'bun:test'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { encodeFunctionData, type Hex, parseAbi, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { paywall } from '../../../src/app/x402.ts'
import { readConfig } from '../../../src/config.ts'
import { loadSecrets } from '../../../src/secrets.ts'
import { type TestApp, testApp, testEnv } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'

/** Payments of which nobody has told what they came to, when many blocks have been made since. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }
const maxRangeBlocks = 10

let node: EvmNode
let app: TestApp

/** Its answers are lost, and it does nothing. */
const facilitator = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.url.endsWith('/verify')) return Response.json({ isValid: true })
    return new Response('lost', { status: 502 })
  },
})

const payer = () => node.wallet(1)
const service = () => ({
  ROLE: 'http',
  BASE_RPC_URL: node.url,
  BASE_MAX_RANGE_BLOCKS: `${maxRangeBlocks}`,
  X402_FACILITATOR_URL: facilitator.url.href,
})

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(payer().address, 1_000_000n)
  app = await testApp(service())
})

afterAll(async () => {
  await facilitator.stop(true)
  await app.stop()
  await node.stop()
})

type Authorization = { readonly nonce: Hex; readonly to: Hex; readonly value: string }

/** A payment whose settlement was asked for and never answered. */
async function pending() {
  const { json } = await app.keyless('POST', path, order)
  const client = new x402Client()
  client.register('eip155:*', new ExactEvmScheme(privateKeyToAccount(payer().privateKey)))
  const payment = await client.createPaymentPayload({ ...json, error: undefined })
  const { authorization } = payment.payload as { authorization: Authorization }
  const proof = Buffer.from(JSON.stringify(payment)).toString('base64')
  const pay = async () => {
    const answer = await app.keyless('POST', path, order, { 'payment-signature': proof })
    return answer.status
  }
  expect(await pay()).toBe(202)
  return { authorization, pay }
}

function settle({ nonce, to, value }: Authorization): Promise<Hex> {
  const reference = toHex(BigInt(nonce), { size: 32 })
  return node.transferWithAuthorization({ from: payer(), to, usdcBase: BigInt(value), reference })
}

/** Its payer makes the authorization worthless, which the token remembers as it does a use. */
async function cancel({ nonce }: Authorization): Promise<void> {
  const signature = await privateKeyToAccount(payer().privateKey).signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: node.usdc },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer().address, nonce },
  })
  const data = encodeFunctionData({
    abi: parseAbi([
      'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
    ]),
    args: [payer().address, nonce, signature],
  })
  await node.send({ from: node.wallet(2).address, to: node.usdc, data })
}

test('a payment whose answer was lost is found after an outage of any length', async () => {
  const { authorization, pay } = await pending()
  await settle(authorization)
  await node.mine(5 * maxRangeBlocks)
  expect(await pay()).toBe(200)
})

test('an authorization that its payer has cancelled buys nothing', async () => {
  const { authorization, pay } = await pending()
  await cancel(authorization)
  await node.mine(5 * maxRangeBlocks)
  expect(await pay()).toBe(402)
})

test('a payment is looked for however many older ones cannot be', async () => {
  const { authorization, pay } = await pending()
  await settle(authorization)
  const { sql } = app.database
  await sql`update x402_payments set created_at = now() - interval '1 hour' where state = 'pending'`
  await sql`
    insert into x402_payments (key, network, payer, proof_hash, request_hash, state, valid_before, created_at)
    select 'polygon:authorization:' || number, 'polygon', 'nobody', '', '', 'pending', now(),
      date_trunc('second', now()) - interval '2 hours'
    from generate_series(1, 150) as number`
  const config = readConfig(testEnv(app.database.url, service()))
  const { reconcile } = paywall({ config, secrets: await loadSecrets(config), sql })
  for (let sweep = 0; sweep < 3; sweep++) await reconcile()
  const open = await sql`select from x402_payments where network = 'base' and state = 'pending'`
  expect(open).toHaveLength(0)
  expect(await pay()).toBe(200)
})
