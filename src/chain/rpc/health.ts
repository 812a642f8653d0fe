import type { ChainError, ChainFault } from '../chain.ts'
import { isRefusal } from './fault.ts'

/** A circuit breaker: while a node rests, other nodes are asked first. */
export type Health = {
  readonly fault: ChainFault | null
  readonly kind: string | null
  readonly failures: number
  readonly restsUntilMs: number
}

export const healthy: Health = { fault: null, kind: null, failures: 0, restsUntilMs: 0 }

const firstRestMs = 1_000
const longestRestMs = 15_000
/** A provider may ask for hours, but the operator may have bought more by then. */
const longestPromiseMs = 60_000
const quietMs = 60_000

/** The rest doubles with each failure. */
export function afterFailure(
  health: Health,
  error: ChainError,
  at: { kind: string; askedAtMs: number; nowMs: number; random: number },
): Health {
  const { kind, askedAtMs, nowMs, random } = at
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

/** Healthy again only if the kind that failed succeeds: some nodes know heads but no logs. */
export function afterAnswer(health: Health, kind: string, nowMs: number): Health {
  const isWell = kind === health.kind || nowMs > health.restsUntilMs + quietMs
  return isWell ? healthy : health
}

export function isNodeFault(error: ChainError): boolean {
  if (error.fault === 'invalid_answer') return !isRefusal(error)
  return error.fault !== 'range_refused' && error.fault !== 'lagging'
}

/** Healthy nodes first, then the shortest rest; nodes that limit our rate are left out. */
export function healthiestFirst<Node extends { readonly health: Health }>(
  nodes: readonly Node[],
  nowMs: number,
): readonly Node[] {
  const restsUntil = ({ health }: Node) => Math.max(health.restsUntilMs, nowMs)
  return nodes
    .filter((node) => node.health.fault !== 'rate_limited' || restsUntil(node) === nowMs)
    .toSorted((a, b) => restsUntil(a) - restsUntil(b))
}
