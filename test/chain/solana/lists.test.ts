import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { solanaPaymentReader } from '../../../src/chain/solana/payments.ts'
import { mainnetGenesisHash, solanaChain, solanaRpc } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { faultOf } from '../subject.ts'

const usdc = registry.solana.usdcAddress
const payer = 'So11111111111111111111111111111111111111112'
const headSlot = 10_000_000
const nowMs = Math.floor(Date.now() / 1_000) * 1_000

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A node of a chain with a block in every slot and no payment. It lists `most` slots at once. */
function startNode(most: number) {
  const asked: Call[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const calls = (await incoming.json()) as Call[]
      asked.push(...calls)
      return Response.json(calls.map((call) => ({ id: call.id, ...answer(call) })))
    },
  })

  function answer({ method, params }: Call): object {
    const [slot, last] = params as [number, number]
    if (method === 'getBlocks') {
      const slots = last - slot + 1
      const message = `getBlocks is limited to a ${most.toLocaleString('en')} range`
      if (slots > most) return { error: { code: -32614, message } }
      return { result: Array.from({ length: slots }, (_, at) => slot + at) }
    }
    return { result: results[method]?.(slot) }
  }

  const lists = () =>
    asked.filter(({ method }) => method === 'getBlocks').map(({ params }) => params as number[])
  return { url: server.url.href, asked, lists, stop: () => server.stop(true) }
}

const secondsAt = (slot: number) => Math.floor((nowMs - (headSlot - slot) * 400) / 1_000)

const results: Record<string, (slot: number) => unknown> = {
  getGenesisHash: () => mainnetGenesisHash,
  getSlot: () => headSlot,
  isBlockhashValid: () => ({ context: { slot: headSlot }, value: false }),
  getBlockTime: secondsAt,
  getFirstAvailableBlock: () => 0,
  getBlocksWithLimit: (slot) => [slot],
  getBlock: (slot) => ({
    blockhash: `block ${slot}`,
    blockTime: secondsAt(slot),
    parentSlot: slot - 1,
    blockHeight: slot,
  }),
  getSignaturesForAddress: () => [],
}

const signed = {
  payer,
  nonce: '11'.repeat(64),
  txHash: null,
  claimedAt: new Date(nowMs - 4_800_000),
  validBefore: new Date(nowMs - 4_680_000),
}

let second: ReturnType<typeof startNode>

beforeEach(() => {
  second = startNode(500_000)
})
afterEach(() => second.stop())

test('long lists of slots are asked for in parts of 10,000', async () => {
  const limited = startNode(10_000)
  const reader = solanaPaymentReader(solanaRpc({ rpcUrls: [limited.url] }), { usdc })
  expect(await reader.settlementOf(signed)).toBe('unpaid')
  expect(limited.lists().length).toBeGreaterThan(1)
  await limited.stop()
})

describe('a provider that lists fewer slots', () => {
  test('leaves the proof that a payment was not taken to the next one', async () => {
    const limited = startNode(5)
    const rpc = solanaRpc({ rpcUrls: [limited.url, second.url] })
    const reader = solanaPaymentReader(rpc, { usdc })
    expect(await reader.settlementOf(signed)).toBe('unpaid')
    expect(second.lists().length).toBePositive()
    await limited.stop()
  })

  test('is asked for transfers in shorter ranges', async () => {
    const limited = startNode(5)
    const chain = solanaChain({ rpcUrls: [limited.url, second.url], usdc })
    const look = (slots: number) =>
      chain.transfers({ from: headSlot - slots, to: headSlot - 1 }, [payer])
    expect((await look(5)).last.number).toBe(headSlot - 1)
    expect(await faultOf(look(100))).toBe('range_refused')
    expect((await chain.block(headSlot - 1))?.number).toBe(headSlot - 1)
    expect(second.asked).toEqual([])
    await limited.stop()
  })
})
