import { hash } from 'node:crypto'
import type { Type } from './events.ts'

/** A public entry of the trail of an invoice or mandate; `data` is JSON text. */
export type Stored = {
  readonly subjectId: string
  /** Increases from event to event of a subject. */
  readonly sequence: number
  readonly type: Type
  readonly data: string
  readonly createdAt: Date
}

/** A UUID, made from a hash: the same event always has the same id. */
export function id(subjectId: string, sequence: number): string {
  const hex = hash('sha256', `${subjectId} ${sequence}`, 'hex')
  // The version and variant bits of RFC 9562, version 8.
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The body of every delivery: contract §8. */
export function envelope(eventId: string, event: Stored): string {
  const { sequence, type, data, createdAt } = event
  return `{"id":"${eventId}","type":"${type}","createdAt":"${createdAt.toISOString()}","sequence":${sequence},"data":${data}}`
}

const mostRetryAfterSeconds = 3_600

/**
 * The delay after attempt `attempt` (1 is the first) in ms; null: give up. `scheduleMs` holds the
 * delay before each attempt; `jitter` from 0 to 1 spreads it over ±10 %. A `Retry-After` only
 * lengthens it, to one hour at most.
 */
export function retryDelayMs(
  failed: { readonly attempt: number; readonly retryAfterSeconds: number | null },
  scheduleMs: readonly number[],
  jitter: number,
): number | null {
  const delayMs = scheduleMs[failed.attempt]
  if (delayMs === undefined) return null
  const spreadMs = Math.round(delayMs * (0.9 + 0.2 * jitter))
  const askedMs = 1_000 * Math.min(failed.retryAfterSeconds ?? 0, mostRetryAfterSeconds)
  return Math.max(spreadMs, askedMs)
}
