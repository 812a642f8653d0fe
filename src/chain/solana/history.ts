import { ChainError } from '../chain.ts'
import type { OneNode } from '../rpc/proven.ts'
import { blockCall, nodeWith, readBlock, readSlot, slotsOf } from './blocks.ts'

/** About the longest time of a slot; where slots took less, more of them are listed. */
const slotMs = 400

/**
 * Checks with every request that the node has all blocks from `sinceMs` to `head`, so what it does
 * not list was not there. A node that lacks blocks does not say so. Rejects with `lagging`.
 */
export async function nodeWithAllSince(
  node: OneNode,
  sinceMs: number,
  head: { readonly slot: number; readonly timestampMs: number },
  deadline: AbortSignal,
): Promise<OneNode> {
  const oldest = await node.read(
    [{ method: 'getFirstAvailableBlock', params: [] }],
    ([answer]) => readSlot(answer),
    deadline,
  )
  const agoMs = Math.max(0, head.timestampMs - sinceMs)
  for (let back = Math.ceil(agoMs / slotMs) + 1; ; back *= 2) {
    const range = { from: Math.max(oldest, head.slot - back), to: head.slot }
    const slots = await slotsOf(node, range, deadline)
    const ends = [slots[0], slots.at(-1)] as [number, number]
    const [first, last] = await placesAt(node, ends, deadline)
    if (first.timestampMs > sinceMs) {
      if (range.from > oldest) continue
      throw new ChainError('lagging', `the node has no blocks before slot ${ends[0]}`)
    }
    // Heights have no gaps, where slots may have been skipped.
    if (last.height - first.height !== slots.length - 1)
      throw new ChainError('lagging', `the node lacks blocks from slot ${ends[0]} to ${ends[1]}`)
    return nodeWith(slots, node, range)
  }
}

type Place = { readonly timestampMs: number; readonly height: number }

function placesAt(node: OneNode, slots: readonly [number, number], deadline: AbortSignal) {
  const read = (answer: unknown, at: number): Place => {
    const { timestampMs } = readBlock(answer, slots[at] as number)
    return { timestampMs, height: readSlot((answer as Record<string, unknown>).blockHeight) }
  }
  return node.read(slots.map(blockCall), (answers) => answers.map(read) as [Place, Place], deadline)
}
