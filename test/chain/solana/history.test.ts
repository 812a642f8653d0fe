import { describe, expect, test } from 'bun:test'
import { nodeWithAll, type Span } from '../../../src/chain/solana/history.ts'
import { solanaRpc } from '../../../src/chain/solana/solana.ts'
import { faultOf } from '../subject.ts'

const minuteMs = 60_000
const nowMs = 1_800_000_000_000
const head = { slot: 10_000_000, timestampMs: nowMs }
const moreSlots = 1_000

/** How long slots have taken since so many ms before now, newest first; the last since ever. */
type Pace = readonly { readonly sinceAgoMs: number; readonly slotMs: number }[]

/** How long before now a slot was. */
function agoMs(slot: number, pace: Pace): number {
  let left = head.slot - slot
  let ago = 0
  for (const { sinceAgoMs, slotMs } of pace) {
    const slots = Math.min(left, (sinceAgoMs - ago) / slotMs)
    ago += slots * slotMs
    left -= slots
  }
  return ago
}

/** A node of a chain with this pace that lacks the block of slot `lost`. */
function startNode(pace: Pace, { lost = -1 } = {}) {
  /** The slots of which each request asked for blocks. */
  const asked: { from: number; to: number }[] = []
  function answer(method: string, [from = 0, to = 0]: readonly number[]): unknown {
    if (method === 'getGenesisHash') return 'a chain'
    if (method === 'getFirstAvailableBlock') return 1
    if (method === 'getSlot') return head.slot
    if (method === 'getBlocksWithLimit') return [from]
    const time = nowMs - agoMs(from, pace)
    if (method === 'getBlock')
      return { blockhash: `${from}`, blockTime: Math.floor(time / 1000), blockHeight: from }
    const range = asked.at(-1) ?? { from, to }
    range.from = Math.min(range.from, from)
    range.to = Math.max(range.to, to)
    const slots = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    return slots.filter((slot) => slot !== lost && slot <= head.slot)
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const calls = (await incoming.json()) as readonly Called[]
      asked.push({ from: Infinity, to: 0 })
      return Response.json(
        calls.map(({ id, method, params }) => ({ id, result: answer(method, params) })),
      )
    },
  })
  const rpc = solanaRpc({ rpcUrls: [server.url.href], genesisHash: 'a chain' })
  /** The node as one with all blocks of a time, which it shows once. */
  async function proves(span: Span): Promise<void> {
    const deadline = AbortSignal.timeout(5_000)
    await rpc.atOneNode(async (node) => {
      const all = await nodeWithAll(node, span, { moreSlots, head }, deadline)
      await all.read([], () => null, deadline)
    }, deadline)
  }
  return { asked, proves, stop: () => server.stop(true) }
}

type Called = { readonly id: number; readonly method: string; readonly params: readonly number[] }

/** The first slot that is not so long ago any more. */
function slotAfter(soLongAgoMs: number, pace: Pace): number {
  let [low, high] = [0, head.slot]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (agoMs(middle, pace) >= soLongAgoMs) low = middle
    else high = middle
  }
  return high
}

const always = (slotMs: number): Pace => [{ sinceAgoMs: Infinity, slotMs }]
const paces: readonly (readonly [string, Pace])[] = [
  ...[400, 300, 250, 200, 160].map((slotMs) => [`${slotMs} ms`, always(slotMs)] as const),
  [
    '400 ms, and 200 since half a day',
    [{ sinceAgoMs: 720 * minuteMs, slotMs: 200 }, ...always(400)],
  ],
  [
    '200 ms, and 400 since half a day',
    [{ sinceAgoMs: 720 * minuteMs, slotMs: 400 }, ...always(200)],
  ],
]
/** When a time began and ended, in minutes before now. */
const times = [
  [40, 20],
  [105, 20],
  [1_500, 20],
  [1_500, 1_480],
] as const

for (const [what, pace] of paces) {
  describe(`where slots take ${what}`, () => {
    for (const [fromAgo, toAgo] of times) {
      const span = { fromMs: nowMs - fromAgo * minuteMs, toMs: nowMs - toAgo * minuteMs }
      const first = slotAfter(fromAgo * minuteMs, pace) - 1
      const last = Math.min(slotAfter(toAgo * minuteMs, pace) + moreSlots, head.slot)

      test(`a node has to have each block from ${fromAgo} to ${toAgo} minutes ago`, async () => {
        for (const lost of [first + 1, first + Math.floor((last - first) / 2), last - 1]) {
          const node = startNode(pace, { lost })
          expect(await faultOf(node.proves(span))).toBe('lagging')
          await node.stop()
        }
      })

      test(`it is not asked for many more than those from ${fromAgo} to ${toAgo} minutes ago`, async () => {
        const node = startNode(pace)
        await node.proves(span)
        const { from, to } = node.asked.at(-1) ?? { from: 0, to: Infinity }
        expect(from).toBeLessThanOrEqual(first)
        expect(to).toBeGreaterThanOrEqual(last)
        expect(first - from).toBeLessThan(0.5 * (head.slot - first))
        expect(to - last).toBeLessThan(1.2 * (last - from))
        await node.stop()
      })
    }
  })
}
