import { ChainError } from '../chain.ts'
import type { OneNode } from '../rpc/rpc.ts'
import { blockCall, firstFrom, nodeWith, readBlock, readSlot, slotsOf } from './blocks.ts'

/** The first and the last moment of a time, in Unix ms by the chain's clock. */
export type Span = { readonly fromMs: number; readonly toMs: number }

/** A block that the node has: its slot and time, and how many blocks were made before it. */
type Place = { readonly slot: number; readonly timestampMs: number; readonly height: number }
/** A final block: its slot and time. */
type Head = Omit<Place, 'height'>

/**
 * About how long a slot takes. Solana has made them ever shorter (SIMD-0525), and may again, so
 * nothing rests on it but how many blocks are looked at.
 */
const slotMs = 200

/**
 * Wraps `node` to check with every request that the answering node has all blocks of a time and of
 * `moreSlots` slots after it: what it does not list then was not there. Rejects with `lagging`
 * where it lacks one. A node that is restarted from a snapshot, or keeps only the newest blocks,
 * does not say so: it lists nothing of the blocks that it lacks.
 */
export async function nodeWithAll(
  node: OneNode,
  { fromMs, toMs }: Span,
  { moreSlots, head }: { readonly moreSlots: number; readonly head: Head },
  deadline: AbortSignal,
): Promise<OneNode> {
  const first = await lastKnownBefore(node, fromMs, head, deadline)
  const end = await slotAfter(node, toMs, { first, head }, deadline)
  const range = { from: first.slot, to: Math.min(end + moreSlots, head.slot) }
  const slots = await slotsOf(node, range, deadline)
  const last = await placeAt(node, slots.at(-1) ?? first.slot, deadline)
  // Heights have no gaps, where slots may have been skipped.
  if (last.height - first.height !== slots.length - 1)
    throw new ChainError('lagging', `the node lacks blocks from slot ${first.slot} to ${last.slot}`)
  return nodeWith(slots, node, range)
}

/** A block of before a moment, not much older. */
async function lastKnownBefore(
  node: OneNode,
  momentMs: number,
  head: Head,
  deadline: AbortSignal,
): Promise<Place> {
  const oldest = await node.read(
    [{ method: 'getFirstAvailableBlock', params: [] }],
    ([answer]) => readSlot(answer),
    deadline,
  )
  const agoMs = Math.max(0, head.timestampMs - momentMs)
  let back = Math.ceil((margin * agoMs) / slotMs) + 1
  let early: Place | undefined
  for (;;) {
    const from = Math.max(oldest, head.slot - back)
    const place = await firstPlaceFrom(node, from, deadline)
    const isEarly = place.timestampMs <= momentMs
    if (!isEarly && early) return early
    if (!isEarly && from === oldest) {
      const moment = new Date(momentMs).toISOString()
      throw new ChainError('lagging', `the node has no blocks of before ${moment}`)
    }
    const tried = head.slot - from
    back = fittingSlots(tried, agoMs, head.timestampMs - place.timestampMs)
    // One that is much older is kept while others are tried.
    if (isEarly && !(back < 0.8 * tried)) return place
    if (isEarly) early = place
  }
}

/** The slot of a block of after a moment, not much newer; the head's where that is not later. */
async function slotAfter(
  node: OneNode,
  momentMs: number,
  { first, head }: { readonly first: Place; readonly head: Head },
  deadline: AbortSignal,
): Promise<number> {
  const sinceFirstMs = momentMs - first.timestampMs
  const tookMs = (head.timestampMs - first.timestampMs) / (head.slot - first.slot)
  let ahead = Math.ceil((margin * sinceFirstMs) / tookMs) + 1
  while (first.slot + ahead < head.slot) {
    const place = await firstPlaceFrom(node, first.slot + ahead, deadline)
    if (place.timestampMs > momentMs) return place.slot
    ahead = fittingSlots(ahead, sinceFirstMs, place.timestampMs - first.timestampMs)
  }
  return head.slot
}

/** How many slots take as long as is needed, and a little longer, where so many took so long. */
function fittingSlots(slots: number, neededMs: number, tookMs: number): number {
  return Math.ceil(slots * Math.min((margin * neededMs) / Math.max(tookMs, 1), 4))
}

const margin = 1.05

async function firstPlaceFrom(node: OneNode, slot: number, deadline: AbortSignal): Promise<Place> {
  return placeAt(node, await firstFrom(node, slot, deadline), deadline)
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
