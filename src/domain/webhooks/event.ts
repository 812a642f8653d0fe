import { hash } from 'node:crypto'
import type { Type } from './events.ts'

/**
 * One public entry of a subject's trail (of an invoice or mandate). `data` is JSON text, as
 * subscribers read it.
 */
export type Stored = {
  readonly subjectId: string
  /** Increases by one or more from event to event of a subject. */
  readonly sequence: number
  readonly type: Type
  readonly data: string
  readonly createdAt: Date
}

/**
 * `evt_<uuid>`: always the same id for the same event, since it is a hash of the subject's id and
 * the sequence number.
 */
export function id(subjectId: string, sequence: number): string {
  const hex = hash('sha256', `${subjectId} ${sequence}`, 'hex')
  // The version and variant bits of a UUID made from a hash (RFC 9562, version 8).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return `evt_${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The body of every delivery of an event; `eventId` becomes its `id`. Contract §8. */
export function envelope(eventId: string, event: Stored): string {
  const { sequence, type, data, createdAt } = event
  return `{"id":"${eventId}","type":"${type}","createdAt":"${createdAt.toISOString()}","sequence":${sequence},"data":${data}}`
}

const mostRetryAfterSeconds = 86_400

/**
 * How long to wait after attempt number `attempt` (1 is the first) has failed, in ms; null: give
 * up. `scheduleMs` holds the delay before each attempt, 0 before the first; `jitter` from 0 to 1
 * spreads it over ±10 %. A receiver's `Retry-After` can only lengthen the delay, to one day at
 * most.
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
