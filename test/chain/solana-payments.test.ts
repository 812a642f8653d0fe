import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { solanaRpc } from '../../src/chain/solana.ts'
import { lifetimeMs } from '../../src/chain/solana-message.ts'
import { solanaPaymentReader } from '../../src/chain/solana-payments.ts'
import { errorOf, ofVersion, perCall } from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { transferUsdc } from '../support/solana-transfer.ts'
import { faultOf } from './subject.ts'

let node: SolanaNode
let relay: RpcRelay
let txHash: string

beforeAll(async () => {
  node = startSolanaNode()
  relay = startRpcRelay(node.url)
  const to = node.wallet(1).publicKey.toBase58()
  const order = { mint: node.mint, to, usdcBase: 1_000n, memo: 'what is sold' }
  node.mintTo(node.wallet(0).publicKey, 1_000n)
  txHash = await transferUsdc(new Connection(node.url), node.wallet(0), order)
  node.advance(5)
})

afterAll(async () => {
  await relay.stop()
  await node.stop()
})

function reader() {
  const rpc = solanaRpc({ rpcUrls: [relay.url] })
  return solanaPaymentReader(rpc, { usdc: node.mint.toBase58() })
}

test('a transfer by a transaction of version 1 is read', async () => {
  relay.misbehave(ofVersion(1))
  const [to, from] = [1, 0].map((index) => node.wallet(index).publicKey.toBase58())
  expect(await reader().transfersTo(`${to}`, txHash)).toMatchObject([{ from, usdcBase: 1_000n }])
})

test('a transaction of the payer that no node tells of keeps no payment open for ever', async () => {
  relay.misbehave(ofVersion(2))
  const signed = {
    payer: node.wallet(0).publicKey.toBase58(),
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(Date.now() - lifetimeMs - 5_000),
    validBefore: new Date(Date.now() - 5_000),
  }
  expect(await reader().settlementOf(signed)).toBe('unpaid')
})

