import { expect, test } from 'bun:test'
import { nodeWithAllSince } from '../../../src/chain/solana/history.ts'
import { solanaRpc } from '../../../src/chain/solana/solana.ts'

const minuteMs = 60_000
const head = { slot: 1_000_000, timestampMs: 1_800_000_000_000 }

type Called = { readonly id: number; readonly method: string; readonly params: readonly number[] }

/** Whether a node that makes a slot in `slotMs` and has those after `oldest` but `lost` has all. */
async function hasAll(slotMs: number, { oldest = 0, lost = -1 }, sinceAgoMs: number) {
  const answer = (method: string, [from = 0, to = 0]: readonly number[]): unknown => {
    if (method === 'getGenesisHash') return 'a chain'
    if (method === 'getFirstAvailableBlock') return oldest
    if (method === 'getSlot') return head.slot
    const blockTime = Math.floor((head.timestampMs - (head.slot - from) * slotMs) / 1_000)
    if (method === 'getBlock') return { blockhash: `${from}`, blockTime, blockHeight: from }
    const slots = Array.from({ length: to - from + 1 }, (_, at) => from + at)
    return slots.filter((slot) => slot !== lost && slot >= oldest)
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const calls = (await incoming.json()) as readonly Called[]
      return Response.json(
        calls.map(({ id, method, params }) => ({ id, result: answer(method, params) })),
      )
    },
  })
  const rpc = solanaRpc({ rpcUrls: [server.url.href], genesisHash: 'a chain' })
  const deadline = AbortSignal.timeout(5_000)
  const asked = rpc.atOneNode(async (node) => {
    const all = await nodeWithAllSince(node, head.timestampMs - sinceAgoMs, head, deadline)
    await all.read([], () => null, deadline)
    return null
  }, deadline)
  const isWhole = await asked.then(
    () => true,
    ({ fault }) => fault !== 'lagging',
  )
  await server.stop()
  return isWhole
}

test.each([400, 200, 160])(
  'a node has to have each block of the time, of slots of %d ms',
  async (slotMs) => {
    for (const minutes of [20, 105, 600]) {
      const slots = Math.floor((minutes * minuteMs) / slotMs)
      const of = (lacking: object) => hasAll(slotMs, lacking, minutes * minuteMs)
      expect(await of({})).toBe(true)
      for (const lost of [head.slot - slots, head.slot - Math.floor(slots / 2), head.slot - 1])
        expect(await of({ lost })).toBe(false)
      expect(await of({ oldest: head.slot - slots + 1_000 })).toBe(false)
    }
  },
)
