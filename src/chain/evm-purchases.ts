import { type Block, ChainError } from './chain.ts'
import {
  isUsedCall,
  nonceBefore,
  readIsUsed,
  transactionUsing,
  type Use,
} from './evm-authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './evm-blocks.ts'
import { readTransferTo, toQuantity } from './evm-logs.ts'
import { createRpc } from './rpc.ts'

/** A transfer of USDC by a transaction that is known. */
export type PurchaseTransfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** Of the EIP-3009 authorization that brought it about; null if none did. */
  readonly nonce: string | null
}

/**
 * What can be asked of a chain about payments to addresses that nobody watches. All reject with `ChainError`, of the fault `lagging` where
 * no node is to be believed that there is nothing: it must have come as far as the block `seen`.
 */
export type PurchaseReader = {
  head(): Promise<Block>
  finalizedNumber(): Promise<number | null>
  /** The transfers of USDC to `payTo` in a transaction; null while it is in no block, or if it failed there. */
  transfersIn(
    txHash: string,
    payTo: string,
    seen: number,
  ): Promise<readonly PurchaseTransfer[] | null>
  /** Whether an EIP-3009 authorization has been used or cancelled by the block `seen`. */
  isUsed(from: string, nonce: string, seen: number | 'latest'): Promise<boolean>
  /** The transaction that used or cancelled an authorization since `sinceMs`, or null. */
  transactionUsing(from: string, nonce: string, sinceMs: number): Promise<Use | null>
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

  async function transfersIn(txHash: string, payTo: string, seen: number) {
    const receipt = await receiptOf(txHash, toQuantity(seen))
    if (receipt?.status !== '0x1') return null
    const { logs } = receipt
    return logs.flatMap((log, at) => {
      const transfer = readTransferTo(log, token, payTo)
      return transfer ? { ...transfer, nonce: nonceBefore(logs, at, token) ?? null } : []
    })
  }

  /** A node that has the block may not have its receipts yet. */
  function receiptOf(txHash: string, seen: string): Promise<Receipt | null> {
    return rpc.read([receiptCall(txHash), blockCall(seen)], ([receipt, block]) => {
      if (receipt !== null) return receipt as Receipt
      readBlock(block, seen)
      const { transactions } = block as { readonly transactions: readonly string[] }
      if (!transactions.includes(txHash)) return null
      throw new ChainError('lagging', `the node has no receipt of ${txHash} in block ${seen}`)
    })
  }

  function isUsed(payer: string, nonce: string, seen: number | 'latest'): Promise<boolean> {
    const tag = seen === 'latest' ? seen : toQuantity(seen)
    // Some nodes answer for the newest block they have, whatever block they are asked about.
    const calls = [blockCall(tag), isUsedCall({ token, payer, nonce }, tag)]
    return rpc.read(calls, ([block, answer]) => {
      readBlock(block, tag)
      return readIsUsed(answer)
    })
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
