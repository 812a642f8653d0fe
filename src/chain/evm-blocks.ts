import { type Block, ChainError } from './chain.ts'
import { fromQuantity } from './evm-logs.ts'
import type { Call } from './rpc-node.ts'

export function blockCall(tag: string): Call {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}

/** What a node answers to that. Throws `ChainError` where it has no such block. */
export function readBlock(answer: unknown, tag: string): Block {
  if (answer === null) throw new ChainError('lagging', `the node does not have block ${tag}`)
  const { number, hash, timestamp } = answer as Record<string, unknown>
  if (typeof hash !== 'string') throw new ChainError('invalid_answer', `block ${tag} has no hash`)
  return { number: fromQuantity(number), hash, timestampMs: fromQuantity(timestamp) * 1000 }
}
