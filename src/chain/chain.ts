import type { Network } from '../domain/network.ts'

export type Block = {
  readonly number: number
  readonly hash: string
  readonly timestampMs: number
}

/** How far a chain's clock and ours may differ. */
export const clockMarginMs = 600_000

export type BlockRange = { readonly from: number; readonly to: number }

/** One USDC transfer to one of our addresses. EVM addresses are in lower case. */
export type Transfer = {
  readonly chain: Network
  readonly txHash: string
  /** The log index on EVM, the instruction index on Solana. */
  readonly position: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly blockTimeMs: number
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly references: readonly string[]
  /**
   * EVM: the call, where it made only this transfer to us and may name an invoice loosely: anywhere
   * else than after the transfer's own (to, amount).
   */
  readonly calldata?: string
  /** EVM: of several calls for it only one was made, and they name different things. */
  readonly isUnsure?: true
  /** The nonce of the EIP-3009 authorization that made the transfer; also in `references`. */
  readonly nonce?: string
  /** Solana: the wallet that signed, `from` or a delegate. */
  readonly authority?: string
  /** Solana: invoice ids or references. They count where none of `references` is ours. */
  readonly memos?: readonly string[]
  /** All memos of the transaction, where it is uncertain which belong to this transfer. */
  readonly unsureMemos?: readonly string[]
}

export type Recorded = Pick<Transfer, 'txHash' | 'position' | 'blockNumber' | 'blockHash'>

export type Paid = { readonly txHash: string; readonly to: string }

export type ReadOptions = {
  /** A node that leaves out one of these, but has its block, is refused. */
  readonly recorded?: readonly Recorded[]
  /**
   * Only what these wallets have sent. On Solana only their transactions are read: that of a busy
   * recipient would take too long.
   */
  readonly senders?: readonly string[]
  /** How many places after the first URL to start. */
  readonly turn?: number
}

export type Recipients =
  | readonly string[]
  | ((found: readonly string[]) => Promise<readonly string[]>)

/** The transfers in a range, from a node that knows the range's last block, `last`. */
export type Answer = {
  readonly last: Block
  readonly transfers: readonly Transfer[]
}

/** For each transaction asked for, its transfers to the address; null: it is in no block. */
export type Look = { readonly head: Block; readonly shown: readonly (readonly Transfer[] | null)[] }

/** What one node says, by itself. */
export type NodeLook = { readonly host: string; readonly answer: Look | ChainError }

/** `range_refused`: ask for fewer blocks. `lagging`: the node has not seen the block yet. */
export type ChainFault =
  | 'unreachable'
  | 'rate_limited'
  | 'range_refused'
  | 'lagging'
  | 'wrong_chain'
  | 'wrong_token'
  | 'invalid_answer'

/** `message` is for operators. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly fault: ChainFault
  readonly retryAfterMs: number | null
  constructor(fault: ChainFault, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/** The caller should not retry at once. */
export class OutOfTime extends ChainError {
  constructor() {
    super('range_refused', 'more to read than there is time for')
  }
}

/**
 * Every adapter passes `test/chain/conformance.ts`. Methods reject only with `ChainError`, or what
 * `recipients` rejects with. They take 10 s at most, longer only for a crowded block, or many
 * addresses on Solana.
 */
export type Chain = {
  readonly network: Network
  /** How many addresses one question can name; null: any number. */
  readonly mostAddresses: number | null
  /** How many different ones it has. */
  readonly urls: number
  head(): Promise<Block>
  /** Newest block the chain calls final; null where the chain has no finality. */
  finalizedNumber(): Promise<number | null>
  /** Every USDC transfer above zero to `recipients`, in chain order, by one question per step. */
  transfers(range: BlockRange, recipients: Recipients, options?: ReadOptions): Promise<Answer>
  /** Asks each of the nodes for transactions, with the addresses that they are to have paid. */
  looks(paid: readonly Paid[]): Promise<readonly NodeLook[]>
  /** Null where there is none. Another hash than `expectedHash` comes with proof of the chain. */
  block(number: number, expectedHash?: string): Promise<Block | null>
}
