import type { ChainError, ChainFault } from '../chain.ts'
import { isRefusal } from './fault.ts'

/** A node's circuit breaker: while it rests, other nodes are asked first. */
export type Health = {
  /** What is wrong with the node; null if it is healthy. */
  readonly fault: ChainFault | null
  /** What kind of question failed last; null if the node is healthy. */
  readonly kind: string | null
  /** Failures in a row. */
  readonly failures: number
  /** When the node may be asked first again, on the monotonic clock of the caller. */
  readonly restsUntilMs: number
}

export const healthy: Health = { fault: null, kind: null, failures: 0, restsUntilMs: 0 }

const firstRestMs = 1_000
const longestRestMs = 15_000
/** A provider may ask for hours, but the operator may have bought more by then. */
const longestPromiseMs = 60_000
/** A failed node still starts at least every so many of its turns, to be found healthy again. */
const mostTurnsLeftOut = 8
/** After so long without a failure a node is healthy, whatever it answers. */
const quietMs = 60_000

/**
 * The health of a node after it failed a question of this kind, asked at `askedAtMs`. It rests for
 * a time that doubles with each failure, or longer if it asks. `random` is from 0 to 1.
 */
export function afterFailure(
  health: Health,
  error: ChainError,
  at: { kind: string; askedAtMs: number; nowMs: number; random: number },
): Health {
  const { kind, askedAtMs, nowMs, random } = at
  // Of many questions under way when a node fails, only the first failure counts.
  if (askedAtMs < health.restsUntilMs) return health
  const restMs = Math.min(firstRestMs * 2 ** health.failures, longestRestMs) * (0.75 + random / 2)
  const promisedMs = Math.min(error.retryAfterMs ?? 0, longestPromiseMs)
  return {
    fault: error.fault,
    kind,
    failures: health.failures + 1,
    restsUntilMs: nowMs + Math.max(restMs, promisedMs),
  }
}

/**
 * The health of a node after it answered a question of this kind. It is healthy if it was this kind
 * that failed: some nodes tell their newest block and have no logs.
 */
export function afterAnswer(health: Health, kind: string, nowMs: number): Health {
  const isWell = kind === health.kind || nowMs > health.restsUntilMs + quietMs
  return isWell ? healthy : health
}

/** Whether the node is at fault, not the question. */
export function isNodeFault(error: ChainError): boolean {
  if (error.fault === 'invalid_answer') return !isRefusal(error)
  return error.fault !== 'range_refused' && error.fault !== 'lagging'
}

/**
 * The nodes, starting with the one `turn` places after the first. A failed node starts every second
 * of its turns, then every fourth and so on, and comes last otherwise: it delays what it starts.
 */
export function inTurn<Node extends { readonly health: Health }>(
  nodes: readonly Node[],
  turn: number,
): readonly Node[] {
  const at = turn % nodes.length
  const [first, ...others] = [...nodes.slice(at), ...nodes.slice(0, at)]
  if (!first) return []
  const round = Math.floor(turn / nodes.length)
  const isDue = round % Math.min(2 ** first.health.failures, mostTurnsLeftOut) === 0
  return isDue ? [first, ...others] : [...others, first]
}

/**
 * Healthy nodes first, in their given order, then resting ones, the shortest rest first. A node
 * that limits our rate is left out while it rests.
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
