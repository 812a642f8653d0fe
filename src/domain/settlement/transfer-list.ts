import type { MatchedBy } from '../invoices/progress.ts'
import type { Network } from '../network.ts'

/**
 * The statuses to filter transfers by:
 * - `unmatched`: credited to no invoice, for whatever reason
 * - `ambiguous`: unmatched because invoices of several accounts could be meant
 * - `matched`: credited to an invoice
 *
 * Transfers that a reorganisation removed keep the status they had, marked by `state`, but no
 * filter lists them.
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
  /** The amount in decimal USDC. */
  readonly amount: string
  readonly status: Status
  /** `confirmed`: its block is final; `reverted`: it is no longer in the chain. */
  readonly state: 'seen' | 'confirmed' | 'reverted'
  readonly invoiceId: string | null
  readonly matchedBy: MatchedBy | null
  /** The key of the operator who assigned it. */
  readonly assignedBy: string | null
  readonly createdAt: string
}

/** A transfer's place in the list: ordered by `createdAt`, then chain, transaction, position. */
export type Place = Pick<Shown, 'createdAt' | 'chain' | 'txHash' | 'position'>

export type Query = {
  readonly status: Status | null
  readonly chain: Network | null
  readonly after: Place | null
  readonly offset: number
  readonly limit: number
}

/** One page of transfers, newest first. `total` is how many match; a large one is an estimate. */
export type Listed = {
  readonly transfers: readonly Shown[]
  readonly total: number
  readonly hasMore: boolean
}
