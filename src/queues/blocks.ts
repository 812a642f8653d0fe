import { type Block, type Chain, clockMarginMs } from '../chain/chain.ts'
import type { Confirmations } from '../chain/registry.ts'

/** A block certainly older than this moment, but not by much; the head if even that is older. */
export async function lastBlockBefore(
  chain: Pick<Chain, 'block'>,
  moment: Date,
  head: Block,
): Promise<number> {
  const sinceMs = moment.getTime() - clockMarginMs
  if (sinceMs > head.timestampMs) return head.number
  let [before, after] = [0, head.number]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    const block = await chain.block(middle)
    // A node that has pruned old blocks knows none that matter here.
    if (block === null || block.timestampMs < sinceMs) before = middle
    else after = middle
  }
  return before
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
