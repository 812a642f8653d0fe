import type { Network } from '../../domain/network.ts'
import { ChainError, type Transfer } from '../chain.ts'
import { type Deadline, deadlineIn } from '../rpc/deadline.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, slowestMs, timeFor } from '../rpc/parts.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { nonceBefore } from './authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './blocks.ts'
import {
  fromQuantity,
  isTransferOf,
  type RawLog,
  type TransferLog,
  topicOf,
  toQuantity,
} from './logs.ts'

/**
 * Adds what `logs` lack: block times and the payers' references, which are in the calldata of a
 * direct call of the token, and otherwise in the receipt.
 */
export async function completeTransfers(
  rpc: Rpc,
  { network, usdc }: { network: Network; usdc: string },
  logs: readonly TransferLog[],
  deadline: Deadline,
): Promise<readonly Transfer[]> {
  const { transactions, blockTimesMs } = await readTransactions(rpc, logs, deadline)
  const isDirect = ({ txHash }: TransferLog) =>
    known(transactions, txHash).to?.toLowerCase() === usdc
  const relayed = logs.filter((log) => !isDirect(log))
  const receipts = await readReceipts(
    rpc,
    relayed.map(({ txHash }) => txHash),
    deadline,
  )
  const nonces = new Map(
    [...Map.groupBy(relayed, ({ txHash }) => txHash)].flatMap(([txHash, ofOne]) =>
      authorizationNonces(ofOne, known(receipts, txHash), usdc),
    ),
  )
  return logs.map((log) => {
    const { txIndex: _, blockTimeMs, ...fields } = log
    const attached = isDirect(log)
      ? attachedIn(known(transactions, log.txHash).input)
      : byNonce(nonces.get(log))
    return {
      chain: network,
      ...fields,
      blockTimeMs: blockTimeMs ?? known(blockTimesMs, log.blockHash),
      ...attached,
    }
  })
}

export function timeToComplete(logs: number, mostCalls: number): number {
  // At most a transaction of each, and then its receipt.
  return timeFor(2 * logs, parts, mostCalls)
}

/** A block and its USDC logs from all its receipts, for where no node lists them. */
export async function readWholeBlock(
  rpc: Rpc,
  number: number,
  usdc: string,
): Promise<readonly [block: unknown, logs: readonly RawLog[]]> {
  const tag = toQuantity(number)
  const [block] = await rpc.ask([blockCall(tag)])
  const { hash } = readBlock(block, tag)
  const { transactions: txHashes } = block as { transactions: readonly string[] }
  const deadline = deadlineIn(timeFor(txHashes.length, parts, rpc.mostCalls()))
  const receipts = await readReceipts(rpc, txHashes, deadline)
  const logs = txHashes
    .flatMap((txHash) => known(receipts, txHash).logs)
    // Counted here, as skaled counts those of a receipt from the transaction's first.
    .map((log, at) => ({ ...log, logIndex: toQuantity(at) }))
  if (logs.some(({ blockHash }) => blockHash !== hash)) {
    throw new ChainError('lagging', `block ${number} changed while it was read`)
  }
  return [block, logs.filter((log) => isTransferOf(log, usdc))]
}

type Transaction = { readonly hash: string; readonly to: string | null; readonly input: string }
type FoundBlock = {
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly (Transaction | string)[]
}

async function readTransactions(rpc: Rpc, logs: readonly TransferLog[], deadline: Deadline) {
  const transactions = new Map<string, Transaction>()
  const blockTimesMs = new Map<string, number>()
  const calls = callsFor(logs)
  const [blocks, singles] = await Promise.all([
    askForAll<FoundBlock>(rpc, calls.blocks, blocksPerRequest, deadline),
    askForAll<Transaction>(rpc, calls.transactions, transactionsPerRequest, deadline),
  ])
  for (const transaction of singles) transactions.set(transaction.hash, transaction)
  for (const block of blocks) {
    blockTimesMs.set(block.hash, fromQuantity(block.timestamp) * 1000)
    for (const transaction of block.transactions) {
      if (typeof transaction !== 'string') transactions.set(transaction.hash, transaction)
    }
  }
  return { transactions, blockTimesMs }
}

