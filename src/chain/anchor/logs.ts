import type { Block, BlockRange } from '../chain.ts'
import { blockCall, readBlock } from '../evm/blocks.ts'
import { fromQuantity, type RawLog, toQuantity } from '../evm/logs.ts'
import { deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { askInParts } from '../rpc/parts.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type AnchorEvent, anchorEvents } from './events.ts'

export type FoundTransaction = {
  readonly txHash: string
  readonly nonce: number
  readonly events: readonly AnchorEvent[]
}

export type FoundIn = { readonly last: Block; readonly transactions: readonly FoundTransaction[] }

/** The transactions by which `sender` (lower case) had the contract emit events. */
export async function findAnchored(
  rpc: Rpc,
  by: { readonly contract: string; readonly sender: string },
  range: BlockRange,
): Promise<FoundIn> {
  const { last, logs } = await logsIn(rpc, by.contract, range)
  const byTransaction = Map.groupBy(logs, (log) => log.transactionHash)
  const found = [...byTransaction]
    .map(([txHash, logs]) => ({ txHash, events: anchorEvents(logs) }))
    .filter(({ events }) => events.some(({ sender }) => sender === by.sender))
  const nonces = await askInParts(
    rpc,
    found.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] })),
    (transaction) => fromQuantity((transaction as { nonce?: unknown } | null)?.nonce),
    { size: 50, atOnce: 1 },
    deadlineIn(deadlineMs),
  )
  const transactions = found.map((one, at) => ({ ...one, nonce: nonces[at] ?? 0 }))
  return { last, transactions }
}

function logsIn(
  rpc: Rpc,
  address: string,
  range: BlockRange,
): Promise<{ readonly last: Block; readonly logs: readonly RawLog[] }> {
  const [fromBlock, toBlock] = [toQuantity(range.from), toQuantity(range.to)]
  const logsCall = { method: 'eth_getLogs', params: [{ fromBlock, toBlock, address }] }
  return rpc.read([blockCall(toBlock), logsCall], ([block, logs]) => ({
    last: readBlock(block, toBlock),
    logs: logs as readonly RawLog[],
  }))
}
