import type { RpcLog } from 'viem'
import { parseAbi, parseEventLogs } from 'viem/utils'
import type { Receipt } from '../evm/blocks.ts'
import { fromQuantity, type RawLog } from '../evm/logs.ts'

export type AnchorEntry = {
  readonly kind: 'receipt' | 'mandate'
  readonly hash: string
  readonly label: string
}

/** Any contract may emit such an event; only the anchor contract's sender and time are true. */
export type AnchorEvent = AnchorEntry & {
  readonly contract: string
  readonly logIndex: number
  readonly sender: string
  readonly timestampMs: number
}

export type AnchorReceipt = {
  readonly txHash: string
  readonly from: string
  readonly to: string | null
  readonly blockNumber: number
  readonly blockHash: string
  readonly status: 'success' | 'reverted'
  readonly contractAddress: string | null
  readonly logs: readonly RawLog[]
}

export const anchorAbi = parseAbi([
  'struct Entry { uint8 kind; bytes32 hash; string label; }',
  'function anchorBatch(Entry[] entries)',
  'event MandateAnchored(bytes32 indexed mandateHash, string state, uint256 ts, address indexed sender)',
  'event ReceiptAnchored(bytes32 receiptHash, string receiptId, uint256 ts, address sender)',
])

export function readReceipt(answer: unknown): AnchorReceipt | null {
  if (answer === null) return null
  const { transactionHash, from, to, blockNumber, blockHash, status, contractAddress, logs } =
    answer as RawReceipt
  return {
    txHash: transactionHash,
    from: from.toLowerCase(),
    to: to?.toLowerCase() ?? null,
    blockNumber: fromQuantity(blockNumber),
    blockHash,
    status: status === '0x1' ? 'success' : 'reverted',
    contractAddress,
    logs,
  }
}

export function anchorEvents(logs: readonly RawLog[]): readonly AnchorEvent[] {
  const events = parseEventLogs({ abi: anchorAbi, logs: logs as readonly object[] as RpcLog[] })
  return events.map(({ eventName, args, address, logIndex }) => ({
    ...(eventName === 'ReceiptAnchored'
      ? { kind: 'receipt' as const, hash: args.receiptHash, label: args.receiptId }
      : { kind: 'mandate' as const, hash: args.mandateHash, label: args.state }),
    contract: address.toLowerCase(),
    sender: args.sender.toLowerCase(),
    timestampMs: Number(args.ts) * 1000,
    logIndex: Number(logIndex),
  }))
}

export function isSameEvent(a: AnchorEntry, b: AnchorEntry): boolean {
  return a.kind === b.kind && a.hash === b.hash && a.label === b.label
}

type RawReceipt = Receipt & Pick<AnchorReceipt, 'from' | 'to' | 'blockHash' | 'contractAddress'>
