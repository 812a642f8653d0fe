import type { Network } from '../domain/network.ts'

/** What the watcher needs of a block: its number, its hash and the time it gives for itself. */
export type Block = {
  readonly number: number
  readonly hash: string
  readonly timestampMs: number
}

/** The most that a chain's clock and ours are taken to differ, in milliseconds. */
export const clockMarginMs = 600_000

/** A range of block numbers; both ends are included. */
export type BlockRange = { readonly from: number; readonly to: number }

/**
 * One USDC transfer to one of our addresses. `(chain, txHash, position)` identifies it for ever;
 * `position` is the log index on EVM and the instruction index on Solana. Addresses are in the
 * chain's canonical spelling (EVM: lower case). `references` are the 32-byte values (0x + 64
 * lower-case hex) that the payer attached: the nonce of an EIP-3009 authorization, the 32 bytes
 * behind `transfer` calldata, or reference accounts.
 */
export type Transfer = {
  readonly chain: Network
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly blockTimeMs: number
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
  readonly references: readonly string[]
  /** The nonce of the EIP-3009 authorization that made the transfer; one of the references. */
  readonly nonce?: string
  /** On Solana the wallet that signed to move the tokens: their owner, `from`, or a delegate. */
  readonly authority?: string
  /**
   * On Solana the memos that may name what this transfer pays: invoice ids written out in full, and
   * 32-byte values as in `references`. They count where none of `references` is ours.
   */
  readonly memos?: readonly string[]
  /**
   * Where it is not sure which memos of the transaction are meant for which payment: all of them,
   * besides `memos`, which are most likely this one's. Unless all of them name the same invoice,
   * each of the payments may be for any.
   */
  readonly unsureMemos?: readonly string[]
}

/** A transfer on record, and where it was found. */
export type Recorded = Pick<Transfer, 'txHash' | 'position' | 'blockNumber' | 'blockHash'>

/** How a range of blocks is asked about. */
export type Look = {
  /**
   * What is on record: a node that leaves out one of these is not believed while the block that
   * held it is there.
   */
  readonly recorded?: readonly Recorded[]
  /** Which URL is asked first: the first one, or the one so many places after it. */
  readonly turn?: number
}

/**
 * The recipients whose transfers are asked for: a list of addresses or, where there are more than
 * one question can name, a function that picks our addresses from the recipients found. Addresses
 * are spelled as in `Transfer`.
 */
export type Recipients =
  | readonly string[]
  | ((found: readonly string[]) => Promise<readonly string[]>)

/**
 * The answer to one question: the transfers in a range, from a node that has shown that it knows
 * the range's last block, `last`.
 */
export type Answer = {
  readonly last: Block
  readonly transfers: readonly Transfer[]
}

/**
 * Why a node did not answer, or why its answer is not to be believed:
 * - `unreachable`: it cannot be reached or has failed.
 * - `rate_limited`: it refuses further questions for a while.
 * - `range_refused`: it must be asked for fewer blocks.
 * - `lagging`: it has not seen the block yet.
 * - `wrong_chain`: it serves another chain.
 * - `wrong_token`: the token at the configured address is not USDC.
 * - `invalid_answer`: it refuses the question for another reason, or its answer cannot be read.
 */
export type ChainFault =
  | 'unreachable'
  | 'rate_limited'
  | 'range_refused'
  | 'lagging'
  | 'wrong_chain'
  | 'wrong_token'
  | 'invalid_answer'

/** The error every question to a chain rejects with; `message` is for operators. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly fault: ChainFault
  /** How long the node asks not to be called again; null if it does not say. */
  readonly retryAfterMs: number | null
  constructor(fault: ChainFault, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * `range_refused` by no node: the time for the question was over before everything was read. Asked
 * again at once, even for fewer blocks, it would keep who asks waiting as long again.
 */
export class OutOfTime extends ChainError {
  constructor() {
    super('range_refused', 'more to read than there is time for')
  }
}

/**
 * What the watcher may ask of a chain. Every adapter keeps this promise and passes
 * `test/chain/conformance.ts`. All methods reject with `ChainError` and nothing else, except that
 * `transfers` also passes on what its `recipients` function rejects with. Each answers or rejects
 * within its own deadline of 10 s; `transfers` has longer for a single block with many
 * transactions, and on Solana for many addresses, as nodes are asked for each by itself.
 */
export type Chain = {
  readonly network: Network
  /** How many addresses one question can name; null if there is no limit. */
  readonly mostAddresses: number | null
  /** How many URLs there are to ask. */
  readonly urls: number
  /** Newest block the node has. */
  head(): Promise<Block>
  /** Newest block the chain calls final, or null where the chain has no notion of finality. */
  finalizedNumber(): Promise<number | null>
  /**
   * Every transfer of the canonical token with a value above zero to one of `recipients` in blocks
   * `from`…`to`, inclusive, in chain order, each once. It takes one question (`getLogs`) however
   * many invoices are open; the transactions found are then read in batches for their references.
   */
  transfers(range: BlockRange, recipients: Recipients, look?: Look): Promise<Answer>
  /**
   * Block `number` of the node's canonical chain; null if the node does not have it. A block with
   * another hash than `expectedHash` is from a node that has just shown again that it serves this
   * chain.
   */
  block(number: number, expectedHash?: string): Promise<Block | null>
}
