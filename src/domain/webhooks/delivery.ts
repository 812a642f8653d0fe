import { id as eventId } from './event.ts'
import type { Type } from './events.ts'

export type Attempt = {
  readonly attempt: number
  readonly startedAt: string
  readonly durationMs: number
  /** Null: no response. */
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

/** `failed`: no attempt is left; `cancelled`: the webhook was deleted. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const

export type DeliveryState = (typeof deliveryStates)[number]

export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: Type
  readonly state: DeliveryState
  readonly isTest: boolean
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[]
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

/** Deliveries to one webhook that are leased, attempted and recorded together. */
export const batchSize = 25
/** Mandates may hold 132 KiB each, and leased deliveries are in memory. */
export const mandateBatchSize = 2

/** Each attempt writes the log anew, so it stops growing at this size. */
export const fullLogBytes = 131_072

/**
 * Wakes a worker up to a 64th of the delay late: retries due at about the same time share a job.
 */
export function ringAtMs(nowMs: number, delayMs: number): number {
  const step = 2 ** Math.floor(Math.log2(Math.max(1, delayMs / 64)))
  return Math.ceil((nowMs + delayMs) / step) * step
}

/** The batch a delivery was created in, and its place there. */
export type Position = { readonly batchId: string; readonly place: number }

/**
 * A UUID (version 8) of batch, place and the random end of the webhook's id: nobody can guess it.
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

/** The position an id names; the delivery found there may have another id. */
export function positionOf(id: string): Position {
  const batchId = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}`).toString()
  return { batchId, place: Number.parseInt(id.slice(15, 18), 16) }
}

/** What follows the delivery `after`, in `state` if given. */
export type LogQuery = {
  readonly after: string | null
  readonly state: DeliveryState | null
  readonly limit: number
}

export type Log = { readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }
