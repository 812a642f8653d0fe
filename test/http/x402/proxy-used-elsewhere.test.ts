import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { findingNothing } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { signedPayment } from '../../support/x402-buyer.ts'
import { startUpstream, type Upstream } from '../../support/x402-upstream.ts'

/** A payment whose authorization has been used up before it was forwarded, which is refused. */

let node: EvmNode
let relay: RpcRelay
let upstream: Upstream
let app: TestApp

let agentId: string

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  relay = startRpcRelay(node.url)
  upstream = await startUpstream(node)
  app = await testApp({ ROLE: 'http', BASE_RPC_URL: relay.url })
  await node.mint(node.wallet(1).address, 1_000_000n)
})

beforeEach(async () => {
  relay.behave()
  agentId = crypto.randomUUID()
  await app.send('PUT', `/api/budget/${agentId}`, { limit: 1 })
})

afterAll(async () => {
  await app.stop()
  await upstream.stop()
  await relay.stop()
  await node.stop()
})

function buy(headers: Record<string, string> = {}) {
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  return app.send('GET', path, undefined, { 'x-agent-id': agentId, ...headers })
}

/** Signs a payment, and sends it after its nonce has been used to pay this wallet this much. */
async function buyUsed(wallet: number, usdcBase: bigint) {
  const { headers, nonce: reference } = await signedPayment(node.wallet(1), await buy())
  const to = node.wallet(wallet).address
  await node.transferWithAuthorization({ from: node.wallet(1), to, usdcBase, reference })
  return buy(headers)
}

async function spent(): Promise<number> {
  return (await app.send('GET', `/api/budget/${agentId}`)).json.data.spent
}

test.each([
  ['somebody else', 4, 10_000n],
  ['less', 5, 9_999n],
])(
  'a payment whose nonce has paid %s is not said to be taken, and is not counted',
  async (_, wallet, usdcBase) => {
    const answer = await buyUsed(wallet, usdcBase)
    expect([answer.status, answer.json.invoice?.status]).toEqual([402, 'sent'])
    expect(await spent()).toBe(0)
  },
)

test('a payment whose nonce was used is said to be taken where no node shows by what', async () => {
  relay.misbehave(findingNothing(['eth_getLogs'], []))
  const answer = await buyUsed(4, 10_000n)
  expect([answer.status, answer.json.error.details?.payment]).toEqual([502, 'taken'])
  expect(await spent()).toBe(1)
})
