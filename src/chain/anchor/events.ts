import type { Hex, RpcLog } from 'viem'
import { encodeFunctionData, parseAbi, parseEventLogs } from 'viem/utils'
import type { Receipt } from '../evm/blocks.ts'
import { fromQuantity, type RawLog } from '../evm/logs.ts'

/** In the order of the contract's `Kind`. */
const anchorKinds = ['batch', 'mandate', 'revocation'] as const

/**
 * `hash`: the root of a batch of receipts, or the hash of a mandate or of a revoked receipt.
 * `label`: the number of receipts in the batch, the state that the mandate has entered, or empty.
 */
export type AnchorEntry = {
  readonly kind: (typeof anchorKinds)[number]
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

const anchorAbi = parseAbi([
  'struct Entry { uint8 kind; bytes32 hash; uint256 count; string state; }',
  'function anchor(Entry[] entries)',
  'event ReceiptsAnchored(bytes32 indexed root, uint256 count, uint256 ts, address indexed sender)',
  'event ReceiptRevoked(bytes32 indexed receiptHash, uint256 ts, address indexed sender)',
  'event MandateAnchored(bytes32 indexed mandateHash, string state, uint256 ts, address indexed sender)',
])

/** What the contract is called with to emit `entries`. */
export function callData(entries: readonly AnchorEntry[]): Hex {
  const asked = entries.map(({ kind, hash, label }) => ({
    kind: anchorKinds.indexOf(kind),
    hash: hash as Hex,
    count: kind === 'batch' ? BigInt(label) : 0n,
    state: kind === 'mandate' ? label : '',
  }))
  return encodeFunctionData({ abi: anchorAbi, functionName: 'anchor', args: [asked] })
}

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
  return events.map((event) => ({
    ...entryOf(event),
    contract: event.address.toLowerCase(),
    sender: event.args.sender.toLowerCase(),
    timestampMs: Number(event.args.ts) * 1000,
    logIndex: Number(event.logIndex),
  }))
}

function entryOf(event: ParsedEvent): AnchorEntry {
  switch (event.eventName) {
    case 'ReceiptsAnchored':
      return { kind: 'batch', hash: event.args.root, label: `${event.args.count}` }
    case 'ReceiptRevoked':
      return { kind: 'revocation', hash: event.args.receiptHash, label: '' }
    case 'MandateAnchored':
      return { kind: 'mandate', hash: event.args.mandateHash, label: event.args.state }
  }
}

type ParsedEvent = ReturnType<typeof parseEventLogs<typeof anchorAbi>>[number]

export function isSameEvent(a: AnchorEntry, b: AnchorEntry): boolean {
  return a.kind === b.kind && a.hash === b.hash && a.label === b.label
}

type RawReceipt = Receipt & Pick<AnchorReceipt, 'from' | 'to' | 'blockHash' | 'contractAddress'>
