import { type Block, type Chain, ChainError } from '../../chain/chain.ts'
import type { Checkpoint, Cursor } from '../../storage/settlement/cursors.ts'
import { noneIfPruned } from '../blocks.ts'

export type Resumption = { readonly from: number; readonly trusted: readonly Checkpoint[] }

const newest = 16
const perDoubling = 4
/** In blocks; longer than any chain takes to be final. */
const oldest = 65_536

/**
 * The checkpoints to keep, oldest first: the newest 16 blocks, then four for every doubling of age,
 * so that a reorganisation is found to within a quarter of its depth.
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
    // Slots are absolute, so which ones are dropped never depends on when this runs.
    const slot = (block = -1) => Math.floor(block / apart)
    if (slot(checkpoint.number) !== slot(kept.at(-1)?.number)) kept.push(checkpoint)
  }
  return [...kept, { number, hash }]
}

/** The cursor's block, or one further back after a reorganisation. Errors: those of the chain. */
export async function resume(
  chain: Pick<Chain, 'block'>,
  { nextBlock, checkpoints }: Cursor,
  head: Block,
  onReorganised: (block: number) => void,
): Promise<Resumption> {
  // A lagging node lacks the newest checkpoint.
  const known = checkpoints.filter(({ number }) => number <= head.number)
  for (let at = known.length - 1; at >= 0; at--) {
    const { number, hash } = known[at] as Checkpoint
    const block = await chain.block(number, hash)
    if (block === null) throw new ChainError('lagging', `the node does not have block ${number}`)
    const trusted = known.slice(0, at + 1)
    if (block.hash === hash && isUnchangedFrom(at)) return { from: nextBlock, trusted }
    if (block.hash === hash) return { from: Math.min(nextBlock, number + 1), trusted }
    onReorganised(number)
  }
  const from = Math.min(nextBlock, known[0]?.number ?? nextBlock)
  return { from, trusted: await firstCheckpoint(chain, from) }

  /**
   * If it is not the newest checkpoint, later blocks may have been replaced; but a chain that has
   * not reached the cursor again is waited for.
   */
  function isUnchangedFrom(at: number): boolean {
    const isNewest = at === checkpoints.length - 1
    return isNewest || (at === known.length - 1 && head.number < nextBlock)
  }
}

/** None if the node has pruned it. */
async function firstCheckpoint(
  chain: Pick<Chain, 'block'>,
  number: number,
): Promise<readonly Checkpoint[]> {
  const block = await chain.block(number).catch(noneIfPruned)
  return block === null ? [] : [{ number, hash: block.hash }]
}

/**
 * Throws `lagging` if the chain no longer has this block: new blocks would become checkpoints, and
 * the changes below them would go unnoticed.
 */
export async function refuseMovedChain(
  chain: Pick<Chain, 'block'>,
  tip: Checkpoint | undefined,
): Promise<void> {
  if (tip === undefined) return
  const block = await chain.block(tip.number)
  if (block?.hash === tip.hash) return
  throw new ChainError('lagging', `block ${tip.number} changed while later ones were read`)
}
