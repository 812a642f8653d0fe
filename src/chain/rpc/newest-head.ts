import { ChainError } from '../chain.ts'
import type { NodeWatch } from './failover.ts'
import type { NamedNode } from './proven.ts'

const standsStillMs = 60_000
const behindMs = 60_000
const unseenMs = 30_000

export type HeadCheck = (node: NamedNode, headBlock: number) => number

/** Refuses a head that lags or has stalled. One that no node repeats for a minute was an error. */
export function createHeadCheck(steadyMs: () => number, onNode: NodeWatch = () => {}): HeadCheck {
  let newest = 0
  let sinceMs = 0
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

type Lag = { sinceMs: number; seenMs: number; isReported: boolean }

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
