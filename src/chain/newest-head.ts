import { ChainError } from './chain.ts'

/** On a chain that is alive a block takes seconds. */
const standsStillMs = 60_000

/** Lets the number of a node's newest block pass, or throws `lagging`. */
export type HeadCheck = (headBlock: number) => number

/** Refuses a head that is behind one told before, or that has been the newest for a minute: another node may know better. */
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

/** What the first question answers, or the second where the first failed because every node lags. */
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
