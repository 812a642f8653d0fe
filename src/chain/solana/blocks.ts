import { type Block, type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, type Parts } from '../rpc/parts.ts'
import type { OneNode } from '../rpc/proven.ts'
import { maxSupportedTransactionVersion } from './transactions.ts'

/** Finalized blocks are never replaced. */
export const commitment = 'finalized'

export const slotCall: Call = { method: 'getSlot', params: [{ commitment }] }

export function blockCall(slot: number): Call {
  const options = { commitment, transactionDetails: 'none', rewards: false }
  return { method: 'getBlock', params: [slot, { ...options, maxSupportedTransactionVersion }] }
}

export function readSlot(answer: unknown): number {
  if (typeof answer === 'number') return answer
  throw new ChainError('invalid_answer', 'the node named a slot that is not a number')
}

export function readBlock(answer: unknown, slot: number): Block {
  if (!answer) throw new ChainError('lagging', `the node does not have the block of slot ${slot}`)
  const { blockhash, blockTime } = answer as Record<string, unknown>
  if (typeof blockhash !== 'string' || typeof blockTime !== 'number') {
    throw new ChainError('invalid_answer', `the block of slot ${slot} has no hash or no time`)
  }
  return { number: slot, hash: blockhash, timestampMs: blockTime * 1000 }
}

/** The slots of a range with blocks; if the last slot has none, also the next slot that has one. */
export async function slotsOf(
  node: OneNode,
  { from, to }: BlockRange,
  deadline: AbortSignal,
): Promise<readonly number[]> {
  const slots = await node.read(
    [slotCall, ...listCalls({ from, to })],
    ([finalized, ...lists]) => {
      if (readSlot(finalized) >= to) return readSlots(lists)
      throw new ChainError('lagging', `the node does not have slot ${to}`)
    },
    deadline,
  )
  return slots.at(-1) === to ? slots : [...slots, await firstFrom(node, to, deadline)]
}

function firstFrom(node: OneNode, slot: number, deadline: AbortSignal): Promise<number> {
  return node.read(
    [{ method: 'getBlocksWithLimit', params: [slot, 1, { commitment }] }],
    (lists) => {
      const [first] = readSlots(lists)
      if (first !== undefined) return first
      throw new ChainError('lagging', `the node does not have slot ${slot}`)
    },
    deadline,
  )
}

/**
 * The last block of a range, or the nearest before it if all slots were skipped. A node restarted
 * from a snapshot calls slots that it lacks skipped, so the next block's parent decides; `lagging`
 * where it names another one.
 */
export async function lastBlock(
  node: OneNode,
  { from, to }: BlockRange,
  slots: readonly number[],
  { parts, deadline }: { readonly parts: Parts; readonly deadline: AbortSignal },
): Promise<Block> {
  const afterGaps = slots.flatMap((slot, at) => {
    const before = slots[at - 1]
    return slot - 1 > (before ?? from - 1) ? [{ slot, before }] : []
  })
  const readParent = (answer: unknown, at: number) => {
    const { slot, before } = afterGaps[at] as (typeof afterGaps)[number]
    const parent = readSlot((answer as Record<string, unknown> | null)?.parentSlot)
    if (before === undefined ? parent < from : parent === before) return parent
    throw new ChainError('lagging', `the node has lost slot ${parent}, the parent of ${slot}`)
  }
  const calls = afterGaps.map(({ slot }) => blockCall(slot))
  const parents = await askInParts(node, calls, readParent, parts, deadline)
  const last = slots.findLast((slot) => slot <= to) ?? (parents[0] as number)
  return node.read([blockCall(last)], ([block]) => readBlock(block, last), deadline)
}

/** Checks with every request that the node has the blocks at `slots`: one URL may be many nodes. */
export function nodeWith(slots: readonly number[], node: OneNode, range: BlockRange): OneNode {
  const lists = listCalls(range)
  return {
    read: (calls, understand, deadline) =>
      node.read(
        [...lists, ...calls],
        (answers) => {
          const had = new Set(readSlots(answers.slice(0, lists.length)))
          const lost = slots.find((slot) => slot <= range.to && !had.has(slot))
          if (lost === undefined) return understand(answers.slice(lists.length))
          throw new ChainError('lagging', `the node has lost slot ${lost}`)
        },
        deadline,
      ),
  }
}

function listCalls({ from, to }: BlockRange): readonly Call[] {
  return Array.from({ length: Math.ceil((to - from + 1) / mostSlots) }, (_, at) => {
    const first = from + at * mostSlots
    const last = Math.min(to, first + mostSlots - 1)
    return { method: 'getBlocks', params: [first, last, { commitment }] }
  })
}

function readSlots(lists: readonly unknown[]): readonly number[] {
  return lists.flat().map(readSlot)
}

/** What common providers list at once; Solana's own nodes list 500,000. */
const mostSlots = 10_000
