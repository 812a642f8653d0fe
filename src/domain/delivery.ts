import type { Type } from './event.ts'

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

/** An event on its way to one webhook, as the webhook's owner sees it. */
export type Delivery = {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: Type
  /** `failed`: no attempt is left; `cancelled`: its webhook was deleted. */
  readonly state: 'pending' | 'delivered' | 'failed' | 'cancelled'
  readonly isTest: boolean
  /** Oldest first. */
  readonly attempts: readonly Attempt[]
  /** Null unless pending. */
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

export type Log = { readonly deliveries: readonly Delivery[]; readonly hasMore: boolean }
