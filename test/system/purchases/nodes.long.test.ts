import { afterEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { useUpstream } from '../../support/bought.ts'
import { behindAt } from '../../support/lagging-node.ts'
import { findingNothing, perCall, withoutLogs } from '../../support/rpc-faults.ts'
import { type Fault, type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'

/**
 * Purchases with three nodes: the first, which is asked first, lacks something. The two others show
 * what settles.
 */

let others: readonly RpcRelay[]
const {
  app,
  node,
  upstream,
  relay: first,
  ...purchases
} = useUpstream({
  relayed: true,
  env: ({ node, relay }) => {
    others = [startRpcRelay(node.url), startRpcRelay(node.url)]
    return { BASE_RPC_URL: [relay, ...others].map(({ url }) => url).join() }
  },
})
const { buy, becomes, statesOf, reaches, looked } = purchases

afterEach(() => Promise.all(others.map((one) => one.stop())))

/** Waits until the purchase is settled, or its payment can no longer come. */
const ends = (id: string) => reaches(id, 'settled', 'replaced')

async function head(): Promise<number> {
  return Number(await node.rpc<Hex>('eth_blockNumber'))
}

/** The first node stops at a block older than the newest one the service has seen. */
async function firstStandsStill(): Promise<void> {
  await node.mine(10)
  const { id } = await buy('settle')
  await node.mine(2)
  await becomes(id, 'settled')
  first.misbehave(behindAt((await head()) - 8))
}

/** A node that has the blocks but has not processed their receipts and logs. */
const unknowing: Fault = perCall((call, ask) => {
  const nothing = { eth_getTransactionReceipt: null, eth_getLogs: [] }[call.method]
  return nothing === undefined ? ask(call) : { id: call.id, result: nothing }
})

/** Lets every payment signed so far expire. */
async function longAfter(): Promise<void> {
  await node.rpc('evm_increaseTime', [3_600])
  await node.mine(3)
}

test.each(['settle', 'settle then hang up'] as const)(
  'a purchase (%s) does not lapse by the word of a node that has not come as far as the payment’s end',
  async (behaviour) => {
    await firstStandsStill()
    const { id } = await buy(behaviour)
    await longAfter()
    await ends(id)
    expect(await statesOf(id)).toEqual(['settled', 'settled'])
  },
)

test('a purchase whose payment was used is settled by what another node knows of the transaction', async () => {
  first.misbehave(findingNothing(['eth_getTransactionReceipt']))
  const { id } = await buy('settle')
  await longAfter()
  await ends(id)
  expect(await statesOf(id)).toEqual(['settled', 'settled'])
})

test('a purchase whose payment was used is settled though a node shows the transaction without what it pays', async () => {
  first.misbehave(withoutLogs())
  const { id } = await buy('settle then hang up')
  await longAfter()
  await ends(id)
  expect(await statesOf(id)).toEqual(['settled', 'settled'])
})

test.each([
  ['shows the transaction', findingNothing(['eth_getTransactionReceipt'])],
  ['tells which transaction it was', unknowing],
])('a purchase whose payment was used does not lapse while no node %s', async (_, fault) => {
  for (const one of [first, ...others]) one.misbehave(fault)
  const { id } = await buy('settle')
  await longAfter()
  await looked(id, 10)
  expect(await statesOf(id)).toEqual(['paid', 'paid'])
  for (const one of [first, ...others]) one.behave()
  await becomes(id, 'settled')
})

test('a purchase lapses when its payer has cancelled the payment', async () => {
  const { id, nonce } = await buy('deliver unsettled')
  await node.cancelAuthorization(node.wallet(1), nonce)
  await longAfter()
  await ends(id)
  expect(await statesOf(id)).toEqual(['replaced', 'sent'])
})
