import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { eventually } from '../../support/wait.ts'
import { signedPayment } from '../../support/x402-buyer.ts'
import { startUpstream, type Upstream } from '../../support/x402-upstream.ts'

/**
 * A payment that the upstream answers with 402: it still has the signed authorisation and may use
 * it later.
 */

const agentId = 'agent-7'

let node: EvmNode
let upstream: Upstream
let app: TestApp

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000n)
  upstream = await startUpstream(node)
  app = await testApp({ BASE_RPC_URL: node.url, BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' })
  await app.send('PUT', `/api/budget/${agentId}`, { limit: 2 })
})

afterEach(async () => {
  await app.stop()
  await upstream.stop()
  await node.stop()
})

function buy(headers: Record<string, string> = {}) {
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  return app.send('GET', path, undefined, { 'x-agent-id': agentId, ...headers })
}

async function budget() {
  const { spent, reserved } = (await app.send('GET', `/api/budget/${agentId}`)).json.data
  return { spent, reserved }
}

async function becomes(id: string, status: string): Promise<void> {
  await eventually(async () => {
    return (await app.send('GET', `/api/invoices/${id}`)).json.status === status
  })
}

test('a payment that the upstream refuses and then takes settles its own invoice and counts, and so does the next one', async () => {
  const unpaid = await buy()
  const first = await signedPayment(node.wallet(1), unpaid)
  upstream.behaviour = 'refuse'
  const refused = await buy(first.headers)
  expect(refused.status).toBe(402)
  expect(refused.json.invoice.id).not.toBe(unpaid.json.invoice.id)
  expect(await budget()).toEqual({ spent: 0, reserved: 0 })

  await node.transferWithAuthorization({
    from: node.wallet(1),
    to: upstream.payTo,
    usdcBase: 10_000n,
    reference: first.nonce,
  })
  await node.mine(3)
  await becomes(unpaid.json.invoice.id, 'settled')
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })

  upstream.behaviour = 'settle'
  const paid = await buy((await signedPayment(node.wallet(1), refused)).headers)
  expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, refused.json.invoice.id])
  await node.mine(3)
  await becomes(refused.json.invoice.id, 'settled')
  expect(await budget()).toEqual({ spent: 2, reserved: 0 })
}, 60_000)

test('a payment signed anew for another amount, or for longer, is not sent out under what was held for the first', async () => {
  const nonce = `0x${'7'.repeat(64)}`
  await buy()
  expect((await buy(authorized(nonce, {}))).status).toBe(402)
  const before = upstream.requests.length
  for (const other of [{ value: '5000000' }, { validBefore: '4000000000' }]) {
    const { status, json } = await buy(authorized(nonce, other))
    expect([status, json.error.code]).toEqual([409, 'INVALID_STATE'])
  }
  expect(upstream.requests.length).toBe(before)
}, 60_000)

/** The parts of a signed payment that the proxy reads. */
function authorized(nonce: string, other: { value?: string; validBefore?: string }) {
  const authorization = {
    from: node.wallet(1).address,
    to: upstream.payTo,
    value: '10000',
    validAfter: '0',
    validBefore: '3000000000',
    nonce,
    ...other,
  }
  const payload = { signature: '0x5e', authorization }
  const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload }
  return { 'x-payment': btoa(JSON.stringify(payment)) }
}
