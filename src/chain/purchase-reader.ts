import type { SignedTransfer } from '../domain/x402/payload.ts'
import type { Block } from './chain.ts'
import type { Use } from './evm/authorizations.ts'

/** A transfer of USDC in a transaction whose hash is known. */
export type PurchaseTransfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** The nonce of the EIP-3009 authorization that caused the transfer; null if none did. */
  readonly nonce: string | null
}

/** A message that was signed on Solana to pay a purchase. */
export type ForwardedMessage = Pick<SignedTransfer, 'payer' | 'nonce'> & {
  /** The transaction that the upstream named, which is looked at first; null: none. */
  readonly txHash: string | null
  /** When it was forwarded first: since shortly before, it may be on chain. */
  readonly firstForwardedAt: Date
  /** When it was forwarded last. */
  readonly forwardedAt: Date
}

/**
 * A transaction in a block. `transfers` are those of USDC to the address that was asked for; a
 * failed transaction has none.
 */
export type PurchaseTransaction = {
  readonly blockNumber: number
  readonly transfers: readonly PurchaseTransfer[]
}

/**
 * What can be asked of a chain about payments to addresses that are not watched. All methods reject
 * with `ChainError`; its fault is `lagging` where something was not found and no node has shown
 * that it knows the block `seen`, without which its absence cannot be believed. Those with a
 * `deadline` also reject once that has passed.
 */
export type PurchaseReader = {
  head(): Promise<Block>
  finalizedNumber(): Promise<number | null>
  /**
   * A transaction with its transfers to `payTo`; null while it is not mined. With `seen` null, for
   * whom nothing follows from its absence, that is believed of any node: to prove it takes a block.
   * That one which succeeded pays nothing is then believed only where no node shows otherwise.
   */
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
  /** The transaction that used or cancelled an authorization since `sinceMs`, or null. */
  transactionUsing(from: string, nonce: string, sinceMs: number): Promise<Use | null>
  /**
   * The transaction by which a message that was signed on Solana has moved its tokens; null: none
   * has, and none can any more; `waiting`: one may yet. That none has is believed only of a node
   * that has every block in which it could have: `lagging` where there is none.
   */
  transactionOf(
    message: ForwardedMessage,
    deadline?: AbortSignal,
  ): Promise<string | null | 'waiting'>
}
