import { ChainError } from './chain.ts'

/** How long one block may be the newest: a chain that is alive makes one every few seconds. */
const standsStillMs = 60_000

/** Returns the number of a node's newest block, or throws `lagging`. */
export type HeadCheck = (headBlock: number) => number

/**
 * Refuses a head that is behind an earlier one, or that has been the newest for a minute: another
 * node may know better. `steadyMs` is a monotonic clock.
 */
export function createHeadCheck(steadyMs: () => number): HeadCheck {
  let newest = 0
  let sinceMs = 0

  return (headBlock) => {
    if (headBlock < newest) {
      throw new ChainError('lagging', `the node is at block ${headBlock} of ${newest}`)
    }
    if (headBlock === newest && steadyMs() - sinceMs > standsStillMs) {
      throw new ChainError('lagging', `the node has stood at block ${headBlock} for a minute`)
    }
    if (headBlock > newest) {
      newest = headBlock
      sinceMs = steadyMs()
    }
    return headBlock
  }
}

/** The result of `first`; if that rejects with `lagging`, as every node lags, that of `second`. */
export async function unlessLagging<First, Second>(
  first: Promise<First>,
  second: () => Second,
): Promise<First | Awaited<Second>> {
  try {
    return await first
  } catch (error) {
    if (error instanceof ChainError && error.fault === 'lagging') return await second()
    throw error
  }
}
