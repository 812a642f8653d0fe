import { afterEach, expect, test } from 'bun:test'
import { nodeWithAllSince } from '../../../src/chain/solana/history.ts'
import { solanaPaymentReader } from '../../../src/chain/solana/payments.ts'
import { solanaChain, solanaRpc } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { faultOf } from '../subject.ts'

const minuteMs = 60_000
const genesisHash = 'a chain'
const usdc = registry.solana.usdcAddress
const payer = 'So11111111111111111111111111111111111111112'
const nowMs = Math.floor(Date.now() / 1_000) * 1_000
const head = { slot: 10_000_000, timestampMs: nowMs }
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

type Call = { readonly id: number; readonly method: string; readonly params: readonly number[] }

/**
 * A node of a chain without payments that makes a slot in `slotMs`, has those from `oldest` on but
 * `lost`, and lists `most` at once.
 */
function startNode({ slotMs = 400, oldest = 0, lost = -1, most = 10_000 } = {}) {
  const asked: Call[] = []
  const secondsAt = (slot: number) =>
    Math.floor((head.timestampMs - (head.slot - slot) * slotMs) / 1_000)
  const results: Record<string, (slot: number) => unknown> = {
    getGenesisHash: () => genesisHash,
    getSlot: () => head.slot,
    getFirstAvailableBlock: () => oldest,
    isBlockhashValid: () => ({ context: { slot: head.slot }, value: false }),
    getBlockTime: secondsAt,
    getBlocksWithLimit: (slot) => [slot],
    getBlock: (slot) => ({
      blockhash: `block ${slot}`,
      blockTime: secondsAt(slot),
      parentSlot: slot - 1,
      blockHeight: slot,
    }),
    getSignaturesForAddress: () => [],
  }

  function answer({ method, params: [from = 0, to = 0] }: Call): object {
    if (method !== 'getBlocks') return { result: results[method]?.(from) }
    const message = `getBlocks is limited to a ${most.toLocaleString('en')} range`
    if (to - from >= most) return { error: { code: -32614, message } }
    const slots = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    return { result: slots.filter((slot) => slot !== lost && slot >= oldest) }
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const calls = (await incoming.json()) as readonly Call[]
      asked.push(...calls)
      return Response.json(calls.map((call) => ({ id: call.id, ...answer(call) })))
    },
  })
  stops.push(() => server.stop())
  return { url: server.url.href, asked }
}

test.each([400, 200, 160])(
  'a node must have every block of the time, with slots of %d ms',
  async (slotMs) => {
    for (const minutes of [20, 105, 600]) {
      const slots = Math.floor((minutes * minuteMs) / slotMs)
      async function faultWith(lacking: object) {
        const rpc = solanaRpc({ rpcUrls: [startNode({ slotMs, ...lacking }).url], genesisHash })
        const deadline = AbortSignal.timeout(5_000)
        const sinceMs = head.timestampMs - minutes * minuteMs
        const asked = rpc.atOneNode(async (node) => {
          const all = await nodeWithAllSince(node, sinceMs, head, deadline)
          return all.read([], () => null, deadline)
        }, deadline)
        return asked.catch(({ fault }) => fault)
      }
      expect(await faultWith({})).toBeNull()
      for (const lost of [head.slot - slots, head.slot - Math.floor(slots / 2), head.slot - 1])
        expect(await faultWith({ lost })).toBe('lagging')
      expect(await faultWith({ oldest: head.slot - slots + 1_000 })).toBe('lagging')
    }
  },
)

test('a provider that lists too few slots leaves the proof that a payment was not taken to the next one', async () => {
  const [limited, other] = [startNode({ most: 5 }), startNode()]
  const rpc = solanaRpc({ rpcUrls: [limited.url, other.url], genesisHash })
  const outcome = await solanaPaymentReader(rpc).settlementOf({
    payer,
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(nowMs - 80 * minuteMs),
    validBefore: new Date(nowMs - 78 * minuteMs),
  })
  expect(outcome).toBe('unpaid')
  expect(other.asked.some(({ method }) => method === 'getBlocks')).toBe(true)
})

test('a provider that lists few slots is asked for transfers in shorter ranges', async () => {
  const [limited, other] = [startNode({ most: 5 }), startNode()]
  const chain = solanaChain({ rpcUrls: [limited.url, other.url], usdc, genesisHash })
  const read = (slots: number) =>
    chain.transfers({ from: head.slot - slots, to: head.slot - 1 }, [payer])
  expect((await read(5)).last.number).toBe(head.slot - 1)
  expect(await faultOf(read(100))).toBe('range_refused')
  expect((await chain.block(head.slot - 1))?.number).toBe(head.slot - 1)
  expect(other.asked).toEqual([])
})
