import { type Block, ChainError } from './chain.ts'
import { fromQuantity } from './evm-logs.ts'
import type { Call } from './rpc-node.ts'

/** Asks for a block, without its transactions; `tag` is its number in hex or a name such as `latest`. */
export function blockCall(tag: string): Call {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}

/** What a node answers to `blockCall`. Throws `ChainError` where it has no such block. */
export function readBlock(answer: unknown, tag: string): Block {
  if (answer === null) throw new ChainError('lagging', `the node does not have block ${tag}`)
  const { number, hash, timestamp } = answer as Record<string, unknown>
  if (typeof hash !== 'string') throw new ChainError('invalid_answer', `block ${tag} has no hash`)
  return { number: fromQuantity(number), hash, timestampMs: fromQuantity(timestamp) * 1000 }
}

/** Asks for the receipt of a transaction; the answer is null while it is in no block. */
export function receiptCall(txHash: string): Call {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}
