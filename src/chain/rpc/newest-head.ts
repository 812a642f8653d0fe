import { ChainError } from '../chain.ts'
import type { NodeWatch } from './failover.ts'
import type { NamedNode } from './proven.ts'

/** How long one block may be the newest: chains make one every few seconds. */
const standsStillMs = 60_000
/** How long a node may be behind in every answer before it is reported. */
const behindMs = 60_000
/** After so long without an answer, the time behind starts anew. */
const unseenMs = 30_000

/** Returns the number of the newest block of `node`, or throws `lagging`. */
export type HeadCheck = (node: NamedNode, headBlock: number) => number

/**
 * Refuses a head that is behind an earlier one, or has been the newest for a minute: another node
 * may know better. A head at which no node has been for a minute is forgotten: it was an error, or
 * is gone. `onNode` is called when a node stands still or has been behind for a minute, and when it
 * recovers. `steadyMs` is a monotonic clock.
 */
export function createHeadCheck(steadyMs: () => number, onNode: NodeWatch = () => {}): HeadCheck {
  let newest = 0
  let sinceMs = 0
  /** The answers since the newest head was last seen, all behind it. */
  let behind: { readonly sinceMs: number; readonly newest: number } | null = null
  const laggards = new Map<NamedNode, Lag>()

  function reportAfter(node: NamedNode, graceMs: number): void {
    const nowMs = steadyMs()
    const lag = laggards.get(node) ?? { sinceMs: nowMs, seenMs: nowMs, isReported: false }
    laggards.set(node, lag)
    // A backup is asked rarely, and may be a block behind then.
    if (nowMs - lag.seenMs > unseenMs) lag.sinceMs = nowMs
    lag.seenMs = nowMs
    if (lag.isReported || nowMs - lag.sinceMs < graceMs) return
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
    for (const lag of laggards.values()) lag.sinceMs = nowMs
  }

  function clear(node: NamedNode): void {
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
    clear(node)
    if (headBlock > newest) {
      newest = headBlock
      sinceMs = steadyMs()
    }
    return headBlock
  }
}

/** Since when a node has been behind or stood still in every answer, and when it was so last. */
type Lag = { sinceMs: number; seenMs: number; isReported: boolean }

/** The result of `first`; that of `second` where every node lags. */
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
