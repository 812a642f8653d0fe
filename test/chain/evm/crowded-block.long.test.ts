import { expect, test } from 'bun:test'
import { Keypair } from '@solana/web3.js'
import { toHex } from 'viem'
import { type Answer, ChainError } from '../../../src/chain/chain.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { solanaChain } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { refusal, refusingMoreThan, refusingRanges } from '../../support/rpc-faults.ts'
import { type RpcCall, type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { ledgerOf, startSolanaStub } from '../solana/stub.ts'

/**
 * Anybody can make hundreds of transactions that pay an address of ours in one block, which cannot
 * be asked for in parts. Slow nodes take no batches, and an answer takes them a while.
 */
const transactions = 300
const answerMs = 150

test('a slot on Solana with more transactions than are read in ten seconds is read', async () => {
  const { chain, relay, wallet, stop } = crowdedSlot(transactions)
  answerSlowly(relay)
  const { transfers } = await chain.transfers({ from: 250, to: 250 }, [wallet])
  expect(transfers).toHaveLength(transactions)
  await stop()
})

test('a slot on Solana with more transactions than a provider tells of in a second is read, once its pace is known', async () => {
  const { chain, relay, wallet, stop } = crowdedSlot(30)
  relay.misbehave(refusingMoreThan(10))
  const transfers = await untilAnswered(() => chain.transfers({ from: 250, to: 250 }, [wallet]))
  expect(transfers).toHaveLength(30)
  await stop()
})

test('a transaction on Solana that takes a node longer than any other request may is read', async () => {
  const { chain, relay, wallet, stop } = crowdedSlot(3)
  relay.misbehave(async (request, forward) => {
    const isSlow = request.some(({ params }) => params?.[0] === 'payment 1')
    if (isSlow) await Bun.sleep(2_500)
    return Response.json(await forward(request))
  })
  const { transfers } = await chain.transfers({ from: 250, to: 250 }, [wallet])
  expect(transfers.map(({ txHash }) => txHash).toSorted()).toEqual([0, 1, 2].map(nameOf))
  await stop()
})

test('a block on an EVM chain with more transactions than are read in ten seconds is read', async () => {
  const node = startFullNode({ transactions, transfers: 1 })
  const relay = slowRelay(node.url.href)
  expect(await transfersAt(relay.url)).toHaveLength(transactions)
  await relay.stop()
  await node.stop(true)
})

test('a block is read whose transactions take a node too long together', async () => {
  const node = startFullNode({ transactions: 30, transfers: 1 })
  const relay = startRpcRelay(node.url.href)
  relay.misbehave(async (request, forward) => {
    await Bun.sleep(60 * request.length)
    return Response.json(await forward(request))
  })
  expect(await transfersAt(relay.url, 1_000)).toHaveLength(30)
  await relay.stop()
  await node.stop(true)
})

test('a transaction with thousands of transfers is read at once: what else this process does goes on', async () => {
  const node = startFullNode({ transactions: 1, transfers: 8_000 })
  expect(await transfersAt(node.url.href)).toHaveLength(8_000)
  await node.stop(true)
})

test('a block with more transfers than a provider lists is read', async () => {
  const node = startFullNode({ transactions: 30, transfers: 500 })
  const relay = startRpcRelay(node.url.href)
  relay.misbehave(refusingRanges(0, -32005, 'query returned more than 10000 results'))
  expect(await transfersAt(relay.url)).toHaveLength(15_000)
  await relay.stop()
  await node.stop(true)
})

/** Asks again while the provider refuses, as a watcher does. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer['transfers']> {
  for (;;) {
    try {
      return (await ask()).transfers
    } catch (error) {
      if (!(error instanceof ChainError) || error.fault !== 'rate_limited') throw error
      await Bun.sleep(200)
    }
  }
}

const nameOf = (at: number) => `payment ${at}`

/** A node of Solana behind a relay, whose slot 250 has so many payments to one wallet. */
function crowdedSlot(count: number) {
  const wallet = Keypair.generate().publicKey.toBase58()
  const account = associatedTokenAccount(wallet, registry.solana.usdcAddress)
  const payments = Array.from({ length: count }, (_, at) => ({
    signature: nameOf(at),
    slot: 250,
    account,
    usdcBase: 1n,
    err: null,
    isLost: false,
  }))
  const stub = startSolanaStub(ledgerOf(payments))
  const relay = startRpcRelay(stub.url)
  const rpcUrls = [relay.url]
  const chain = solanaChain({ rpcUrls, usdc: registry.solana.usdcAddress, fetchTimeoutMs: 1_000 })
  return { chain, relay, wallet, stop: () => Promise.all([relay.stop(), stub.stop()]) }
}

const usdc = registry.base.usdcAddress.toLowerCase()
const ours = '0x00000000000000000000000000000000000000a1'
const somebody = '0x00000000000000000000000000000000000000b1'
const blockHash = toHex(100, { size: 32 })

async function transfersAt(url: string, fetchTimeoutMs = 4_000) {
  const chain = evmChain({ network: 'base', chainId: 8453, rpcUrls: [url], usdc, fetchTimeoutMs })
  return (await chain.transfers({ from: 100, to: 100 }, [ours])).transfers
}

/** A node whose block 100 has so many transactions with so many payments through contracts. */
function startFullNode(each: { readonly transactions: number; readonly transfers: number }) {
  const hashes = Array.from({ length: each.transactions }, (_, at) => toHex(at, { size: 32 }))
  const logsOf = (at: number) =>
    Array.from({ length: each.transfers }, (_, log) => logOf(at, at * each.transfers + log))

  function to({ method, params }: RpcCall): unknown {
    if (method === 'eth_chainId') return toHex(8453)
    if (method === 'eth_getLogs') return hashes.flatMap((_, at) => logsOf(at))
    const [hash] = params
    const made = { hash, to: somebody, input: '0x' }
    if (method === 'eth_getTransactionByHash') return made
    if (method === 'eth_getTransactionReceipt')
      return { transactionHash: hash, blockHash, status: '0x1', logs: logsOf(Number(hash)) }
    const all = params[1] === false ? hashes : hashes.map((one) => ({ ...made, hash: one }))
    return { number: '0x64', hash: blockHash, timestamp: '0x65000000', transactions: all }
  }

  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const asked = (await incoming.json()) as readonly RpcCall[]
      return Response.json(asked.map((one) => ({ jsonrpc: '2.0', id: one.id, result: to(one) })))
    },
  })
}

function logOf(transaction: number, log: number) {
  const topics = [transferTopic, addressTopic(somebody), addressTopic(ours)]
  const transactionHash = toHex(transaction, { size: 32 })
  const place = { transactionHash, transactionIndex: toHex(transaction), logIndex: toHex(log) }
  const block = { blockNumber: '0x64', blockHash, blockTimestamp: '0x65000000' }
  return { address: usdc, topics, data: toHex(1, { size: 32 }), ...block, ...place }
}

function addressTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

function slowRelay(url: string): RpcRelay {
  const relay = startRpcRelay(url)
  answerSlowly(relay)
  return relay
}

function answerSlowly(relay: RpcRelay): void {
  const refuse = refusal(-32600, 'Batch requests are not supported')
  relay.misbehave(async (request, forward) => {
    if (request.length > 1) return refuse(request, forward)
    await Bun.sleep(answerMs)
    return Response.json(await forward(request))
  })
}
