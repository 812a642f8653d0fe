import type { Block, BlockRange } from '../chain.ts'
import { blockCall, readBlock } from '../evm/blocks.ts'
import { fromQuantity, type RawLog, topicOf, toQuantity } from '../evm/logs.ts'
import { deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { askInParts } from '../rpc/parts.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type AnchorEvent, anchorEvents } from './events.ts'

/** Whose statements: those that `sender` (lower case) has had `contract` emit. */
export type By = { readonly contract: string; readonly sender: string }

export type FoundTransaction = {
  readonly txHash: string
  readonly nonce: number
  readonly events: readonly AnchorEvent[]
}

export type FoundIn = { readonly last: Block; readonly transactions: readonly FoundTransaction[] }

/** The transactions by which the sender had the contract emit events. */
export async function findAnchored(rpc: Rpc, by: By, range: BlockRange): Promise<FoundIn> {
  const { last, logs } = await logsBy(rpc, by, range)
  const found = [...Map.groupBy(logs, (log) => log.transactionHash)]
  const nonces = await askInParts(
    rpc,
    found.map(([txHash]) => ({ method: 'eth_getTransactionByHash', params: [txHash] })),
    (transaction) => fromQuantity((transaction as { nonce?: unknown } | null)?.nonce),
    { size: 50, atOnce: 1 },
    deadlineIn(deadlineMs),
  )
  const transactions = found.map(([txHash, logs], at) => ({
    txHash,
    nonce: nonces[at] ?? 0,
    events: anchorEvents(logs),
  }))
  return { last, transactions }
}

/** The events that the sender had the contract emit. */
export async function eventsBy(
  rpc: Rpc,
  by: By,
  range: BlockRange,
): Promise<readonly AnchorEvent[]> {
  return anchorEvents((await logsBy(rpc, by, range)).logs)
}

function logsBy(
  rpc: Rpc,
  { contract, sender }: By,
  range: BlockRange,
): Promise<{ readonly last: Block; readonly logs: readonly RawLog[] }> {
  const [fromBlock, toBlock] = [toQuantity(range.from), toQuantity(range.to)]
  const filter = { fromBlock, toBlock, address: contract, topics: [null, null, topicOf(sender)] }
  const logsCall = { method: 'eth_getLogs', params: [filter] }
  return rpc.read([blockCall(toBlock), logsCall], ([block, logs]) => ({
    last: readBlock(block, toBlock),
    logs: logs as readonly RawLog[],
  }))
}
