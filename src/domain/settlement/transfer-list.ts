import type { MatchedBy } from '../invoices/progress.ts'
import type { Network } from '../network.ts'
import type { Held } from './candidate.ts'

/**
 * `ambiguous`: unmatched because several invoices could be meant. No filter lists transfers that a
 * reorganisation removed.
 */
export const statuses = ['unmatched', 'ambiguous', 'matched'] as const
export type Status = (typeof statuses)[number]

export type Shown = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly blockTime: string
  /** Null for a mint. */
  readonly from: string | null
  readonly to: string
  /** Decimal USDC. */
  readonly amount: string
  readonly status: Status
  /** `confirmed`: its block is final; `reverted`: it left the chain. */
  readonly state: 'seen' | 'confirmed' | 'reverted'
  readonly invoiceId: string | null
  readonly matchedBy: MatchedBy | null
  /** The operator's key. */
  readonly assignedBy: string | null
  readonly createdAt: string
}

/** A held transfer that fits an invoice by its amount. Amount in decimal USDC. */
export type HeldPayment = Pick<Shown, 'txHash' | 'amount' | 'from' | 'blockTime'> & {
  readonly why: Held
}

/** Ordered by `createdAt`, then chain, transaction, position. */
export type Place = Pick<Shown, 'createdAt' | 'chain' | 'txHash' | 'position'>

/** `heldFor`: those that fit what this account's open invoices are due, or ask. */
export type Query = {
  readonly status: Status | 'held' | null
  readonly heldFor?: string
  readonly chain: Network | null
  readonly after: Place | null
  readonly offset: number
  readonly limit: number
}

/** Newest first. A large `total` is an estimate. */
export type Listed = {
  readonly transfers: readonly Shown[]
  readonly total: number
  readonly hasMore: boolean
}
