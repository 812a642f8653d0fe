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
import { createRpc, knownToAny } from './rpc.ts'

/** A transfer of USDC in a transaction whose hash is known. */
export type PurchaseTransfer = {
  readonly txHash: string
  readonly position: number
  readonly blockNumber: number
  readonly from: string
  readonly usdcBase: bigint
  /** The nonce of the EIP-3009 authorization that caused the transfer; null if none did. */
  readonly nonce: string | null
}

/**
 * What can be asked of a chain about payments to addresses that are not watched. All methods reject
 * with `ChainError`; its fault is `lagging` where something was not found and no node has shown
 * that it knows the block `seen`, without which its absence cannot be believed.
 */
export type PurchaseReader = {
  head(): Promise<Block>
  finalizedNumber(): Promise<number | null>
  /**
   * The transfers of USDC to `payTo` in a transaction; null while it is not mined, or if it failed.
   * With `seen` null, for whom nothing follows from its absence, that is believed of any node: to
   * prove it takes a block.
   */
  transfersIn(
    txHash: string,
    payTo: string,
    seen: number | null,
  ): Promise<readonly PurchaseTransfer[] | null>
  /** Whether an EIP-3009 authorization has been used or cancelled as of the block `seen`. */
  isUsed(from: string, nonce: string, seen: number | 'latest'): Promise<boolean>
  /** The transaction that used or cancelled an authorization since `sinceMs`, or null. */
  transactionUsing(from: string, nonce: string, sinceMs: number): Promise<Use | null>
}

/**
 * Reads payments of purchases from an EVM chain; `maxRangeBlocks` is the most blocks its nodes
 * accept in one question.
 */
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

  async function transfersIn(txHash: string, payTo: string, seen: number | null) {
    const receipt = await (seen === null
      ? (knownToAny(rpc, receiptCall(txHash)) as Promise<Receipt | null>)
      : receiptOf(txHash, toQuantity(seen)))
    if (receipt?.status !== '0x1') return null
    const { logs } = receipt
    return logs.flatMap((log, at) => {
      const transfer = readTransferTo(log, token, payTo)
      return transfer ? { ...transfer, nonce: nonceBefore(logs, at, token) ?? null } : []
    })
  }

  /**
   * The receipt as of the block `seen`; null if there is none yet. A node that has the block may
   * not have its receipts, so the block's list of transactions is asked for as well.
   */
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
    // Some nodes answer for their newest block, whatever block they are asked about.
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
