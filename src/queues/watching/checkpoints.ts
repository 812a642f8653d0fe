import type { Block } from '../../chain/chain.ts'
import type { Checkpoint } from '../../storage/cursors.ts'

/** Blocks that are all remembered. */
const newest = 16
/** How many are remembered of those that are between a power of two and twice as many blocks old. */
const perDoubling = 4
/** Longer than any chain here takes until what it holds is final on Ethereum. */
const oldest = 65_536

/**
 * The checkpoints to keep once this block has been read, oldest first: each of the newest 16 blocks, then four for every doubling of age.
 * So the block where a reorganisation began is found to within a quarter of its depth. About seventy at most.
 */
export function checkpointsAfter(
  trusted: readonly Checkpoint[],
  { number, hash }: Pick<Block, 'number' | 'hash'>,
): readonly Checkpoint[] {
  const kept: Checkpoint[] = []
  for (const checkpoint of trusted) {
    const age = number - checkpoint.number
    if (age <= 0 || age > oldest) continue
    const apart = age < newest ? 1 : 2 ** Math.floor(Math.log2(age)) / perDoubling
    // Counted from the first block of the chain, so that what is left out never depends on when it is looked at.
    const place = (block = -1) => Math.floor(block / apart)
    if (place(checkpoint.number) !== place(kept.at(-1)?.number)) kept.push(checkpoint)
  }
  return [...kept, { number, hash }]
}
