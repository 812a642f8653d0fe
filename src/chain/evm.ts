import { DomainError } from '../domain/error.ts'
import type { Network } from '../domain/network.ts'
import { type Answer, type Block, type Chain, ChainError, type Recipients } from './chain.ts'
import {
  fromQuantity,
  logsCall,
  readLogs,
  recipientsIn,
  type TransferLog,
  toQuantity,
} from './evm-logs.ts'
import { completeTransfers } from './evm-transactions.ts'
import { createRpc, deadlineMs, type NodeWatch } from './rpc.ts'
import { isLacking } from './rpc-fault.ts'
import type { Call } from './rpc-node.ts'

/**
 * An EVM chain over bare JSON-RPC: decoding each log through a client library costs five times what slicing its topics
 * does, and a busy range is a bigger body than it takes. `fetchTimeoutMs` bounds one attempt at one URL.
 */
export function evmChain(options: {
  readonly network: Network
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly fetchTimeoutMs?: number
  readonly onNode?: NodeWatch
}): Chain {
  const { network, chainId: expectedChainId, rpcUrls: urls, fetchTimeoutMs, onNode } = options
  const usdc = options.usdc.toLowerCase()
  const rpc = createRpc({ urls, expectedChainId, fetchTimeoutMs, onNode })

  async function head(): Promise<Block> {
    const [block] = await rpc.ask([blockCall('latest')])
    return readBlock(block, 'latest')
  }

  async function finalizedNumber(): Promise<number | null> {
    try {
      const [block] = await rpc.ask([blockCall('finalized')])
      return block === null ? null : readBlock(block, 'finalized').number
    } catch (error) {
      // A node that lacks the notion says so with an error; one that is out of reach must not look like it.
      if (isLacking(error)) return null
      throw error
    }
  }

  async function block(number: number): Promise<Block | null> {
    const tag = toQuantity(number)
    const [answer] = await rpc.ask([blockCall(tag)])
    return answer === null ? null : readBlock(answer, tag)
  }

  async function transfers(range: Range, recipients: Recipients): Promise<Answer> {
    try {
      return await readRange(range, recipients, AbortSignal.timeout(deadlineMs))
    } catch (error) {
      if (error instanceof ChainError || error instanceof DomainError) throw error
      throw new ChainError('invalid_answer', `the answer cannot be read: ${error}`)
    }
  }

  async function readRange(
    range: Range,
    recipients: Recipients,
    deadline: AbortSignal,
  ): Promise<Answer> {
    const lastTag = toQuantity(range.to)
    const named = typeof recipients === 'function' ? null : recipients
    // To a node, "to none of these addresses" would mean to any address.
    const logsCalls = named?.length === 0 ? [] : [logsCall(range, usdc, named)]
    const [block, answer = []] = await rpc.ask([blockCall(lastTag), ...logsCalls], deadline)
    const last = readBlock(block, lastTag)
    const ours =
      typeof recipients === 'function' ? await recipients(recipientsIn(answer)) : recipients
    const logs = readLogs(answer, usdc, ours)
    refuseMovedChain(last, logs)
    return { last, transfers: await completeTransfers(rpc, { network, usdc }, logs, deadline) }
  }

  return { network, mostAddresses, head, finalizedNumber, transfers, block }
}

/** What geth and erigon take in one position of a filter unless told otherwise; others take more. */
const mostAddresses = 1_000

type Range = { readonly from: number; readonly to: number }

function blockCall(tag: string): Call {
  return { method: 'eth_getBlockByNumber', params: [tag, false] }
}

function readBlock(answer: unknown, tag: string): Block {
  if (answer === null) throw new ChainError('lagging', `the node does not have block ${tag}`)
  const { number, hash, timestamp } = answer as Record<string, unknown>
  if (typeof hash !== 'string') throw new ChainError('invalid_answer', `block ${tag} has no hash`)
  return { number: fromQuantity(number), hash, timestampMs: fromQuantity(timestamp) * 1000 }
}

/** The logs and the last block were asked for together, yet a node may switch branches between answering the two. */
function refuseMovedChain(last: Block, logs: readonly TransferLog[]): void {
  const inLast = logs.findLast(({ blockNumber }) => blockNumber === last.number)
  if (inLast && inLast.blockHash !== last.hash) {
    throw new ChainError('lagging', `block ${last.number} changed while it was read`)
  }
}
