import { ChainError } from '../chain.ts'
import type { NodeWatch } from './failover.ts'
import type { NamedNode } from './proven.ts'

const standsStillMs = 60_000
/** A node that is a block behind for a moment is not reported. */
const behindMs = 60_000

export type HeadCheck = (node: NamedNode, headBlock: number) => number

/** Refuses a head that is behind another node's, or has stood for a minute, as `lagging`. */
export function createHeadCheck(steadyMs: () => number, onNode: NodeWatch = () => {}): HeadCheck {
  let newest = 0
  let sinceMs = 0
  const laggards = new Map<NamedNode, { readonly sinceMs: number; isReported: boolean }>()

  function reportAfter(node: NamedNode, graceMs: number): void {
    const lag = laggards.get(node) ?? { sinceMs: steadyMs(), isReported: false }
    laggards.set(node, lag)
    if (lag.isReported || steadyMs() - lag.sinceMs < graceMs) return
    lag.isReported = true
    onNode({ host: node.host, fault: 'lagging' })
  }

  function clear(node: NamedNode): void {
    if (laggards.get(node)?.isReported) onNode({ host: node.host, fault: null })
    laggards.delete(node)
  }

  return (node, headBlock) => {
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
