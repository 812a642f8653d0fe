import { type AnchorEvent, anchorEvents } from './anchor-events.ts'
import { type BlockRange, ChainError } from './chain.ts'
import { blockCall, readBlock } from './evm-blocks.ts'
import { fromQuantity, type RawLog, toQuantity } from './evm-logs.ts'
import { deadlineMs, type Rpc } from './rpc.ts'
import { askInParts } from './rpc-parts.ts'

/** A mined transaction that has caused anchor events, as the chain tells of it. */
export type FoundTransaction = {
  readonly txHash: string
  readonly nonce: number
  readonly events: readonly AnchorEvent[]
}

/** What `sender` (lower case) has had the contract emit in these blocks. Errors: `ChainError`, `lagging` where the node lacks the last one. */
export async function findAnchored(
  rpc: Rpc,
  by: { readonly contract: string; readonly sender: string },
  range: BlockRange,
): Promise<readonly FoundTransaction[]> {
  const byTransaction = Map.groupBy(
    await logsIn(rpc, by.contract, range),
    (log) => log.transactionHash,
  )
  const found = [...byTransaction]
    .map(([txHash, logs]) => ({ txHash, events: anchorEvents(logs) }))
    .filter(({ events }) => events.some(({ sender }) => sender === by.sender))
  const nonces = await askInParts(
    rpc,
    found.map(({ txHash }) => ({ method: 'eth_getTransactionByHash', params: [txHash] })),
    (transaction) => fromQuantity((transaction as { nonce?: unknown } | null)?.nonce),
    { size: 50, atOnce: 1 },
    AbortSignal.timeout(deadlineMs),
  )
  return found.map((transaction, at) => ({ ...transaction, nonce: nonces[at] ?? 0 }))
}

/** In smaller ranges where nodes refuse larger ones. */
async function logsIn(rpc: Rpc, address: string, range: BlockRange): Promise<readonly RawLog[]> {
  const [fromBlock, toBlock] = [toQuantity(range.from), toQuantity(range.to)]
  const logsCall = { method: 'eth_getLogs', params: [{ fromBlock, toBlock, address }] }
  try {
    return await rpc.read([blockCall(toBlock), logsCall], ([block, logs]) => {
      readBlock(block, toBlock)
      return logs as readonly RawLog[]
    })
  } catch (error) {
    const isTooWide = error instanceof ChainError && error.fault === 'range_refused'
    if (!isTooWide || range.from === range.to) throw error
    const middle = Math.floor((range.from + range.to) / 2)
    const first = await logsIn(rpc, address, { from: range.from, to: middle })
    return [...first, ...(await logsIn(rpc, address, { from: middle + 1, to: range.to }))]
  }
}
