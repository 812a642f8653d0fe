import type { ChainError, ChainFault } from './chain.ts'
import { NodeError } from './rpc-fault.ts'

/** How it stands with one node. While it rests, others are asked first. */
export type Health = {
  /** What is wrong with it, or null. */
  readonly fault: ChainFault | null
  /** Failures in a row. */
  readonly failures: number
  /** On the clock of whoever keeps it. */
  readonly restsUntilMs: number
}

export const healthy: Health = { fault: null, failures: 0, restsUntilMs: 0 }

const firstRestMs = 1_000
const longestRestMs = 15_000
/** A provider may ask for hours; the operator may have bought more from it by then. */
const longestPromiseMs = 60_000

/**
 * The health of a node after it failed a question that was asked at `askedAtMs`: it rests for as long as it says, else for longer
 * each time. `random` of 0…1 spreads those who failed together.
 */
export function afterFailure(
  health: Health,
  error: ChainError,
  { askedAtMs, nowMs, random }: { askedAtMs: number; nowMs: number; random: number },
): Health {
  // Of many questions under way when it fails, the first one tells.
  if (askedAtMs < health.restsUntilMs) return health
  const restMs = Math.min(firstRestMs * 2 ** health.failures, longestRestMs) * (0.75 + random / 2)
  const promisedMs = Math.min(error.retryAfterMs ?? 0, longestPromiseMs)
  return {
    fault: error.fault,
    failures: health.failures + 1,
    restsUntilMs: nowMs + Math.max(restMs, promisedMs),
  }
}

/** Whether an error tells against the node, and not against what was asked of it. */
export function isOfNode(error: ChainError): boolean {
  if (error.fault === 'invalid_answer') return !(error instanceof NodeError)
  return error.fault !== 'range_refused' && error.fault !== 'lagging'
}

/**
 * Whom to ask, in this order: the first that is well, then those that rest, the next to be through with it first. Who limits our
 * rate is not asked while it rests: asking is what it does not want.
 */
export function inAskingOrder<Node extends { readonly health: Health }>(
  nodes: readonly Node[],
  nowMs: number,
): readonly Node[] {
  const restsUntil = ({ health }: Node) => Math.max(health.restsUntilMs, nowMs)
  return nodes
    .filter((node) => node.health.fault !== 'rate_limited' || restsUntil(node) === nowMs)
    .toSorted((a, b) => restsUntil(a) - restsUntil(b))
}
