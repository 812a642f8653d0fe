import type { Block } from '../../chain/chain.ts'
import type { Checkpoint } from '../../storage/settlement/cursors.ts'

/** The number of newest blocks that are all kept. */
const newest = 16
/** How many checkpoints are kept per doubling of age. */
const perDoubling = 4
/** In blocks; longer than any supported chain takes until its blocks are final on Ethereum. */
const oldest = 65_536

/**
 * The checkpoints to keep once this block has been read, oldest first: each of the newest 16
 * blocks, then four for every doubling of age. The block where a reorganisation began is thus found
 * to within a quarter of its depth. About seventy at most.
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
    // Counted from the chain's first block, so that which checkpoints are dropped never depends on
    // when this runs.
    const place = (block = -1) => Math.floor(block / apart)
    if (place(checkpoint.number) !== place(kept.at(-1)?.number)) kept.push(checkpoint)
  }
  return [...kept, { number, hash }]
}
