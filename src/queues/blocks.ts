import { type Block, type Chain, clockMarginMs } from '../chain/chain.ts'
import { isPruned } from '../chain/rpc/fault.ts'
import type { Confirmations } from '../domain/registry.ts'

/** More than what a lagging node lacks: what it does not have further back is pruned. */
const firstStepBlocks = 1_024

/**
 * A block certainly older than this moment, but not by much; the head if even that is older, the
 * oldest that the node has if that is newer. Errors: those of the chain.
 */
export async function lastBlockBefore(
  chain: Pick<Chain, 'block'>,
  moment: Date,
  head: Block,
): Promise<number> {
  const sinceMs = moment.getTime() - clockMarginMs
  if (sinceMs > head.timestampMs) return head.number
  let lacking: number | null = null

  async function isBefore(number: number): Promise<boolean> {
    const block = await chain.block(number).catch(noneIfPruned)
    if (block === null) lacking = number
    // A node that has pruned old blocks knows none that matter here.
    return block === null || block.timestampMs < sinceMs
  }

  // Back from the head in steps that double: a node may refuse old blocks in words that nobody
  // knows, so it is asked for hardly any older than the moment.
  let [before, after] = [Math.max(0, head.number - firstStepBlocks), head.number]
  while (before > 0 && !(await isBefore(before)))
    [before, after] = [Math.max(0, 2 * before - head.number), before]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (await isBefore(middle)) before = middle
    else after = middle
  }
  return before === lacking ? after : before
}

/** For `catch`: null in place of a block that the node has pruned. */
export function noneIfPruned(error: unknown): null {
  if (isPruned(error)) return null
  throw error
}

/** The newest block whose transfers count as confirmed; negative on a chain with too few blocks. */
export async function lastConfirmed(
  chain: Pick<Chain, 'finalizedNumber'>,
  { blocks, finalized }: Confirmations,
  head: Pick<Block, 'number'>,
): Promise<number> {
  const final = finalized ? await chain.finalizedNumber() : null
  return final ?? head.number - blocks + 1
}
