import { type Block, type BlockRange, ChainError, type Look, type Recorded } from '../chain.ts'
import type { NamedNode } from './rpc.ts'

/**
 * Rejects with `invalid_answer` where `node` leaves out a transfer on record although the block it
 * was found in is still in the chain, so that the next URL is asked. `isShown`: whether the node's
 * answer about `range` has this transfer. `blockAt` reads a block from the node.
 */
export async function refuseLeftOut(
  node: NamedNode,
  { range, recorded = [] }: { readonly range: BlockRange } & Pick<Look, 'recorded'>,
  isShown: (transfer: Recorded) => boolean,
  blockAt: (number: number) => Promise<Block>,
): Promise<void> {
  const isLost = (one: Recorded) =>
    one.blockNumber >= range.from && one.blockNumber <= range.to && !isShown(one)
  const lost = new Map(recorded.filter(isLost).map((one) => [one.blockHash, one]))
  for (const { blockNumber, blockHash, txHash } of lost.values()) {
    if ((await blockAt(blockNumber)).hash !== blockHash) continue
    const omission = `${node.host} left out ${txHash} of block ${blockNumber}`
    throw new ChainError('invalid_answer', omission)
  }
}
