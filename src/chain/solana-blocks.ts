import { type Block, type BlockRange, ChainError } from './chain.ts'
import type { OneNode } from './rpc.ts'
import type { Call } from './rpc-node.ts'
import { askInParts, type Parts } from './rpc-parts.ts'

/** Everything is read of blocks that stay. */
export const commitment = 'finalized'
/** Slots in which the first block after a skipped one is looked for. */
const lookAheadSlots = 1_000

export const slotCall: Call = { method: 'getSlot', params: [{ commitment }] }

/** Asks for the block of a slot, without its transactions. */
export function blockCall(slot: number): Call {
  const options = { commitment, transactionDetails: 'none', rewards: false }
  return { method: 'getBlock', params: [slot, { ...options, maxSupportedTransactionVersion: 0 }] }
}

export function readSlot(answer: unknown): number {
  if (typeof answer === 'number') return answer
  throw new ChainError('invalid_answer', 'the node named a slot that is not a number')
}

/** What a node answers to `blockCall`. Throws `ChainError` where it has no such block. */
export function readBlock(answer: unknown, slot: number): Block {
  if (!answer) throw new ChainError('lagging', `the node does not have the block of slot ${slot}`)
  const { blockhash, blockTime } = answer as Record<string, unknown>
  if (typeof blockhash !== 'string' || typeof blockTime !== 'number') {
    throw new ChainError('invalid_answer', `the block of slot ${slot} has no hash or no time`)
  }
  return { number: slot, hash: blockhash, timestampMs: blockTime * 1000 }
}

/**
 * The last block of a range, or the nearest before it where all its slots were skipped, by a node that has every block of the range. One that
 * was started again from a snapshot does not have those behind it and calls them skipped: that they were is told by the block after them, which
 * names its parent. Rejects with `lagging` where it does not, or is not there yet.
 */
export async function lastBlock(
  node: OneNode,
  range: BlockRange,
  parts: Parts,
  deadline: AbortSignal,
): Promise<Block> {
  const slots = await slotsOf(node, range, deadline)
  const before = (at: number) => slots[at - 1] ?? range.from - 1
  const afterGaps = slots.flatMap((slot, at) =>
    slot - 1 > before(at) ? [{ slot, before: slots[at - 1] }] : [],
  )
  const parents = await askInParts(
    node,
    afterGaps.map(({ slot }) => blockCall(slot)),
    (answer, at) => {
      const { slot, before } = afterGaps[at] as { slot: number; before: number | undefined }
      const { parentSlot } = (answer ?? {}) as Record<string, unknown>
      const parent = readSlot(parentSlot)
      if (before === undefined ? parent < range.from : parent === before) return parent
      throw new ChainError('lagging', `the node has lost slot ${parent}, the parent of ${slot}`)
    },
    parts,
    deadline,
  )
  const last = slots.findLast((slot) => slot <= range.to) ?? (parents[0] as number)
  return node.read([blockCall(last)], ([block]) => readBlock(block, last), deadline)
}

/** The slots of a range that the node has blocks of, and, where the last is not among them, the next one after it. */
function slotsOf(
  node: OneNode,
  { from, to }: BlockRange,
  deadline: AbortSignal,
): Promise<readonly number[]> {
  return node.read(
    [slotCall, { method: 'getBlocks', params: [from, to + lookAheadSlots, { commitment }] }],
    ([finalized, answer]) => {
      const slots = (answer as readonly unknown[]).map(readSlot)
      const end = slots.findIndex((slot) => slot >= to)
      if (readSlot(finalized) >= to && end >= 0) return slots.slice(0, end + 1)
      throw new ChainError('lagging', `the node does not have slot ${to}`)
    },
    deadline,
  )
}
