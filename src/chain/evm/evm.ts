import { DomainError } from '../../domain/error.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Answer,
  type Block,
  type BlockRange,
  type Chain,
  ChainError,
  type ReadOptions,
  type Recipients,
  type Recorded,
} from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { asChainError, type NodeWatch } from '../rpc/failover.ts'
import { isPruned, isRefusal } from '../rpc/fault.ts'
import { createHeadCheck, type HeadCheck, unlessLagging } from '../rpc/newest-head.ts'
import { deadlineOfFound } from '../rpc/parts.ts'
import { type NamedNode, type OneNode, provenUnless, refuseLeftOut } from '../rpc/proven.ts'
import { createRpc } from '../rpc/rpc.ts'
import { blockCall, finalizedNumber, readBlock } from './blocks.ts'
import { logsCall, readLogs, recipientsIn, type TransferLog, toQuantity } from './logs.ts'
import { completeTransfers, lookAt, readWholeBlock, timeToComplete } from './transactions.ts'

/**
 * An EVM chain over bare JSON-RPC: a client library takes five times as long to decode a log, and
 * refuses bodies as large as those of a busy range.
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
  const checkHead = createHeadCheck(() => performance.now(), onNode)

  /** If every node lags, the chain itself has stalled, and its head is accepted. */
  function head(): Promise<Block> {
    return unlessLagging(newestBlock(checkHead), () => newestBlock((_, number) => number))
  }

  function newestBlock(check: HeadCheck): Promise<Block> {
    const ask = [blockCall('latest')]
    const converse = async (node: NamedNode, deadline: Deadline) => {
      // The address may lead to a node of another chain by now.
      node.recheckChain()
      const block = await node.read(ask, ([answer]) => readBlock(answer, 'latest'), deadline)
      check(node, block.number)
      return block
    }
    return rpc.atOneNode(converse, undefined, { kind: 'head' })
  }

  function block(number: number, expectedHash?: string): Promise<Block | null> {
    const converse = (node: NamedNode, deadline: Deadline) =>
      provenUnless(expectedHash, node, () => blockOf(node, number, deadline))
    const found = rpc.atOneNode(converse, undefined, { kind: 'block' })
    return unlessLagging(found, () => null)
  }

  async function transfers(
    range: BlockRange,
    recipients: Recipients,
    options: ReadOptions = {},
  ): Promise<Answer> {
    try {
      return await readRange({ range, ...options }, recipients, deadlineIn(deadlineMs))
    } catch (error) {
      if (error instanceof DomainError) throw error
      throw asChainError(error)
    }
  }

  async function readRange(
    asked: { readonly range: BlockRange } & ReadOptions,
    recipients: Recipients,
    deadline: Deadline,
  ): Promise<Answer> {
    const { range, senders } = asked
    const lastTag = toQuantity(range.to)
    const named = typeof recipients === 'function' ? null : recipients
    // An empty list would make a node search for every address.
    const logsCalls = named?.length === 0 ? [] : [logsCall(range, usdc, named, senders)]
    const calls = [blockCall(lastTag), ...logsCalls]
    const understand = ([block, answer = []]: readonly unknown[]) => {
      const last = readBlock(block, lastTag)
      const found = readLogs(answer, usdc, named ?? recipientsIn(answer))
      refuseMovedChain(last, found)
      return { last, found }
    }
    const converse = async (node: NamedNode, until: Deadline) => {
      const read = await node.read(calls, understand, until)
      const shown = new Set(read.found.map(keyOf))
      const blockAt = (number: number) => blockOf(node, number, until)
      await refuseLeftOut(node, asked, (one) => shown.has(keyOf(one)), blockAt)
      return read
    }
    const about = { kind: 'transfers', turn: asked.turn, mayNarrow: range.from < range.to }
    const { last, found } = await rpc.atOneNode(converse, deadline, about).catch(async (error) => {
      // A block cannot be divided, and anybody can fill one with more than providers list.
      if (range.from < range.to || !isRefusal(error) || isPruned(error)) throw error
      return understand(await readWholeBlock(rpc, range.to, usdc))
    })
    const logs = typeof recipients === 'function' ? await oursAmong(found, recipients) : found
    const neededMs = timeToComplete(logs.length, rpc.mostCalls())
    const until = deadlineOfFound(range, neededMs, deadline)
    return { last, transfers: await completeTransfers(rpc, { network, usdc }, logs, until) }
  }

  return {
    network,
    mostAddresses,
    urls: rpc.urls,
    head,
    finalizedNumber: () => finalizedNumber(rpc),
    transfers,
    looks: (paid) =>
      rpc.atEachNode((node, until) => lookAt(node, { network, usdc }, paid, until), 'look'),
    block,
  }
}

/** The most that geth and erigon accept in one topic by default. */
const mostAddresses = 1_000

function blockOf(node: OneNode, number: number, deadline: Deadline): Promise<Block> {
  const tag = toQuantity(number)
  return node.read([blockCall(tag)], ([block]) => readBlock(block, tag), deadline)
}

function keyOf({ txHash, position, blockHash }: Recorded): string {
  return `${txHash} ${position} ${blockHash}`
}

async function oursAmong(
  logs: readonly TransferLog[],
  pick: Exclude<Recipients, readonly string[]>,
): Promise<readonly TransferLog[]> {
  const ours = new Set(await pick([...new Set(logs.map(({ to }) => to))]))
  return logs.filter(({ to }) => ours.has(to))
}

/** A node may switch branches between the two answers of one request. */
function refuseMovedChain(last: Block, logs: readonly TransferLog[]): void {
  const inLast = logs.findLast(({ blockNumber }) => blockNumber === last.number)
  if (inLast && inLast.blockHash !== last.hash) {
    throw new ChainError('lagging', `block ${last.number} changed while it was read`)
  }
}
