import { type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import type { Rpc } from '../rpc/rpc.ts'

/** `blockTimeMs` is null where logs do not hold the time. */
export type TransferLog = {
  readonly txHash: string
  readonly txIndex: number
  readonly position: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly blockTimeMs: number | null
  readonly from: string
  readonly to: string
  readonly usdcBase: bigint
}

export type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly blockTimestamp?: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logIndex: string
  readonly removed?: boolean
}

/** `addresses` null: transfers to anybody. */
export function logsCall(
  range: BlockRange,
  token: string,
  addresses: readonly string[] | null,
  senders: readonly string[] | null = null,
): Call {
  const from = senders?.map(topicOf) ?? null
  const topics = addresses ? [transferTopic, from, addresses.map(topicOf)] : [transferTopic]
  return filterCall(range, token, topics)
}

export function sentLogsCall(range: BlockRange, token: string, addresses: readonly string[]): Call {
  return filterCall(range, token, [transferTopic, addresses.map(topicOf)])
}

function filterCall(range: BlockRange, address: string, topics: readonly unknown[]): Call {
  const [fromBlock, toBlock] = [toQuantity(range.from), toQuantity(range.to)]
  return { method: 'eth_getLogs', params: [{ fromBlock, toBlock, address, topics }] }
}

export function readLogs(
  answer: unknown,
  token: string,
  addresses: readonly string[],
): readonly TransferLog[] {
  return readLogsOf(answer, token, { addresses, topicAt: recipientAt })
}

export function readSentLogs(
  answer: unknown,
  token: string,
  addresses: readonly string[],
): readonly TransferLog[] {
  return readLogsOf(answer, token, { addresses, topicAt: senderAt })
}

function readLogsOf(
  answer: unknown,
  token: string,
  { addresses, topicAt }: { readonly addresses: readonly string[]; readonly topicAt: number },
): readonly TransferLog[] {
  const ours = new Set(addresses.map(topicOf))
  const logs: TransferLog[] = []
  for (const log of asLogs(answer)) {
    const { topics, data } = log
    const isOurs = topics[0] === transferTopic && ours.has(topics[topicAt] ?? '')
    if (!isOurs || log.removed === true || log.address.toLowerCase() !== token) continue
    // A transfer to oneself changes no balance.
    if (data !== zero && topics[1] !== topics[2]) logs.push(readLog(log))
  }
  logs.sort((a, b) => a.blockNumber - b.blockNumber || a.position - b.position)
  return logs.filter((log, at) => {
    const before = logs[at - 1]
    return before?.blockNumber !== log.blockNumber || before.position !== log.position
  })
}

export function recipientsIn(answer: unknown): readonly string[] {
  return [...new Set(asLogs(answer).map(({ topics }) => addressOf(topics[2])))]
}

/**
 * The logs of a receipt, or those of `token` as the whole block numbers them: skaled numbers those
 * of a receipt from the transaction's first.
 */
export async function logsInBlock(
  rpc: Rpc,
  { logs, blockNumber }: { readonly logs: readonly RawLog[]; readonly blockNumber: string },
  token: string,
): Promise<readonly RawLog[]> {
  const [first] = logs
  if (!first || fromQuantity(first.logIndex) > 0 || fromQuantity(first.transactionIndex) === 0)
    return logs
  const filter = { fromBlock: blockNumber, toBlock: blockNumber, address: token }
  return rpc.read([{ method: 'eth_getLogs', params: [filter] }], ([answer]) => {
    const { transactionHash, blockHash } = first
    const own = asLogs(answer).filter(
      (log) => log.transactionHash === transactionHash && log.blockHash === blockHash,
    )
    if (own.length > 0 || logs.every((log) => log.address.toLowerCase() !== token)) return own
    throw new ChainError('lagging', `the node does not have the logs of ${transactionHash}`)
  })
}

/** Null if the log is no transfer of `token` to `payTo`, or of zero. */
export function readTransferTo(log: RawLog, token: string, payTo: string): TransferLog | null {
  const isOurs = isTransferOf(log, token) && log.topics[2] === topicOf(payTo)
  return isOurs && log.data !== zero ? readLog(log) : null
}

export function isTransferOf({ address, topics }: RawLog, token: string): boolean {
  return address.toLowerCase() === token && topics[0] === transferTopic
}

export function topicOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

export function toQuantity(number: number): string {
  return `0x${number.toString(16)}`
}

/** Throws `ChainError` unless the number is an integer that can be held exactly. */
export function fromQuantity(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw new ChainError('invalid_answer', `${JSON.stringify(value)} is not a number`)
}

function asLogs(answer: unknown): readonly RawLog[] {
  if (Array.isArray(answer)) return answer
  throw new ChainError('invalid_answer', 'the logs are not a list')
}

function readLog(log: RawLog): TransferLog {
  const { topics, blockTimestamp } = log
  return {
    txHash: log.transactionHash,
    txIndex: fromQuantity(log.transactionIndex),
    position: fromQuantity(log.logIndex),
    blockNumber: fromQuantity(log.blockNumber),
    blockHash: log.blockHash,
    // Some nodes write zero where they do not know the time.
    blockTimeMs: fromQuantity(blockTimestamp ?? '0x0') * 1000 || null,
    from: addressOf(topics[1]),
    to: addressOf(topics[2]),
    usdcBase: BigInt(log.data),
  }
}

function addressOf(topic: string | undefined): string {
  return `0x${topic?.slice(26)}`
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const senderAt = 1
const recipientAt = 2
const zero = `0x${'0'.repeat(64)}`
