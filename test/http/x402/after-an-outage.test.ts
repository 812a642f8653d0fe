import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { startLostFacilitator } from '../../support/lost-facilitator.ts'
import { paywallOf } from '../../support/paywall.ts'
import { refusal } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'

/** Payments with an unknown outcome, after many blocks. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }
const maxRangeBlocks = 10

let node: EvmNode
let relay: RpcRelay
let app: TestApp

const facilitator = startLostFacilitator()

const payer = () => node.wallet(1)
const service = () => ({
  ROLE: 'http',
  BASE_RPC_URL: relay.url,
  BASE_MAX_RANGE_BLOCKS: `${maxRangeBlocks}`,
  X402_FACILITATOR_URL: facilitator.url.href,
})

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  relay = startRpcRelay(node.url)
  await node.mint(payer().address, 1_000_000n)
  app = await testApp(service())
})

afterAll(async () => {
  await facilitator.stop(true)
  await app.stop()
  await relay.stop()
  await node.stop()
})

/** A payment whose settlement was requested and never answered. */
async function pending() {
  const { json } = await app.keyless('POST', path, order)
  const { payment, proof } = await signedOrder(payer(), json)
  const pay = async () => {
    const answer = await app.keyless('POST', path, order, { 'payment-signature': proof })
    return answer.status
  }
  expect(await pay()).toBe(202)
  return { permitted: permittedBy(payer(), payment), pay }
}

test('a payment whose answer was lost is found after an outage of any length', async () => {
  const { permitted, pay } = await pending()
  await node.transferWithAuthorization(permitted)
  await node.mine(5 * maxRangeBlocks)
  expect(await pay()).toBe(200)
})

test('a payment with a transaction on record that no block has is found by its nonce', async () => {
  const { permitted, pay } = await pending()
  const txHash = `0x${'7'.repeat(64)}`
  await app.database.sql`update x402_payments set tx_hash = ${txHash} where state = 'pending'`
  await node.transferWithAuthorization(permitted)
  expect(await pay()).toBe(200)
})

test('an authorization that its payer has cancelled buys nothing', async () => {
  const { permitted, pay } = await pending()
  await node.cancelAuthorization(payer(), permitted.reference)
  await node.mine(5 * maxRangeBlocks)
  expect(await pay()).toBe(402)
})

/**
 * Reconciles the pending payments without their buyers, as a sweep does long after they were
 * claimed.
 */
async function reconciled(): Promise<void> {
  await app.database
    .sql`update x402_payments set created_at = created_at - interval '1 hour' where state = 'pending' and network = 'base'`
  const { reconcile } = await paywallOf(app.database, service())
  for (let sweep = 0; sweep < 3; sweep++) await reconcile()
}

test('what was found to be paid without its buyer is delivered also where no node can be asked any more', async () => {
  const { permitted, pay } = await pending()
  await node.transferWithAuthorization(permitted)
  await reconciled()
  relay.misbehave(refusal(-32_000, 'out of order'))
  const answer = await pay()
  relay.behave()
  expect(answer).toBe(200)
})

/** Enough for the cheapest resource, but less than the price of this one. */
const lessUsdcBase = 5_000n

test('what was paid for less than its price is not taken for paid, whoever looks', async () => {
  const { permitted } = await pending()
  await node.transferWithAuthorization({ ...permitted, usdcBase: lessUsdcBase })
  await reconciled()
  const { sql } = app.database
  const claims = await sql`select from x402_payments where key like ${`%${permitted.reference}`}`
  expect(claims).toHaveLength(0)
})

test('a payment is looked for however many older ones cannot be', async () => {
  const { permitted, pay } = await pending()
  await node.transferWithAuthorization(permitted)
  const { sql } = app.database
  await sql`
    insert into x402_payments (key, network, payer, payment_hash, request_hash, usdc_base, pay_to, asset, state, valid_before, created_at)
    select 'polygon:authorization:' || number, 'polygon', 'nobody', '', '', 1, '', '', 'pending', now(),
      date_trunc('second', now()) - interval '2 hours'
    from generate_series(1, 150) as number`
  await reconciled()
  const open = await sql`select from x402_payments where network = 'base' and state = 'pending'`
  expect(open).toHaveLength(0)
  expect(await pay()).toBe(200)
})
