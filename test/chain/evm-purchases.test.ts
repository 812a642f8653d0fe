import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { evmPurchaseReader } from '../../src/chain/evm-purchases.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { findingNothing, refusingRanges, saying, withoutLogs } from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { baseBy } from '../support/watcher.ts'
import { faultOf } from './subject.ts'

/** Payments to addresses that are not watched, read from two nodes; the first is asked first. */

let node: EvmNode
let first: RpcRelay
let second: RpcRelay

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000n)
  first = startRpcRelay(node.url)
  second = startRpcRelay(node.url)
})

afterEach(() => {
  first.behave()
  second.behave()
})

afterAll(async () => {
  await first.stop()
  await second.stop()
  await node.stop()
})

/** A reader of both nodes that knows nothing of their health. */
function reader() {
  const on = { chain: baseBy(node), chainId: 8453, usdc: node.usdc, maxRangeBlocks: 100 }
  return evmPurchaseReader({ ...on, rpcUrls: [first.url, second.url] })
}

function transaction(txHash: string) {
  return reader().transaction(txHash, node.wallet(5).address, null)
}

function transferred(wallet = 5): Promise<string> {
  const [from, to] = [node.wallet(1).address, node.wallet(wallet).address]
  return node.transfer({ from, to, usdcBase: 10_000n })
}

const unknown = `0x${'a5'.repeat(32)}`

test('a transaction that one node does not know is not there yet, though another node is down', async () => {
  first.misbehave(saying('', { status: 503 }))
  expect(await transaction(unknown)).toBe(null)
  first.behave()
  second.misbehave(saying('', { status: 503 }))
  expect(await transaction(unknown)).toBe(null)
})

test('the transaction that used an authorization is found where nodes answer for ten blocks at a time, and how many that is is kept', async () => {
  const [payer, nonce] = [node.wallet(1), `0x${'77'.repeat(32)}` as const]
  const to = node.wallet(5).address
  const txHash = await node.transferWithAuthorization({
    from: payer,
    to,
    usdcBase: 10_000n,
    reference: nonce,
  })
  await node.mine(60)
  first.misbehave(refusingRanges(10, -32614, 'eth_getLogs is limited to a 10 block range'))
  const on = { chain: baseBy(node), chainId: 8453, usdc: node.usdc, maxRangeBlocks: 1_000 }
  const reader = evmPurchaseReader({ ...on, rpcUrls: [first.url] })
  const find = () => reader.transactionUsing(payer.address.toLowerCase(), nonce, 0)
  expect((await find())?.txHash).toBe(txHash)
  const before = first.requests.length
  expect((await find())?.txHash).toBe(txHash)
  expect(first.requests.length - before).toBeLessThan(20)
})

test('whether there is a transaction is not known while every node is down', async () => {
  for (const one of [first, second]) one.misbehave(saying('', { status: 503 }))
  expect(await faultOf(transaction(unknown))).toBe('unreachable')
})

test('that a transaction pays nothing is not believed of one node where another shows what it pays', async () => {
  const txHash = await transferred()
  first.misbehave(withoutLogs())
  expect(await transaction(txHash)).toMatchObject({ transfers: [{ txHash, usdcBase: 10_000n }] })
})

test.each([
  ['does not know it', () => findingNothing(['eth_getTransactionReceipt'])],
  ['is down', () => saying('', { status: 503 })],
])('a transaction pays nothing by the word of one node if the other one %s', async (_, fault) => {
  const txHash = await transferred(4)
  second.misbehave(fault())
  expect(await transaction(txHash)).toMatchObject({ transfers: [] })
})

test('whether an authorization was used is no longer asked once there is no more time', async () => {
  const before = first.requests.length
  const { address } = node.wallet(1)
  const asked = reader().isUsed(address, unknown, 'latest', AbortSignal.abort())
  expect(await faultOf(asked)).toBe('range_refused')
  expect(first.requests.length).toBe(before)
  expect(await reader().isUsed(address, unknown, 'latest')).toBe(false)
})
