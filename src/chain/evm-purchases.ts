import type { Block } from './chain.ts'
import {
  authorizationUsedTopic,
  isUsedCall,
  readIsUsed,
  transactionUsing,
} from './evm-authorizations.ts'
import { receiptCall } from './evm-blocks.ts'
import { type RawLog, readTransferTo } from './evm-logs.ts'
import { createRpc } from './rpc.ts'

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

  async function transfersIn(txHash: string, payTo: string) {
    const [answer] = await rpc.ask([receiptCall(txHash)])
    const receipt = answer as Receipt | null
    if (receipt?.status !== '0x1') return null
    const nonces = receipt.logs.flatMap(({ address, topics: [topic, , nonce] }) =>
      address.toLowerCase() === token && topic === authorizationUsedTopic && nonce ? nonce : [],
    )
    const transfers = receipt.logs.flatMap((log) => readTransferTo(log, token, payTo) ?? [])
    return transfers.map((transfer) => ({ ...transfer, nonces }))
  }

  async function isUsed(payer: string, nonce: string): Promise<boolean> {
    const [answer] = await rpc.ask([isUsedCall({ token, payer, nonce })])
    return readIsUsed(answer)
  }

  return {
    ...chain,
    transfersIn,
    isUsed,
    transactionUsing: async (payer, nonce, sinceMs) =>
      transactionUsing(
        rpc,
        { token, payer, nonce },
        { head: await chain.head(), sinceMs, maxRangeBlocks },
      ),
  }
}

type Receipt = { readonly status: string; readonly logs: readonly RawLog[] }
