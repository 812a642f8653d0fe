import type { MatchedBy } from './invoice.ts'
import type { Network } from './network.ts'

/**
 * `unmatched`: credited to nobody, for whatever reason; `ambiguous`: of these, what several accounts could mean; `matched`: credited. Asked
 * for, none of them brings what a reorganisation has taken back: that keeps the one it had, and is told by its state.
 */
export const statuses = ['unmatched', 'ambiguous', 'matched'] as const
export type Status = (typeof statuses)[number]

/** A transfer as operators see it. */
export type Shown = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly blockTime: string
  readonly from: string
  readonly to: string
  /** Decimal USDC. */
  readonly amount: string
  readonly status: Status
  /** Whether its block is final; `reverted`: it is no longer in the chain. */
  readonly state: 'seen' | 'confirmed' | 'reverted'
  readonly invoiceId: string | null
  readonly matchedBy: MatchedBy | null
  /** The key of the operator who assigned it. */
  readonly assignedBy: string | null
  readonly createdAt: string
}

/** A transfer's place in the list, which is in order of `createdAt` and name. */
export type Place = Pick<Shown, 'createdAt' | 'chain' | 'txHash' | 'position'>

export type Query = {
  readonly status: Status | null
  readonly chain: Network | null
  readonly after: Place | null
  readonly offset: number
  readonly limit: number
}

/** A page, newest first; `total` counts all that match. */
export type Listed = {
  readonly transfers: readonly Shown[]
  readonly total: number
  readonly hasMore: boolean
}
