import { parseAbi, parseEventLogs, type RpcLog } from 'viem'
import { fromQuantity, type RawLog } from './evm-logs.ts'
import type { Call } from './rpc.ts'

/** `label` is the receipt's id, or the state the mandate has entered. */
export type AnchorEntry = {
  readonly kind: 'receipt' | 'mandate'
  readonly hash: string
  readonly label: string
}

/** An event of the anchor contract; `logIndex` counts within the block, `sender` is who caused it. */
export type AnchorEvent = AnchorEntry & {
  readonly logIndex: number
  readonly sender: string
  readonly timestampMs: number
}

export type AnchorReceipt = {
  readonly blockNumber: number
  readonly blockHash: string
  readonly status: 'success' | 'reverted'
  readonly contractAddress: string | null
  readonly logs: readonly RawLog[]
}

export const anchorAbi = parseAbi([
  'struct Entry { uint8 kind; bytes32 hash; string label; }',
  'function anchorBatch(Entry[] entries)',
  'event MandateAnchored(bytes32 mandateHash, string state, uint256 ts, address sender)',
  'event ReceiptAnchored(bytes32 receiptHash, string receiptId, uint256 ts, address sender)',
])

export function receiptCall(txHash: string): Call {
  return { method: 'eth_getTransactionReceipt', params: [txHash] }
}

/** A transaction receipt as a node writes it; null while the transaction is not mined. */
export function readReceipt(answer: unknown): AnchorReceipt | null {
  if (answer === null) return null
  const { blockNumber, blockHash, status, contractAddress, logs } = answer as RawReceipt
  return {
    blockNumber: fromQuantity(blockNumber),
    blockHash,
    status: status === '0x1' ? 'success' : 'reverted',
    contractAddress,
    logs,
  }
}

/** The events `contract` (an address in any spelling) left in the logs of a receipt. */
export function anchorEvents(logs: readonly RawLog[], contract: string): readonly AnchorEvent[] {
  const own = logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase())
  const events = parseEventLogs({ abi: anchorAbi, logs: own as readonly object[] as RpcLog[] })
  return events.map(({ eventName, args, logIndex }) => ({
    ...(eventName === 'ReceiptAnchored'
      ? { kind: 'receipt' as const, hash: args.receiptHash, label: args.receiptId }
      : { kind: 'mandate' as const, hash: args.mandateHash, label: args.state }),
    sender: args.sender.toLowerCase(),
    timestampMs: Number(args.ts) * 1000,
    logIndex,
  }))
}

type RawReceipt = {
  readonly blockNumber: string
  readonly blockHash: string
  readonly status: string
  readonly contractAddress: string | null
  readonly logs: readonly RawLog[]
}