/** Whole blocks where a good part of a block concerns us, single transactions otherwise. */
function callsFor(logs: readonly TransferLog[]): { blocks: Call[]; transactions: Call[] } {
  const blocks: Call[] = []
  const transactions: Call[] = []
  for (const [blockHash, ours] of Map.groupBy(logs, (log) => log.blockHash)) {
    const hashes = new Set(ours.map(({ txHash }) => txHash))
    const leastInBlock = (ours.at(-1)?.txIndex ?? 0) + 1
    const isWhole = hashes.size > 1 && hashes.size * wholeBlockFactor >= leastInBlock
    if (isWhole || ours.some(({ blockTimeMs }) => blockTimeMs === null)) {
      blocks.push({ method: 'eth_getBlockByHash', params: [blockHash, isWhole] })
    }
    if (isWhole) continue
    for (const hash of hashes) {
      transactions.push({ method: 'eth_getTransactionByHash', params: [hash] })
    }
  }
  return { blocks, transactions }
}

async function readReceipts(rpc: Rpc, txHashes: readonly string[], deadline: Deadline) {
  const calls = [...new Set(txHashes)].map(receiptCall)
  const receipts = await askForAll<Receipt>(rpc, calls, transactionsPerRequest, deadline)
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
}

type Attached = Pick<Transfer, 'references' | 'nonce'>

function attachedIn(input: string): Attached {
  const call = shapes[input.slice(0, 10)]
  if (!call) return { references: [] }
  const from = 10 + call.argument * 64
  const word = `0x${input.slice(from, from + 64)}`
  if (call.inputLength === undefined) return byNonce(word)
  return { references: input.length === call.inputLength ? [word] : [] }
}

function byNonce(nonce: string | undefined): Attached {
  return nonce === undefined ? { references: [] } : { references: [nonce], nonce }
}

/** The EIP-3009 nonces behind one transaction's transfers, of which there may be thousands. */
function authorizationNonces(
  transfers: readonly TransferLog[],
  { logs }: Receipt,
  usdc: string,
): readonly (readonly [TransferLog, string | undefined])[] {
  // Found by content: skaled counts a receipt's logs from the transaction's first.
  const byContent = Map.groupBy(logs.keys(), (at) => contentOf(logs[at] as RawLog, usdc))
  const places = new Map([...byContent].map(([content, all]) => [content, all.values()]))
  return transfers.map((log) => {
    const { from, to, usdcBase } = log
    const content = `${topicOf(from)} ${topicOf(to)} ${usdcBase}`
    const at = places.get(content)?.next().value ?? -1
    if (logs[at]?.blockHash !== log.blockHash) {
      throw new ChainError('lagging', `${log.txHash} is no longer where its log was`)
    }
    return [log, nonceBefore(logs, at, usdc)]
  })
}

function contentOf(log: RawLog, usdc: string): string | null {
  if (!isTransferOf(log, usdc)) return null
  const [, from = '', to = ''] = log.topics
  return `${from.toLowerCase()} ${to.toLowerCase()} ${BigInt(log.data)}`
}

function askForAll<Item>(
  rpc: Rpc,
  calls: readonly Call[],
  size: number,
  deadline: Deadline,
): Promise<readonly Item[]> {
  // The chain has moved since the logs were listed, or another node listed them.
  const read = (answer: unknown) => {
    if (answer !== null) return answer as Item
    throw new ChainError('lagging', 'the node does not have what the logs came from')
  }
  return askInParts(rpc, calls, read, { ...parts, size }, deadline)
}

function known<Value>(values: ReadonlyMap<string, Value>, hash: string): Value {
  const value = values.get(hash)
  if (value !== undefined) return value
  throw new ChainError('invalid_answer', `the node answered something else for ${hash}`)
}

const blocksPerRequest = 20
const transactionsPerRequest = 100
const parts = { size: transactionsPerRequest, atOnce: 6, slowMs: slowestMs }
const wholeBlockFactor = 4

type Shape = {
  /** Which 32-byte word after the selector is the reference. */
  readonly argument: number
  /** The length of an input with a reference; absent where every input has one. */
  readonly inputLength?: number
}

const shapes: Readonly<Record<string, Shape>> = {
  // transfer(address,uint256) and 32 bytes more
  '0xa9059cbb': { argument: 2, inputLength: 10 + 3 * 64 },
  // transferFrom(address,address,uint256) and 32 bytes more
  '0x23b872dd': { argument: 3, inputLength: 10 + 4 * 64 },
  // transferWithAuthorization, receiveWithAuthorization: each with (v,r,s) and with bytes
  '0xe3ee160e': { argument: 5 },
  '0xcf092995': { argument: 5 },
  '0xef55bec6': { argument: 5 },
  '0x88b7ab63': { argument: 5 },
}
