import type { Block } from './chain.ts'
import { authorizationUsedTopic, isUsedCall, readIsUsed, usedTopics } from './evm-authorizations.ts'
import { blockCall, readBlock, receiptCall } from './evm-blocks.ts'
import { type RawLog, readTransferTo, toQuantity } from './evm-logs.ts'
import { createRpc } from './rpc.ts'
import type { Call } from './rpc-node.ts'

/** A transfer of USDC by a transaction that is known. */
export type PurchaseTransfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** Of the EIP-3009 authorizations that its transaction used. */
  readonly nonces: readonly string[]
}

/** What can be asked of a chain about payments to addresses that nobody watches. All reject with `ChainError`. */
export type PurchaseReader = {
  head(): Promise<Block>
  finalizedNumber(): Promise<number | null>
  /** The transfers of USDC to `payTo` in a transaction; null while it is in no block, or if it failed there. */
  transfersIn(txHash: string, payTo: string): Promise<readonly PurchaseTransfer[] | null>
  /** Whether an EIP-3009 authorization has moved anything yet. */
  isUsed(from: string, nonce: string): Promise<boolean>
  /** The transaction that used an authorization since `sinceMs`, or null. */
  transactionUsing(from: string, nonce: string, sinceMs: number): Promise<string | null>
}

/** Reads payments of purchases from an EVM chain; `maxRangeBlocks` as the nodes take it. */
export function evmPurchaseReader(options: {
  readonly chain: Pick<PurchaseReader, 'head' | 'finalizedNumber'>
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly maxRangeBlocks: number
}): PurchaseReader {
  const { chain, chainId, rpcUrls, usdc, maxRangeBlocks } = options
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: chainId })
  const token = usdc.toLowerCase()

  async function ask(call: Call): Promise<unknown> {
    const [answer] = await rpc.ask([call])
    return answer
  }

  async function transfersIn(txHash: string, payTo: string) {
    const receipt = (await ask(receiptCall(txHash))) as Receipt | null
    if (receipt?.status !== '0x1') return null
    const nonces = receipt.logs.flatMap(({ address, topics: [topic, , nonce] }) =>
      address.toLowerCase() === token && topic === authorizationUsedTopic && nonce ? nonce : [],
    )
    const transfers = receipt.logs.flatMap((log) => readTransferTo(log, token, payTo) ?? [])
    return transfers.map((transfer) => ({ ...transfer, nonces }))
  }

  async function isUsed(from: string, nonce: string): Promise<boolean> {
    return readIsUsed(await ask(isUsedCall(token, from, nonce)))
  }

  async function transactionUsing(from: string, nonce: string, sinceMs: number) {
    const topics = usedTopics(from, nonce)
    let to = (await chain.head()).number
    // Backwards: it has been used of late.
    while (to >= 0) {
      const start = Math.max(0, to - maxRangeBlocks + 1)
      const fromBlock = toQuantity(start)
      const filter = { address: token, topics, fromBlock, toBlock: toQuantity(to) }
      const [logs, block] = await rpc.ask([
        { method: 'eth_getLogs', params: [filter] },
        blockCall(fromBlock),
      ])
      const [log] = logs as readonly RawLog[]
      if (log) return log.transactionHash
      if (readBlock(block, fromBlock).timestampMs < sinceMs) return null
      to = start - 1
    }
    return null
  }

  return { ...chain, transfersIn, isUsed, transactionUsing }
}

type Receipt = { readonly status: string; readonly logs: readonly RawLog[] }
