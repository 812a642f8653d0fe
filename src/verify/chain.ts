import type { Anchor } from './bundle.ts'
import { type Ask, NodeError } from './node.ts'

/** An event of the anchor contract, and who caused it when. */
export type Anchored = { readonly sender: string; readonly size: number; readonly at: Date }

export type Missing =
  | 'transaction_not_found'
  | 'failed_transaction'
  | 'event_not_found'
  | 'stale_place'
  | 'forged_event'

/** Reads the event of a batch at the place where a bundle says that it is. */
export async function readAnchor(ask: Ask, anchor: Anchor): Promise<Anchored | Missing> {
  const chainId = numberIn(await ask('eth_chainId', []))
  if (chainId !== anchor.chainId)
    throw new NodeError(`the node is of chain ${chainId}, the receipt of chain ${anchor.chainId}`)
  const receipt = (await ask('eth_getTransactionReceipt', [anchor.txHash])) as Receipt | null
  if (receipt === null) return 'transaction_not_found'
  if (receipt.status !== '0x1') return 'failed_transaction'
  const events = receipt.logs.filter((log) => isBatch(log, anchor))
  if (events.length === 0) return 'event_not_found'
  const event = events.find(({ logIndex }) => numberIn(logIndex) === anchor.logIndex)
  if (!event || numberIn(receipt.blockNumber) !== anchor.blockNumber) return 'stale_place'
  const seconds = await timeOf(ask, receipt)
  const sender = addressIn(event.topics[2] ?? '')
  // The contract that a bundle names may state any sender and time.
  const isTrue = sender === receipt.from.toLowerCase() && wordIn(event.data, 1) === BigInt(seconds)
  if (!isTrue) return 'forged_event'
  return { sender, size: Number(wordIn(event.data, 0)), at: new Date(seconds * 1000) }
}

/** Whether `sender`, who anchored the receipt, has revoked it since. */
export async function isRevoked(
  ask: Ask,
  hash: string,
  { contract, blockNumber }: Anchor,
  sender: string,
): Promise<boolean> {
  const head = await headFrom(ask, blockNumber)
  const range = { from: blockNumber, to: head }
  for await (const _ of revocations(ask, contract, { hash, senders: [sender] }, range)) return true
  return false
}

/** The newest block of the node, which must have this one. */
export async function headFrom(ask: Ask, blockNumber: number): Promise<number> {
  const head = numberIn(await ask('eth_blockNumber', []))
  if (head < blockNumber) throw new NodeError(`the node has not seen block ${blockNumber} yet`)
  return head
}

/** What was revoked with a contract by these senders, or only one receipt by its hash. */
export async function* revocations(
  ask: Ask,
  contract: string,
  { hash, senders }: { readonly hash: string | null; readonly senders: readonly string[] },
  { from, to: last }: { readonly from: number; readonly to: number },
): AsyncGenerator<{ hash: string; sender: string; block: string }, void> {
  const words = senders.map((sender) => `0x${sender.slice(2).padStart(64, '0')}`)
  const topics = [revokedTopic, hash, words.length === 1 ? words[0] : words]
  for (let [at, step] = [from, last - from + 1]; at <= last; ) {
    const to = Math.min(at + step - 1, last)
    const range = { fromBlock: quantity(at), toBlock: quantity(to) }
    const logs = await ask('eth_getLogs', [{ address: contract, topics, ...range }]).catch(refusal)
    if (!(logs instanceof NodeError)) {
      for (const log of logs as readonly Log[]) {
        const [, of = '', by = ''] = log.topics
        const isWanted = words.includes(by.toLowerCase()) && (hash ?? of) === of.toLowerCase()
        if (isWanted && isOf(log, contract, [revokedTopic]))
          yield { hash: of, sender: addressIn(by), block: log.blockNumber }
      }
      at = to + 1
    } else if (step > leastRange) step = Math.ceil(step / 2)
    else throw logs
  }
}

/** Nodes limit how many blocks they search at once; one that refuses even so few is of no use. */
const leastRange = 100

function refusal(error: unknown): NodeError {
  if (error instanceof NodeError && error.isRefusal) return error
  throw error
}

/** Keccak-256 of `ReceiptsAnchored(bytes32,uint256,uint256,address)`. */
const anchoredTopic = '0xd32a3b57c4f8bf0146d4adf686ba6137a52e285fc8ef8df11052097b6986bb8a'
/** Keccak-256 of `ReceiptRevoked(bytes32,uint256,address)`. */
const revokedTopic = '0x2449253bf98d06b38bb9433e87cb807c8625346fe80415d172278ef274511180'

function isBatch(log: Log, { contract, root }: Anchor): boolean {
  return isOf(log, contract, [anchoredTopic, root]) && log.data.length === 2 + 2 * 64
}

function isOf({ address, topics }: Log, contract: string, wanted: readonly string[]): boolean {
  return (
    address.toLowerCase() === contract &&
    topics.length === 3 &&
    wanted.every((topic, at) => topic === topics[at]?.toLowerCase())
  )
}

async function timeOf(ask: Ask, { blockNumber, blockHash }: Receipt): Promise<number> {
  const block = (await ask('eth_getBlockByNumber', [blockNumber, false])) as Block | null
  // The block was replaced, or is another node's.
  if (block?.hash !== blockHash)
    throw new NodeError(`block ${numberIn(blockNumber)} is not the one of the receipt: try again`)
  return numberIn(block.timestamp)
}

function wordIn(data: string, at: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * at, 66 + 64 * at)}`)
}

function addressIn(topic: string): string {
  return `0x${topic.slice(-40).toLowerCase()}`
}

/** Throws a `TypeError` unless it is a number as nodes write it. */
export function numberIn(quantity: unknown): number {
  const number = /^0x[0-9a-f]+$/i.test(String(quantity)) ? Number(quantity) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw new TypeError(`${quantity} is no number`)
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`
}

type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
  readonly blockNumber: string
}

type Receipt = {
  readonly status: string
  readonly from: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly logs: readonly Log[]
}

type Block = { readonly hash: string; readonly timestamp: string }
