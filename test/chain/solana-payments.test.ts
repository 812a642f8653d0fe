import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { Connection } from '@solana/web3.js'
import { solanaRpc } from '../../src/chain/solana.ts'
import { lifetimeMs, readPaymentMessage } from '../../src/chain/solana-message.ts'
import { solanaPaymentReader } from '../../src/chain/solana-payments.ts'
import { errorOf, ofVersion, perCall } from '../support/rpc-faults.ts'
import { type RpcAnswer, type RpcCall, type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { transferUsdc } from '../support/solana-transfer.ts'
import { faultOf } from './subject.ts'

let node: SolanaNode
let relay: RpcRelay
let txHash: string
let minted: string

beforeAll(async () => {
  node = startSolanaNode()
  relay = startRpcRelay(node.url)
  const to = node.wallet(1).publicKey.toBase58()
  const order = { mint: node.mint, to, usdcBase: 1_000n, memo: 'what is sold' }
  minted = node.mintTo(node.wallet(0).publicKey, 1_000n)
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

test.each([
  ['isBlockhashValid', {}],
  ['getBlockTime', null],
])('a first node that answers nothing readable to %s is passed over', async (method, result) => {
  relay.misbehave(
    perCall((call, ask) => (call.method === method ? { id: call.id, result } : ask(call))),
  )
  const rpc = solanaRpc({ rpcUrls: [relay.url, node.url] })
  const looker = solanaPaymentReader(rpc, { usdc: node.mint.toBase58() })
  const claimedAt = new Date(Date.now() - lifetimeMs - 5_000)
  const validBefore = new Date(claimedAt.getTime() + lifetimeMs)
  const lost = { payer: node.wallet(1).publicKey.toBase58(), nonce: '11'.repeat(64), txHash: null }
  expect(await looker.settlementOf({ ...lost, claimedAt, validBefore })).toBe('unpaid')
  relay.behave()
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

for (const [what, isRead] of [
  ['another', (call: RpcCall, ask: Ask) => ask({ ...call, params: [minted, call.params[1]] })],
  ['one of a newer version', ({ id }: RpcCall) => errorOf(id, -32_015, 'not supported')],
] as const) {
  test(`a payment is found where a node showed ${what} for its transaction at first`, async () => {
    relay.behave()
    const options = { encoding: 'base64', maxSupportedTransactionVersion: 1 }
    const calls = [{ method: 'getTransaction', params: [txHash, options] }]
    const [shown] = await solanaRpc({ rpcUrls: [relay.url] }).ask(calls)
    const { transaction } = shown as { transaction: [string, string] }
    const message = readPaymentMessage(transaction[0])
    if (!message) throw new Error('it is a payment')
    const claimedAt = new Date()
    const validBefore = new Date(Date.now() + lifetimeMs)
    const sent = { ...message, txHash: null, claimedAt, validBefore }
    const looker = reader()
    relay.misbehave(
      perCall((call, ask) => {
        const isOfIt = call.method === 'getTransaction' && call.params[0] === txHash
        return isOfIt ? isRead(call, ask) : ask(call)
      }),
    )
    expect(['unknown', null]).toContain((await looker.settlementOf(sent).catch(() => null)) as null)
    relay.behave()
    expect(await looker.settlementOf(sent)).toEqual({ txHash })
  })
}

type Ask = (call: RpcCall) => Promise<RpcAnswer>
type Most = Readonly<Record<string, number>>

describe('what a payer did long after signing', () => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const signatureOf = (number: number) => base58.encode(wordOf(number))
  const numberOf = (signature: string) => new DataView(base58.decode(signature).buffer).getUint32(0)

  function wordOf(number: number): Uint8Array {
    const bytes = new Uint8Array(64)
    new DataView(bytes.buffer).setUint32(0, number)
    return bytes
  }

  // Only what is final is passed over the next time.
  beforeAll(() => node.advance(26_000))

  /** One transaction a second, and ten slots between two. */
  const made = Array.from({ length: 2_500 }, (_, age) => ({
    signature: signatureOf(2_500 - age),
    slot: (2_500 - age) * 10,
    blockTime: nowMs / 1000 - age,
  }))

  /**
   * A payer who has made all these, each read as the one transaction that there is, which is shown
   * with its own signature. In each look, the node gives out after so many answers of a method. It
   * does not know the time of the `timeless` ones.
   */
  function busy({
    list = made,
    headMs = nowMs,
    stoodStillMs = 0,
    forgets = false,
    most = {} as Most,
    timeless = [] as readonly number[],
  } = {}) {
    const read: number[] = []
    let shown: Promise<RpcAnswer> | undefined
    const answered = new Map<string, number>()
    relay.misbehave(
      perCall(async (call, ask) => {
        const [of, { before } = {}] = call.params as [string, { before?: string }]
        if (call.method === 'isBlockhashValid') answered.clear()
        const times = (answered.get(call.method) ?? 0) + 1
        answered.set(call.method, times)
        if (times > (most[call.method] ?? Infinity)) return errorOf(call.id, -32_000, 'given out')
        if (call.method === 'getTransaction') {
          read.push(numberOf(of))
          shown ??= ask({ ...call, params: [txHash, call.params[1]] })
          return { ...signedAs(of, await shown), id: call.id }
        }
        if (call.method === 'getBlockTime') return { id: call.id, result: headMs / 1000 }
        if (call.method === 'getSignatureStatuses')
          return { id: call.id, result: { value: [forgets ? null : { err: null }] } }
        if (call.method !== 'getSignaturesForAddress') return ask(call)
        const from = before ? list.length + 1 - numberOf(before) : 0
        const page = forgets && from > 0 ? [] : list.slice(from, from + 1_000)
        const result = page.map((one) => ({
          ...one,
          blockTime: timeless.includes(numberOf(one.signature))
            ? null
            : one.blockTime + stoodStillMs / 1000,
        }))
        return { id: call.id, result }
      }),
    )
    return read
  }

  /** A transaction as a node shows it in base64, with another first signature. */
  function signedAs(signature: string, answer: RpcAnswer): RpcAnswer {
    const shown = answer.result as { transaction: [string, string] }
    const wire = Buffer.from(shown.transaction[0], 'base64')
    wire.set(base58.decode(signature), 1)
    const result = { ...shown, transaction: [wire.toString('base64'), 'base64'] }
    return { ...answer, result }
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
    const [first, last] = [Math.min(...read), Math.max(...read)]
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
  })

  test('is read in several looks however much it is, whatever else is looked for meanwhile', async () => {
    // Some twenty in each second, and nothing after what is to be read.
    const list = Array.from({ length: 26_000 }, (_, age) => ({
      signature: signatureOf(26_000 - age),
      slot: 26_000 - age,
      blockTime: Math.floor(nowMs / 1000 - 600 - age / 26),
    }))
    const looker = reader()
    const read = busy({ list, headMs: nowMs - 1_000_000, most: { getTransaction: 4_000 } })
    expect(await looker.settlementOf(signed(1_000_000)).catch(() => null)).toBeNull()
    expect(await looker.settlementOf(signed(1_010_000)).catch(() => null)).toBeNull()
    expect(await looksAt(signed(1_000_000), looker)).toContain('unknown')
    expect(read.length).toBeLessThanOrEqual(26_000 + 4_000)
  }, 60_000)

  test('is listed in several looks where there is no time for it in one', async () => {
    busy({ most: { getSignaturesForAddress: 2 } })
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

  test('is read to its end though a node does not know the time of each', async () => {
    const read = busy({ timeless: [700, 1_501] })
    expect(await reader().settlementOf(signed(1_800_000))).toBe('unpaid')
    expect(Math.min(...read)).toBe(2_500 - 2_400)
  })
})
