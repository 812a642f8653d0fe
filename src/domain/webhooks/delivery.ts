import { id as eventId } from './event.ts'
import type { Type } from './events.ts'

/** One attempt to deliver an event to a webhook. */
export type Attempt = {
  readonly attempt: number
  readonly startedAt: string
  readonly durationMs: number
  /** The receiver's HTTP status; null: no response. */
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

/** The states of a delivery. `failed`: no attempt is left; `cancelled`: its webhook was deleted. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const

export type DeliveryState = (typeof deliveryStates)[number]

/** The delivery of an event to one webhook, as the webhook's owner sees it. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: Type
  readonly state: DeliveryState
  readonly isTest: boolean
  /** The attempts that are over, in the order in which they ended. */
  readonly attempts: readonly Attempt[]
  /** Null unless the delivery is pending. */
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

/** The most deliveries to one webhook that are leased, attempted and recorded together. */
export const batchSize = 25
/** The same for events of mandates, each of which may hold 132 KiB: what is leased is in memory. */
export const mandateBatchSize = 2

/** From this size on the log of a delivery's attempts is full: each attempt writes it anew. */
export const fullLogBytes = 131_072

/**
 * When a worker is told that a webhook has a retry due: not before it, and later by a 64th of the
 * delay at most. Retries that are due at about the same time share this moment, so that it makes no
 * job for each of any number of failures.
 */
export function ringAtMs(nowMs: number, delayMs: number): number {
  const step = 2 ** Math.floor(Math.log2(Math.max(1, delayMs / 64)))
  return Math.ceil((nowMs + delayMs) / step) * step
}

/** Where a delivery is stored: the batch it was created in, and its place in that batch. */
export type Position = { readonly batchId: string; readonly place: number }

/**
 * A delivery's public id, a UUID (RFC 9562, version 8): batch and place, then the random end of the
 * webhook's own id, so that ids cannot be guessed.
 */
export function deliveryId({ batchId, place }: Position, webhookId: string): string {
  const batch = BigInt(batchId).toString(16).padStart(12, '0')
  const placed = place.toString(16).padStart(3, '0')
  return `${batch.slice(0, 8)}-${batch.slice(8)}-8${placed}-${webhookId.slice(19)}`
}

/**
 * A newly created test delivery of a sample event, stored at `position` at the time `position.at`.
 */
export function sampleDelivery(
  position: Position & { readonly at: Date },
  webhookId: string,
  sample: { readonly subjectId: string; readonly type: Type },
): Delivery {
  const at = position.at.toISOString()
  return {
    id: deliveryId(position, webhookId),
    webhookId,
    eventId: eventId(sample.subjectId, 1),
    type: sample.type,
    state: 'pending',
    isTest: true,
    attempts: [],
    nextAttemptAt: at,
    createdAt: at,
  }
}

/**
 * The position an id names. It need not be true: check that the delivery found there has this id.
 */
export function positionOf(id: string): Position {
  const batchId = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}`).toString()
  return { batchId, place: Number.parseInt(id.slice(15, 18), 16) }
}

/**
 * One page of a webhook's delivery log: what follows the delivery with the id `after`, in `state`
 * if one is given.
 */
export type LogQuery = {
  readonly after: string | null
  readonly state: DeliveryState | null
  readonly limit: number
}

export type Log = { readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }

/**
 * How long before an attempt its webhook may last have been seen active, with its URL and secret:
 * no attempt starts when a deletion is older than this, unless it has a longer lease, for which the
 * deletion waits.
 */
export const freshMs = 200
