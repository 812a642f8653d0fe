import type { Authorization, PurchaseReader } from '../../domain/purchases/reader.ts'
import { type Chain, ChainError, clockMarginMs } from '../chain.ts'
import { knownToAny } from '../rpc/proven.ts'
import { createRpc } from '../rpc/rpc.ts'
import {
  createUseFinder,
  isUsedCall,
  nonceBefore,
  permitCall,
  readIsPermitUsed,
  readIsUsed,
} from './authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './blocks.ts'
import { fromQuantity, logsInBlock, readTransferTo, toQuantity } from './logs.ts'

/** `maxRangeBlocks` is the most blocks its nodes accept in one question. */
export function evmPurchaseReader(options: {
  readonly chain: Pick<Chain, 'head' | 'finalizedNumber' | 'block'>
  readonly chainId: number
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly maxRangeBlocks: number
}) {
  const { chain, chainId, rpcUrls, usdc, maxRangeBlocks } = options
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: chainId })
  const token = usdc.toLowerCase()
  const transactionUsing = createUseFinder(rpc, maxRangeBlocks)

  async function transaction(txHash: string, payTo: string, seen: number | null) {
    const receipt = await (seen === null
      ? receiptOfAny(txHash, payTo)
      : receiptOf(txHash, toQuantity(seen)))
    if (receipt === null) return null
    const logs = receipt.status === '0x1' ? await logsInBlock(rpc, receipt, token) : []
    const transfers = logs.flatMap((log, at) => {
      const transfer = readTransferTo(log, token, payTo)
      if (!transfer) return []
      const { blockTimeMs: _, ...fields } = transfer
      return { ...fields, nonce: nonceBefore(logs, at, token) ?? null }
    })
    return { blockNumber: fromQuantity(receipt.blockNumber), transfers }
  }

  /** All nodes are asked, as one may not have all logs of a success yet. */
  function receiptOfAny(txHash: string, payTo: string): Promise<Receipt | null> {
    const receipt = knownToAny(rpc, receiptCall(txHash), (answer) => {
      const { status, logs } = answer as Receipt
      return status !== '0x1' || logs.some((log) => readTransferTo(log, token, payTo))
    })
    return receipt as Promise<Receipt | null>
  }

  /** Null where block `seen` lacks it. A node may have a block and lack its receipts. */
  function receiptOf(txHash: string, seen: string): Promise<Receipt | null> {
    return rpc.readProven([receiptCall(txHash), blockCall(seen)], ([receipt, block]) => {
      if (receipt !== null) return receipt as Receipt
      readBlock(block, seen)
      const { transactions } = block as { readonly transactions: readonly string[] }
      if (!transactions.includes(txHash)) return null
      throw new ChainError('lagging', `the node has no receipt of ${txHash} in block ${seen}`)
    })
  }

  function isUsed({ kind, payer, nonce }: Authorization, seen: number): Promise<boolean> {
    const tag = toQuantity(seen)
    const call =
      kind === 'permit2'
        ? permitCall({ payer, nonce }, tag)
        : isUsedCall({ token, payer, nonce }, tag)
    // Some nodes answer for their newest block, whatever block they are asked about.
    return rpc.readProven([blockCall(tag), call], ([block, answer]) => {
      readBlock(block, tag)
      return kind === 'permit2' ? readIsPermitUsed(answer, nonce) : readIsUsed(answer)
    })
  }

  const reader: Omit<PurchaseReader, 'seconded'> = {
    transaction,
    isUsed,
    transactionOf: async () => 'waiting',
    async transactionUsing({ payer, nonce }, since) {
      const sinceMs = since.getTime() - clockMarginMs
      return transactionUsing({ token, payer, nonce }, { head: await chain.head(), sinceMs })
    },
  }
  return { ...chain, ...reader }
}
