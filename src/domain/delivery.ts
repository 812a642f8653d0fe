import { id as eventId, type Type } from './event.ts'

/** One attempt at a delivery. */
export type Attempt = {
  readonly attempt: number
  readonly startedAt: string
  readonly durationMs: number
  /** What the receiver answered; null: nothing. */
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

/** `failed`: no attempt is left; `cancelled`: its webhook was deleted. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const

export type DeliveryState = (typeof deliveryStates)[number]

/** An event on its way to one webhook, as the webhook's owner sees it. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: Type
  readonly state: DeliveryState
  readonly isTest: boolean
  /** Oldest first. */
  readonly attempts: readonly Attempt[]
  /** Null unless pending. */
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

/** How many deliveries to one webhook are claimed, attempted and recorded together, at most. */
export const batchSize = 25

/** Where a delivery stands: the batch it was announced in, and its place there. */
export type Position = { readonly batchId: string; readonly place: number }

/** A delivery's public id, a UUID (RFC 9562, version 8): batch and place, then the webhook's own random end, so that nobody guesses it. */
export function deliveryId({ batchId, place }: Position, webhookId: string): string {
  const batch = BigInt(batchId).toString(16).padStart(12, '0')
  const placed = place.toString(16).padStart(3, '0')
  return `${batch.slice(0, 8)}-${batch.slice(8)}-8${placed}-${webhookId.slice(19)}`
}

/** The delivery of a sample event right after it is made at this position, `at` that time. */
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

/** What an id says, which need not be true: see whether the delivery found there has this id. */
export function positionOf(id: string): Position {
  const batchId = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}`).toString()
  return { batchId, place: Number.parseInt(id.slice(15, 18), 16) }
}

/** One page of a webhook's log: behind the delivery with the id `after`, in this state where one is given. */
export type LogQuery = {
  readonly after: string | null
  readonly state: DeliveryState | null
  readonly limit: number
}

export type Log = { readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }
