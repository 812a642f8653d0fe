import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createUseFinder } from '../../../src/chain/evm/authorizations.ts'
import { evmPaymentReader } from '../../../src/chain/evm/payments.ts'
import { evmPurchaseReader } from '../../../src/chain/evm/purchases.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import {
  findingNothing,
  perCall,
  refusingRanges,
  saying,
  withoutLogs,
} from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { baseBy } from '../../support/watcher.ts'
import { useWorld } from '../../support/world.ts'
import { faultOf } from '../subject.ts'

/** Payments to addresses that are not watched, read from two nodes; the first is asked first. */

const { node, relay: first } = useWorld({
  chains: ['base'],
  funded: [1],
  relayed: true,
  service: 'no database',
})
let second: RpcRelay

beforeAll(() => {
  second = startRpcRelay(node.url)
})

afterEach(() => {
  first.behave()
  second.behave()
})

afterAll(() => second.stop())

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
  const find = () =>
    reader.transactionUsing(
      { kind: 'eip3009', payer: payer.address.toLowerCase(), nonce },
      new Date(0),
    )
  expect((await find())?.txHash).toBe(txHash)
  const before = first.requests.length
  expect((await find())?.txHash).toBe(txHash)
  expect(first.requests.length - before).toBeLessThan(20)
})

test('a search that takes too long is given up, and the next one goes on where it ended', async () => {
  const [from, reference] = [node.wallet(1), `0x${'79'.repeat(32)}` as const]
  const to = node.wallet(5).address
  const txHash = await node.transferWithAuthorization({ from, to, usdcBase: 1n, reference })
  await node.mine(60)
  const rpc = createRpc({ urls: [first.url], expectedChainId: 8453 })
  const find = createUseFinder(rpc, 5, 0)
  const used = { token: node.usdc.toLowerCase(), payer: from.address.toLowerCase() }
  const head = await baseBy(node).head()
  const between = { head, sinceMs: 0 }
  const search = () => find({ ...used, nonce: reference }, between)
  // It is sixty blocks below the head: of these the first search reads five, and others twenty.
  for (let time = 0; time < 3; time++) expect(await faultOf(search())).toBe('range_refused')
  expect(await search()).toMatchObject({ txHash })
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

describe('what is not there is not believed of a URL that leads to another chain since', () => {
  const usdcBase = 10_000n
  const reference = `0x${'78'.repeat(32)}` as const
  let paid: { txHash: string; payer: string; payTo: string; blockNumber: number }

  beforeAll(async () => {
    const [payer, payTo] = [node.wallet(1), node.wallet(5).address]
    const txHash = await node.transferWithAuthorization({
      from: payer,
      to: payTo,
      usdcBase,
      reference,
    })
    const shown = await reader().transaction(txHash, payTo, null)
    const blockNumber = Number(shown?.blockNumber)
    paid = { txHash, payer: payer.address.toLowerCase(), payTo, blockNumber }
  })

  /** The other chain has as many blocks and a token at the same address, and no payment. */
  const elsewhere = perCall(async (call, ask) => {
    const { id, method } = call
    if (method === 'eth_chainId') return { id, result: '0x1' }
    if (method === 'eth_getTransactionReceipt') return { id, result: null }
    if (method === 'eth_call') return { id, result: `0x${'00'.repeat(32)}` }
    const answer = await ask(call)
    if (method !== 'eth_getBlockByNumber') return answer
    const timestamp = `0x${(2 ** 32).toString(16)}`
    return { id, result: { ...(answer.result as object), timestamp, transactions: [] } }
  })

  const known = (one: ReturnType<typeof reader>) =>
    one.transaction(paid.txHash, paid.payTo, paid.blockNumber)
  const used = (one: ReturnType<typeof reader>) =>
    one.isUsed({ kind: 'eip3009', payer: paid.payer, nonce: reference }, paid.blockNumber)

  test('a transaction', async () => {
    const both = reader()
    const shown = await known(both)
    expect(shown).toMatchObject({ transfers: [{ usdcBase }] })
    first.misbehave(elsewhere)
    expect(await known(both)).toEqual(shown)
    second.misbehave(elsewhere)
    expect(await faultOf(known(both))).toBe('wrong_chain')
  })

  test('the use of an authorization', async () => {
    const both = reader()
    expect(await used(both)).toBe(true)
    first.misbehave(elsewhere)
    expect(await used(both)).toBe(true)
    second.misbehave(elsewhere)
    expect(await faultOf(used(both))).toBe('wrong_chain')
  })

  test('the settlement of a paid endpoint’s payment', async () => {
    const rpc = createRpc({ urls: [first.url, second.url], expectedChainId: 8453 })
    const { usdc } = node
    const payments = evmPaymentReader(rpc, { network: 'base', maxRangeBlocks: 100 })
    const { payer, txHash } = paid
    const signed = {
      payer,
      nonce: reference,
      txHash,
      claimedAt: new Date(0),
      validBefore: new Date(),
    }
    const settled = () => payments.settlementOf(signed, usdc)
    expect(await settled()).toEqual({ txHash })
    first.misbehave(elsewhere)
    expect(await settled()).toEqual({ txHash })
    second.misbehave(elsewhere)
    expect(await faultOf(settled())).toBe('wrong_chain')
  })
})
