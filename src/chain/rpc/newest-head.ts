import { ChainError } from '../chain.ts'
import type { NamedNode, NodeWatch } from './rpc.ts'

/** How long one block may be the newest: a chain that is alive makes one every few seconds. */
const standsStillMs = 60_000
/** How long a node may be behind in every answer before it is reported; all are now and then. */
const behindMs = 60_000
/** After this long without an answer it is not known to have been behind in between. */
const unseenMs = 30_000

/** Returns the number of the newest block of `node`, or throws `lagging`. */
export type HeadCheck = (node: NamedNode, headBlock: number) => number

/**
 * Refuses a head that is behind an earlier one, or that has been the newest for a minute: another
 * node may know better. A head that nobody has been at for a minute is forgotten: it was told by
 * mistake, or is gone. `onNode` is called when a node is found to stand still or has been behind
 * for a minute, and when it is neither any more. `steadyMs` is a monotonic clock.
 */
export function createHeadCheck(steadyMs: () => number, onNode: NodeWatch = () => {}): HeadCheck {
  let newest = 0
  let sinceMs = 0
  /** The answers since the newest head was last told, which were all behind it. */
  let behind: { readonly sinceMs: number; readonly newest: number } | null = null
  const laggards = new Map<NamedNode, Lag>()

  function reportAfter(node: NamedNode, patienceMs: number): void {
    const nowMs = steadyMs()
    const lag = laggards.get(node) ?? { sinceMs: nowMs, seenMs: nowMs, isReported: false }
    laggards.set(node, lag)
    // A backup is asked now and then, and may then be a block behind.
    if (nowMs - lag.seenMs > unseenMs) lag.sinceMs = nowMs
    lag.seenMs = nowMs
    if (lag.isReported || nowMs - lag.sinceMs < patienceMs) return
    lag.isReported = true
    onNode({ host: node.host, fault: 'lagging' })
  }

  function note(headBlock: number): void {
    if (headBlock >= newest) {
      behind = null
      return
    }
    const nowMs = steadyMs()
    behind = {
      sinceMs: behind?.sinceMs ?? nowMs,
      newest: Math.max(behind?.newest ?? 0, headBlock),
    }
    if (nowMs - behind.sinceMs < behindMs) return
    newest = behind.newest
    sinceMs = nowMs
    behind = null
    // Nobody was behind anything that is.
    for (const lag of laggards.values()) lag.sinceMs = nowMs
  }

  function acquit(node: NamedNode): void {
    if (laggards.get(node)?.isReported) onNode({ host: node.host, fault: null })
    laggards.delete(node)
  }

  return (node, headBlock) => {
    note(headBlock)
    if (headBlock < newest) {
      reportAfter(node, behindMs)
      throw new ChainError('lagging', `the node is at block ${headBlock} of ${newest}`)
    }
    if (headBlock === newest && steadyMs() - sinceMs > standsStillMs) {
      reportAfter(node, 0)
      throw new ChainError('lagging', `the node has stood at block ${headBlock} for a minute`)
    }
    acquit(node)
    if (headBlock > newest) {
      newest = headBlock
      sinceMs = steadyMs()
    }
    return headBlock
  }
}

/** Since when a node has been behind or stood still in every answer, and when it was so last. */
type Lag = { sinceMs: number; seenMs: number; isReported: boolean }

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
