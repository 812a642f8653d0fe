import type { Network } from '../../domain/network.ts'
import { ChainError, type Look, type Paid, type Transfer } from '../chain.ts'
import { type Deadline, deadlineIn } from '../rpc/deadline.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { askInParts, slowestMs, timeFor } from '../rpc/parts.ts'
import { type NamedNode, type OneNode, proven } from '../rpc/proven.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { nonceBefore } from './authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './blocks.ts'
import { wordsAfter } from './calldata.ts'
import {
  fromQuantity,
  isTransferOf,
  type RawLog,
  readLogs,
  type TransferLog,
  topicOf,
  toQuantity,
} from './logs.ts'

/**
 * Adds what `logs` lack: block times and the payers' references, which are nonces of authorizations
 * (in the calldata of a direct call of the token, otherwise in the receipt) or in the calldata. Of
 * a transaction, all transfers to the same recipients must be among them.
 */
export async function completeTransfers(
  rpc: OneNode,
  { network, usdc }: { network: Network; usdc: string },
  logs: readonly TransferLog[],
  deadline: Deadline,
): Promise<readonly Transfer[]> {
  const { transactions, blockTimesMs } = await readTransactions(rpc, logs, deadline)
  const byHash = Map.groupBy(logs, ({ txHash }) => txHash)
  const relayed = [...byHash.keys()].filter(
    (txHash) => known(transactions, txHash).to?.toLowerCase() !== usdc,
  )
  const receipts = await readReceipts(rpc, relayed, deadline)
  const attached = new Map(
    [...byHash].flatMap(([txHash, ofOne]) => [
      ...attachedTo(ofOne, known(transactions, txHash), receipts.get(txHash), usdc),
    ]),
  )
  return logs.map((log) => {
    const { txIndex: _, blockTimeMs, ...fields } = log
    return {
      chain: network,
      ...fields,
      blockTimeMs: blockTimeMs ?? known(blockTimesMs, log.blockHash),
      ...(attached.get(log) as Attached),
    }
  })
}

/** Reads transactions anew, as this node shows them. */
export async function lookAt(
  node: NamedNode,
  { network, usdc }: { network: Network; usdc: string },
  paid: readonly Paid[],
  deadline: Deadline,
): Promise<Look> {
  const paidIn = Map.groupBy(paid, ({ txHash }) => txHash)
  // The head comes first: a node that has no receipt has none in any block up to it.
  const head = await proven(node).read(
    [blockCall('latest')],
    ([block]) => readBlock(block, 'latest'),
    deadline,
  )
  const hashes = [...paidIn.keys()]
  const read = (answer: unknown) => answer as Receipt | null
  const receipts = await askInParts(node, hashes.map(receiptCall), read, parts, deadline)
  const logs = hashes.flatMap((txHash, at) => {
    const { status, logs = [] } = receipts[at] ?? {}
    const recipients = (paidIn.get(txHash) ?? []).map(({ to }) => to)
    return status === '0x1' ? readLogs(logs, usdc, recipients) : []
  })
  const transfers = await completeTransfers(node, { network, usdc }, logs, deadline)
  const byHash = Map.groupBy(transfers, ({ txHash }) => txHash)
  const known = new Set(hashes.filter((_, at) => receipts[at] !== null))
  return {
    head,
    shown: paid.map(({ txHash, to }) =>
      known.has(txHash) ? (byHash.get(txHash) ?? []).filter((one) => one.to === to) : null,
    ),
  }
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

async function readTransactions(rpc: OneNode, logs: readonly TransferLog[], deadline: Deadline) {
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

async function readReceipts(rpc: OneNode, txHashes: readonly string[], deadline: Deadline) {
  const calls = [...new Set(txHashes)].map(receiptCall)
  const receipts = await askForAll<Receipt>(rpc, calls, transactionsPerRequest, deadline)
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
}

type Attached = Pick<Transfer, 'references' | 'isUnsure' | 'nonce' | 'calldata'>

/** Of one transaction; `receipt` where it does not call the token itself. */
function attachedTo(
  transfers: readonly TransferLog[],
  { input }: Transaction,
  receipt: Receipt | undefined,
  usdc: string,
): ReadonlyMap<TransferLog, Attached> {
  const nonces = new Map(
    receipt
      ? authorizationNonces(transfers, receipt, usdc)
      : transfers.map((transfer) => [transfer, nonceIn(input)]),
  )
  const isBundle = receipt?.logs.some(({ topics }) => topics[0] === userOperationTopic) ?? false
  const words = wordsAfter(input, transfers, isBundle)
  const isAlone = transfers.length === 1 && !isBundle && input.length <= longestSearched
  return new Map(
    transfers.map((transfer): [TransferLog, Attached] => {
      const nonce = nonces.get(transfer)
      if (nonce !== undefined) return [transfer, { references: [nonce], nonce }]
      const named = words.get(transfer) ?? { references: [] }
      return [transfer, { ...named, ...(isAlone && mayName(input) && { calldata: input }) }]
    }),
  )
}

/** Whether there is more than a plain transfer and one word after it. */
function mayName(input: string): boolean {
  return input.length > 10 + 2 * 64 + (input.startsWith(transferSelector) ? 64 : 0)
}

function nonceIn(input: string): string | undefined {
  const isOne = authorizationSelectors.includes(input.slice(0, 10))
  return isOne ? `0x${input.slice(nonceAt, nonceAt + 64)}` : undefined
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
  rpc: OneNode,
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

const transferSelector = '0xa9059cbb'
/** transferWithAuthorization and receiveWithAuthorization: each with (v,r,s) and with bytes. */
const authorizationSelectors = ['0xe3ee160e', '0xcf092995', '0xef55bec6', '0x88b7ab63']
/** The nonce is the sixth argument. */
const nonceAt = 10 + 5 * 64
/** ERC-4337's `UserOperationEvent`: who sends a bundle may have written anything into it. */
const userOperationTopic = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'
/** In which a reference is looked for anywhere, in hex digits: 8 KiB. */
const longestSearched = 2 + 2 * 8_192
