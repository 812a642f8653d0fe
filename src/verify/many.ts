import {
  type Anchored,
  headFrom,
  type Missing,
  numberIn,
  readAnchor,
  revocations,
} from './chain.ts'
import type { Ask } from './node.ts'
import type { Chain, Issuer } from './verify-receipt.ts'

/**
 * Answers for many receipts of one issuer: each anchor is read once, and all that was revoked since
 * the first of them in one search. `anchorCount` is how many there were so far.
 */
export function chainForMany(
  ask: Ask,
  { contract, senders }: Pick<Issuer, 'contract' | 'senders'>,
): Chain & { anchorCount(): number } {
  const anchors = new Map<string, Promise<Anchored | Missing>>()
  const issuer = { hash: null, senders: senders.map((sender) => sender.toLowerCase()) }
  /** The newest block in which a sender has revoked a hash. */
  const revoked = new Map<string, number>()
  let head = -1
  let searchedFrom = Number.POSITIVE_INFINITY

  async function search(from: number, to: number): Promise<void> {
    for await (const log of revocations(ask, contract.toLowerCase(), issuer, { from, to })) {
      const key = `${log.hash} ${log.sender}`
      revoked.set(key, Math.max(numberIn(log.block), revoked.get(key) ?? 0))
    }
  }

  return {
    readAnchor(anchor) {
      const key = JSON.stringify(anchor)
      const known = anchors.get(key) ?? readAnchor(ask, anchor)
      anchors.set(key, known)
      return known
    },
    async isRevoked(hash, { blockNumber }, sender) {
      if (head < blockNumber) {
        const searchedTo = head
        head = await headFrom(ask, blockNumber)
        if (searchedFrom <= searchedTo) await search(searchedTo + 1, head)
      }
      if (blockNumber < searchedFrom) {
        await search(blockNumber, Math.min(head, searchedFrom - 1))
        searchedFrom = blockNumber
      }
      return (revoked.get(`${hash} ${sender}`) ?? -1) >= blockNumber
    },
    anchorCount: () => anchors.size,
  }
}
