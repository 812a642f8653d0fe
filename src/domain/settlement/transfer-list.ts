import type { MatchedBy } from '../invoices/progress.ts'
import type { Network } from '../network.ts'

/**
 * `ambiguous`: unmatched because several accounts could be meant. No filter lists transfers that a
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

/** Ordered by `createdAt`, then chain, transaction, position. */
export type Place = Pick<Shown, 'createdAt' | 'chain' | 'txHash' | 'position'>

export type Query = {
  readonly status: Status | null
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
