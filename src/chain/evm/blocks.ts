import { type Block, ChainError } from '../chain.ts'
import { isLacking } from '../rpc/fault.ts'
import type { Call } from '../rpc/json-rpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { fromQuantity, type RawLog } from './logs.ts'

/** `tag`: a number in hex, or a name like `latest`. */
export function blockCall(tag: string): Call {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}

export function readBlock(answer: unknown, tag: string): Block {
  if (answer === null) throw new ChainError('lagging', `the node does not have block ${tag}`)
  const { number, hash, timestamp } = answer as Record<string, unknown>
  if (typeof hash !== 'string') throw new ChainError('invalid_answer', `block ${tag} has no hash`)
  return { number: fromQuantity(number), hash, timestampMs: fromQuantity(timestamp) * 1000 }
}

/** The newest final block; null where the chain has no finality, or no such block yet. */
export async function finalizedNumber(rpc: Rpc): Promise<number | null> {
  try {
    const read = ([block]: readonly unknown[]) =>
      block === null ? null : readBlock(block, 'finalized').number
    return await rpc.readProven([blockCall('finalized')], read, undefined, 'finalized')
  } catch (error) {
    if (isLacking(error)) return null
    throw error
  }
}

export function receiptCall(txHash: string): Call {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}

export type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly status: string
  readonly logs: readonly RawLog[]
}
