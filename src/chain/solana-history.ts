import { ChainError } from './chain.ts'
import type { OneNode } from './rpc.ts'
import { blockCall, firstFrom, nodeWith, readBlock, readSlot, slotsOf } from './solana-blocks.ts'

/** The first and the last moment of a time, in Unix ms by the chain's clock. */
export type Span = { readonly fromMs: number; readonly toMs: number }

/** A block that the node has: its slot and time, and how many blocks were made before it. */
type Place = { readonly slot: number; readonly timestampMs: number; readonly height: number }

/** How long a slot takes as a rule, and how long it takes at least. */
const slotMs = 400
const leastSlotMs = 300

/**
 * Wraps `node` to check with every request that the answering node has all blocks of a time and of
 * `moreSlots` slots after it: what it does not list then was not there. Rejects with `lagging`
 * where it lacks one. A node that is restarted from a snapshot, or keeps only the newest blocks,
 * does not say so: it lists nothing of the blocks that it lacks. `head`: the slot of a final block,
 * and its time.
 */
export async function nodeWithAll(
  node: OneNode,
  { fromMs, toMs }: Span,
  { moreSlots, head }: { moreSlots: number; head: Omit<Place, 'height'> },
  deadline: AbortSignal,
): Promise<OneNode> {
  const first = await lastKnownBefore(node, fromMs, head, deadline)
  const mostSlots = Math.ceil((toMs - first.timestampMs) / leastSlotMs) + moreSlots
  const range = { from: first.slot, to: Math.min(first.slot + mostSlots, head.slot) }
  const slots = await slotsOf(node, range, deadline)
  const last = await placeAt(node, slots.at(-1) ?? first.slot, deadline)
  // Heights have no gaps, where slots may have been skipped.
  if (last.height - first.height !== slots.length - 1)
    throw new ChainError('lagging', `the node lacks blocks from slot ${first.slot} to ${last.slot}`)
  return nodeWith(slots, node, range)
}

/** A block of before a moment, not much older where slots take as long as they do as a rule. */
async function lastKnownBefore(
  node: OneNode,
  momentMs: number,
  head: Omit<Place, 'height'>,
  deadline: AbortSignal,
): Promise<Place> {
  const oldest = await node.read(
    [{ method: 'getFirstAvailableBlock', params: [] }],
    ([answer]) => readSlot(answer),
    deadline,
  )
  let back = Math.ceil((1.05 * Math.max(0, head.timestampMs - momentMs)) / slotMs) + 1
  for (;;) {
    const from = Math.max(oldest, head.slot - back)
    const place = await placeAt(node, await firstFrom(node, from, deadline), deadline)
    if (place.timestampMs <= momentMs) return place
    if (from === oldest) {
      const moment = new Date(momentMs).toISOString()
      throw new ChainError('lagging', `the node has no blocks of before ${moment}`)
    }
    back *= 2
  }
}

function placeAt(node: OneNode, slot: number, deadline: AbortSignal): Promise<Place> {
  return node.read(
    [blockCall(slot)],
    ([answer]) => {
      const { timestampMs } = readBlock(answer, slot)
      return {
        slot,
        timestampMs,
        height: readSlot((answer as Record<string, unknown>).blockHeight),
      }
    },
    deadline,
  )
}
