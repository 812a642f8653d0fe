import { type Block, ChainError } from './chain.ts'
import { fromQuantity, type RawLog } from './evm-logs.ts'
import type { Rpc } from './rpc.ts'
import { isLacking } from './rpc-fault.ts'
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

/** The newest block that the chain calls final; null where it has no such notion, or no such block yet. Errors: `ChainError`. */
export async function finalizedNumber(rpc: Rpc): Promise<number | null> {
  try {
    const [block] = await rpc.ask([blockCall('finalized')])
    return block === null ? null : readBlock(block, 'finalized').number
  } catch (error) {
    // A node that lacks the notion says so with an error; one that is out of reach must not look like it.
    if (isLacking(error)) return null
    throw error
  }
}

/** Asks for the receipt of a transaction; the answer is null while it is in no block. */
export function receiptCall(txHash: string): Call {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}

/** What a node tells of a transaction that is in a block. `status`: 0x1 where it did not fail. */
export type Receipt = {
  readonly transactionHash: string
  readonly status: string
  readonly logs: readonly RawLog[]
}
