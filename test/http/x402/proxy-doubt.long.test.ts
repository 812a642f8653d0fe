import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { settledByWorker } from '../../support/purchase-worker.ts'
import { findingNothing } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { signedPayment } from '../../support/x402-buyer.ts'
import { startUpstream, type Upstream } from '../../support/x402-upstream.ts'

/**
 * A payment that was accepted but whose answer was lost is sent again before the chain was checked.
 */

let node: EvmNode
let relay: RpcRelay
let upstream: Upstream
let app: TestApp

const agentId = 'agent-7'

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  relay = startRpcRelay(node.url)
  upstream = await startUpstream(node)
  app = await testApp({ ROLE: 'http', BASE_RPC_URL: relay.url })
  await node.mint(node.wallet(1).address, 1_000_000n)
  await limit(1)
})

afterEach(async () => {
  await app.stop()
  await upstream.stop()
  await relay.stop()
  await node.stop()
})

async function limit(cents: number): Promise<void> {
  await app.send('PUT', `/api/budget/${agentId}`, { limit: cents })
}

function buy(headers: Record<string, string> = {}) {
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  return app.send('GET', path, undefined, { 'x-agent-id': agentId, ...headers })
}

/** A payment whose answer is lost, and the id of its invoice. */
async function lost() {
  const { headers: payment } = await signedPayment(node.wallet(1), await buy())
  upstream.behaviour = 'settle then hang up'
  const { status, json } = await buy(payment)
  expect([status, json.error.details.payment]).toEqual([502, 'pending'])
  return { payment, id: json.error.details.invoiceId as string }
}

/**
 * Expects that the undecided purchase takes no new payment, and that a worker finds its payment on
 * chain.
 */
async function expectLeftToTheChain(id: string): Promise<void> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  expect(row?.state).toBe('unknown')
  await settledByWorker(app, node, id)
}

async function budget() {
  const { spent, reserved } = (await app.send('GET', `/api/budget/${agentId}`)).json.data
  return { spent, reserved }
}

test('a payment whose answer was lost stays the chain’s to decide when it is sent again and nobody is there', async () => {
  const { payment, id } = await lost()
  await upstream.stop()
  const again = await buy(payment)
  expect([again.status, again.json.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
  expect(again.json.error.details).toEqual({ invoiceId: id, payment: 'pending' })
  expect(await budget()).toEqual({ spent: 0, reserved: 1 })
  await expectLeftToTheChain(id)
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
}, 60_000)

test('a payment whose answer was lost stays the chain’s to decide when it is sent again and its budget is full by then', async () => {
  const { payment, id } = await lost()
  await limit(0)
  const again = await buy(payment)
  expect([again.status, again.json.error.code]).toEqual([402, 'BUDGET_EXCEEDED'])
  expect(again.json.error.details).toMatchObject({ limit: 0, invoiceId: id, payment: 'pending' })
  await expectLeftToTheChain(id)
}, 60_000)

test('a payment whose answer was lost is not asked for a second time when it is sent again and the upstream demands money', async () => {
  const { payment, id } = await lost()
  relay.misbehave(findingNothing(['eth_call'], `0x${'0'.repeat(64)}`))
  upstream.behaviour = 'refuse'
  const again = await buy(payment)
  expect([again.status, again.json.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
  expect(again.json.error.details).toEqual({
    invoiceId: id,
    payment: 'pending',
    upstreamStatus: 402,
  })
  expect(again.headers.get('x-invoice-id')).toBe(id)
  expect(await budget()).toEqual({ spent: 0, reserved: 1 })
  await expectLeftToTheChain(id)
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
}, 60_000)

test('a payment whose answer was lost keeps its hold on the budget when it is sent again and the upstream fails', async () => {
  const { payment, id } = await lost()
  relay.misbehave(findingNothing(['eth_call'], `0x${'0'.repeat(64)}`))
  upstream.behaviour = 'fail'
  const again = await buy(payment)
  expect([again.status, again.text]).toEqual([500, 'broken'])
  expect(await budget()).toEqual({ spent: 0, reserved: 1 })
  await expectLeftToTheChain(id)
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
}, 60_000)
