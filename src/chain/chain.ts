import type { Network } from '../domain/network.ts'

/** A block as far as the watcher cares: where it is, which one it is, and when it says it was made. */
export type Block = {
  readonly number: number
  readonly hash: string
  readonly timestampMs: number
}

/** Blocks from one number to another, both included. */
export type BlockRange = { readonly from: number; readonly to: number }

/**
 * One USDC transfer to one of our addresses. `(chain, txHash, position)` names it for ever; `position` is the
 * log index on EVM and the instruction index on Solana. Addresses are in the chain's canonical spelling
 * (EVM: lower case). `references` are the 32-byte values (0x + 64 lower-case hex) the payer attached to it: the nonce of
 * an EIP-3009 authorization, the 32 bytes behind `transfer` calldata, a memo or reference account.
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
  /** Ids of invoices written out in full, as a Solana memo may. */
  readonly writtenInvoiceIds?: readonly string[]
}

/**
 * Whose transfers are asked for: these addresses, or, where they are more than a question can name, those that this picks out of the
 * recipients found. Spelled as transfers spell them.
 */
export type Recipients =
  | readonly string[]
  | ((found: readonly string[]) => Promise<readonly string[]>)

/** The answer to one question: what `range` holds, from a node that has shown it knows the range's last block. */
export type Answer = {
  readonly last: Block
  readonly transfers: readonly Transfer[]
}

/**
 * Why a node did not answer, or is not to be believed. `range_refused`: ask for fewer blocks; `lagging`: it has not seen the block
 * yet; `wrong_token`: what should be USDC there is not.
 */
export type ChainFault =
  | 'unreachable'
  | 'rate_limited'
  | 'range_refused'
  | 'lagging'
  | 'wrong_chain'
  | 'wrong_token'
  | 'invalid_answer'

/** What every question to a chain rejects with; `message` is for operators. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly fault: ChainFault
  /** How long the node asks to be left alone; null if it does not say. */
  readonly retryAfterMs: number | null
  constructor(fault: ChainFault, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.fault = fault
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * What the watcher may ask of a chain. Every adapter keeps this promise and passes `test/chain/conformance.ts`.
 * All methods reject with `ChainError` and nothing else (`transfers` also with what its `recipients` rejects with); none answers later than its own deadline (10 s).
 */
export type Chain = {
  readonly network: Network
  /** How many addresses one question can name; null: any number. */
  readonly mostAddresses: number | null
  /** Newest block the node has. */
  head(): Promise<Block>
  /** Newest block the chain calls final, or null where it has no such notion. */
  finalizedNumber(): Promise<number | null>
  /**
   * Every transfer of the canonical token with a value above zero to one of `recipients` in blocks `from`…`to`, inclusive, in
   * chain order, each once. One question (`getLogs`) whatever the number of open invoices; the transactions of what
   * it found are then read in batches for their references.
   */
  transfers(range: BlockRange, recipients: Recipients): Promise<Answer>
  /** Block `number` of the node's canonical chain; null if the node does not have it. */
  block(number: number): Promise<Block | null>
}
