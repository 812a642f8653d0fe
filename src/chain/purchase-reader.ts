import type { SignedTransfer } from '../domain/x402/forwarded-payment.ts'
import type { Block } from './chain.ts'
import type { Use } from './evm/authorizations.ts'

export type PurchaseTransfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  readonly nonce: string | null
}

/** A signed message that paid a purchase on Solana. */
export type ForwardedMessage = Pick<SignedTransfer, 'payer' | 'nonce'> & {
  /** The transaction that the upstream named, if any; tried first. */
  readonly txHash: string | null
  readonly firstForwardedAt: Date
  readonly forwardedAt: Date
}

/** A mined transaction with its USDC transfers to one address; none if it failed. */
export type PurchaseTransaction = {
  readonly blockNumber: number
  readonly transfers: readonly PurchaseTransfer[]
}

/**
 * What can be asked about payments to addresses that are not watched. Rejects with `ChainError`:
 * `lagging` where something is absent and no node has proven that it knows the block `seen`.
 */
export type PurchaseReader = {
  head(): Promise<Block>
  finalizedNumber(): Promise<number | null>
  /** Null while it is not mined. With `seen` null, absence needs no proof. */
  transaction(
    txHash: string,
    payTo: string,
    seen: number | null,
  ): Promise<PurchaseTransaction | null>
  /** Whether an EIP-3009 authorization has been used or cancelled as of the block `seen`. */
  isUsed(
    from: string,
    nonce: string,
    seen: number | 'latest',
    deadline?: AbortSignal,
  ): Promise<boolean>
  transactionUsing(from: string, nonce: string, sinceMs: number): Promise<Use | null>
  /**
   * The transaction that executed a message signed on Solana; null once none can any more,
   * `waiting` while one may. Null needs a node that has every block that could hold it.
   */
  transactionOf(
    message: ForwardedMessage,
    deadline?: AbortSignal,
  ): Promise<string | null | 'waiting'>
}
