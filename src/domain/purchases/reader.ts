import type { Transaction } from './evidence.ts'

/** A signed message that is to pay a purchase on Solana. */
export type ForwardedMessage = {
  readonly payer: string
  /** Identifies the message among the payer's others. */
  readonly nonce: string
  /** The transaction that the upstream named, if any; tried first. */
  readonly txHash: string | null
  readonly firstForwardedAt: Date
  readonly forwardedAt: Date
}

/**
 * What can be asked about payments to addresses that are not watched. Rejects with `ChainError`:
 * `lagging` where something is absent and no node has proven that it knows the block `seen`, also
 * once `limitMs` has passed.
 */
export type PurchaseReader = {
  /** Null while it is not mined. With `seen` null, absence needs no proof. */
  transaction(txHash: string, payTo: string, seen: number | null): Promise<Transaction | null>
  /** Whether an EIP-3009 authorization has been used or cancelled as of the block `seen`. */
  isUsed(from: string, nonce: string, seen: number | 'latest', limitMs?: number): Promise<boolean>
  /** The transaction that used or cancelled an authorization since a moment, or null. */
  transactionUsing(
    from: string,
    nonce: string,
    since: Date,
  ): Promise<{ readonly txHash: string; readonly blockNumber: number } | null>
  /**
   * The transaction that executed a message signed on Solana; null once none can any more,
   * `waiting` while one may. Null needs a node that has every block that could hold it.
   */
  transactionOf(message: ForwardedMessage, limitMs?: number): Promise<string | null | 'waiting'>
}
