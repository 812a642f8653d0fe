import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { type AskNode, perCall } from '../../support/rpc-faults.ts'
import type { RpcAnswer, RpcCall } from '../../support/rpc-relay.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import { type Seller, startSeller } from '../../support/x402-seller.ts'

/** Payments that are valid when they come and fail on chain: the service has paid the fee. */

const path = '/api/x402/invoice'
const order = { amount: 2.5 }
const priceUsdcBase = 10_000n

let seller: Seller

beforeAll(async () => {
  seller = await startSeller()
})

afterEach(async () => {
  seller.relay.behave()
  await seller.node.rpc('evm_setAutomine', [true])
})

afterAll(() => seller.stop())

/** As geth has it: gas is estimated by the newest block, without what waits for the next. */
function estimatedByNewestBlock(call: RpcCall, ask: AskNode): Promise<RpcAnswer> {
  const isEstimate = call.method === 'eth_estimateGas'
  return ask(isEstimate ? { ...call, params: [call.params[0], 'latest'] } : call)
}

async function signed(index: number): Promise<string> {
  const { json } = await seller.app.keyless('POST', path, order)
  return (await signedOrder(seller.node.wallet(index), json)).proof
}

async function pay(proof: string): Promise<number> {
  const headers = { 'payment-signature': proof }
  return (await seller.app.keyless('POST', path, order, headers)).status
}

/** How many transactions the facilitator has sent. */
async function sent(): Promise<number> {
  const { address } = seller.node.wallet(8)
  return Number(await seller.node.rpc('eth_getTransactionCount', [address, 'latest']))
}

test('of all that a payer signs at once, no more is sent than he has paid for', async () => {
  const { node, relay } = seller
  await node.mint(node.wallet(2).address, priceUsdcBase)
  const proofs = await Promise.all(Array.from({ length: 8 }, () => signed(2)))
  const before = await sent()
  relay.misbehave(perCall(estimatedByNewestBlock))
  await node.rpc('evm_setAutomine', [false])
  let isOver = false
  const answered = Promise.all(proofs.map(pay)).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await Bun.sleep(300)
    await node.mine(1)
  }
  expect((await answered).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 402)])
  expect((await sent()) - before).toBe(1)
})

test('of a payer who takes his money away meanwhile nothing more is sent, and of others it is', async () => {
  const { node, relay } = seller
  const poor = node.wallet(3).address
  await node.mint(poor, priceUsdcBase)
  const [taken, next, other] = [await signed(3), await signed(3), await signed(1)]
  const before = await sent()
  relay.misbehave(
    perCall(async (call, ask) => {
      if (call.method === 'eth_sendRawTransaction')
        await node.transfer({ from: poor, to: node.wallet(4).address, usdcBase: priceUsdcBase })
      return ask(call)
    }),
  )
  expect(await pay(taken)).toBe(202)
  relay.behave()
  await node.mint(poor, 10n * priceUsdcBase)
  expect([await pay(next), await pay(other)]).toEqual([402, 200])
  expect((await sent()) - before).toBe(2)
  // What has been sent may still be brought on chain: it is not asked for again.
  expect(await pay(taken)).toBe(202)
})