test('a payment that was claimed just now is not given up, though the clock that told its end is slow', async () => {
  relay.behave()
  const { publicKey } = node.wallet(0)
  const slow = { payer: publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  const validBefore = new Date(Date.now() - 300_000)
  const claimed = (claimedAt: Date) => reader().settlementOf({ ...slow, claimedAt, validBefore })
  expect(await claimed(new Date())).toBe('unknown')
  expect(await claimed(new Date(validBefore.getTime() - lifetimeMs))).toBe('unpaid')
})

test('a payment is not given up where its blockhash is too new to be in a final block', async () => {
  relay.misbehave(
    perCall(async (call, ask) => {
      const [, options] = call.params as [string, { commitment: string }]
      if (call.method !== 'isBlockhashValid') return ask(call)
      const value = options.commitment !== 'finalized'
      return { id: call.id, result: { context: { slot: 5 }, value } }
    }),
  )
  // The clock by which it was claimed is minutes slow.
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const fresh = { payer: node.wallet(0).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  expect(await reader().settlementOf({ ...fresh, claimedAt, validBefore })).toBe('unknown')
})

test('a payment is not given up by the word of a URL that leads to another cluster since, at whichever question', async () => {
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const lost = { payer: node.wallet(1).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  for (const from of [
    'isBlockhashValid',
    'getBlockTime',
    'getFirstAvailableBlock',
    'getSignaturesForAddress',
  ]) {
    const looker = reader()
    relay.behave()
    expect(await looker.settlementOf({ ...lost, claimedAt, validBefore })).toBe('unpaid')
    let isSearched = from !== 'getSignaturesForAddress'
    let isMoved = false
    relay.misbehave(async (request, forward) => {
      const methods = request.map(({ method }) => method)
      // Only of a list at a node with all blocks does anything follow.
      isMoved ||= isSearched && methods.includes(from)
      isSearched ||= methods.includes('getFirstAvailableBlock')
      const answers = await forward(request)
      const there = answers.map((answer, at) =>
        methods[at] === 'getGenesisHash' ? { ...answer, result: 'devnet' } : answer,
      )
      return Response.json(isMoved ? there : answers)
    })
    expect(await faultOf(looker.settlementOf({ ...lost, claimedAt, validBefore }))).toBe(
      'wrong_chain',
    )
  }
})

type Most = Readonly<Record<string, number>>

describe('what a payer did long after signing', () => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  /** One transaction a second, and ten slots between two. */
  const made = Array.from({ length: 2_500 }, (_, age) => ({
    signature: `${2_500 - age}`,
    slot: (2_500 - age) * 10,
    blockTime: nowMs / 1000 - age,
  }))

  /**
   * A payer who has made all these, each read as the one transaction that there is. In each look,
   * the node gives out after so many answers of a method.
   */
  function busy({ stoodStillMs = 0, forgets = false, most = {} as Most } = {}) {
    const read: string[] = []
    const answered = new Map<string, number>()
    relay.misbehave(
      perCall((call, ask) => {
        const [of, { before = '2501' } = {}] = call.params as [string, { before?: string }]
        if (call.method === 'isBlockhashValid') answered.clear()
        const times = (answered.get(call.method) ?? 0) + 1
        answered.set(call.method, times)
        if (times > (most[call.method] ?? Infinity)) return errorOf(call.id, -32_000, 'given out')
        if (call.method === 'getTransaction') {
          read.push(of)
          return ask({ ...call, params: [txHash, call.params[1]] })
        }
        if (call.method === 'getBlockTime') return { id: call.id, result: nowMs / 1000 }
        if (call.method === 'getSignatureStatuses')
          return { id: call.id, result: { value: [forgets ? null : { err: null }] } }
        if (call.method !== 'getSignaturesForAddress') return ask(call)
        const from = 2_501 - Number(before)
        const page = forgets && from > 0 ? [] : made.slice(from, from + 1_000)
        const result = page.map((one) => ({
          ...one,
          blockTime: one.blockTime + stoodStillMs / 1000,
        }))
        return { id: call.id, result }
      }),
    )
    return read
  }

  const signed = (agoMs: number) => ({
    payer: node.wallet(0).publicKey.toBase58(),
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(nowMs - agoMs),
    validBefore: new Date(nowMs - agoMs + lifetimeMs),
  })

  test('is not read to find that his payment was not taken', async () => {
    const read = busy()
    expect(await reader().settlementOf(signed(1_800_000))).toBe('unpaid')
    const [first, last] = [Math.min(...read.map(Number)), Math.max(...read.map(Number))]
    // The clocks may differ by ten minutes, and a message is good for no more than 1,000 slots.
    expect([first, last]).toEqual([2_500 - 2_400, 2_500 - 1_199 + 100])
  })

  /** How many looks it takes until one comes to an end, and that end. */
  async function looksAt(payment: ReturnType<typeof signed>, looker: ReturnType<typeof reader>) {
    for (let looks = 1; looks <= 20; looks++) {
      const outcome = await looker.settlementOf(payment).catch(() => null)
      if (outcome) return [looks, outcome]
    }
    return null
  }

  test('is read in several looks where there is no time for it in one, and nothing of it twice', async () => {
    const read = busy({ most: { getTransaction: 400 } })
    const looker = reader()
    expect(await looksAt(signed(1_800_000), looker)).toEqual([4, 'unpaid'])
    expect([read.length, new Set(read).size]).toEqual([1_302, 1_302])
    // Another payment of his, signed five minutes later: what is known of his needs no reading.
    expect(await looksAt(signed(1_500_000), looker)).toEqual([1, 'unpaid'])
    expect(read.length).toBe(1_602)
  })

  test('is listed in several looks where there is no time for it in one', async () => {
    // Only what is final is passed over the next time.
    node.advance(25_000)
    busy({ most: { getSignaturesForAddress: 4 } })
    expect(await looksAt(signed(1_800_000), reader())).toEqual([2, 'unpaid'])
  })

  test('is not believed to be all where the node no longer knows at which transaction its list went on', async () => {
    busy({ forgets: true })
    expect(await faultOf(reader().settlementOf(signed(1_800_000)))).toBe('lagging')
  })

  test('is read where the chain stood still after it was signed, whatever the time', async () => {
    const read = busy({ stoodStillMs: 36_000_000 })
    await reader().settlementOf(signed(2_400_000))
    expect(read.length).toBe(101)
  })
})
