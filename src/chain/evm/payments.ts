import type { Network } from '../../domain/network.ts'
import type { ClaimedAuthorization, Paid, PaymentReader } from '../../domain/x402/settlement.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import { deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { unlessLagging } from '../rpc/newest-head.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createUseFinder, isExpired, isUse, isUsedCall, readIsUsed } from './authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './blocks.ts'
import { logsInBlock, readLogs } from './logs.ts'
import { completeTransfers } from './transactions.ts'

/** Rejects with `ChainError` only. */
export function evmPaymentReader(
  rpc: Rpc,
  { network, maxRangeBlocks }: { network: Network; maxRangeBlocks: number },
): PaymentReader {
  const transactionUsing = createUseFinder(rpc, maxRangeBlocks)

  async function settlementOf(signed: ClaimedAuthorization, asset: string) {
    const { payer, nonce, claimedAt, validBefore, txHash } = signed
    const used = { token: asset.toLowerCase(), payer, nonce }
    // The block comes first: an authorization that is unused afterwards was unused in that block.
    const calls = [
      blockCall('latest'),
      isUsedCall(used, 'latest'),
      ...(txHash === null ? [] : [receiptCall(txHash)]),
    ]
    const { head, isUsed, receipt } = await rpc.readProven(
      calls,
      ([newest, answer, receipt = null]) => ({
        head: readBlock(newest, 'latest'),
        isUsed: readIsUsed(answer),
        receipt,
      }),
    )
    if (!isUsed) {
      return isExpired(validBefore.getTime(), head) ? ('unpaid' as const) : ('unused' as const)
    }
    if ((receipt as Receipt | null)?.logs.some((log) => isUse(log, used)))
      return { txHash: `${txHash}` }
    const sinceMs = claimedAt.getTime() - clockMarginMs
    // Anybody who saw the authorization could bring it on chain before us.
    const found = await transactionUsing(used, { head, sinceMs })
    return found ? { txHash: found.txHash } : ('unknown' as const)
  }

  async function transfersTo(paid: Paid, txHash: string) {
    const receipt = await receiptOf(txHash)
    if (receipt === null) return null
    return receipt.status === '0x1' ? transfersIn(receipt, paid) : []
  }

  function receiptOf(txHash: string): Promise<Receipt | null> {
    const found = rpc.read([receiptCall(txHash)], ([receipt]) => {
      if (receipt !== null) return receipt as Receipt
      throw new ChainError('lagging', `the node has no receipt of ${txHash}`)
    })
    return unlessLagging(found, () => null)
  }

  async function transfersIn(receipt: Receipt, { payTo, asset }: Paid) {
    const token = asset.toLowerCase()
    const logs = await logsInBlock(rpc, receipt, token)
    const deadline = deadlineIn(deadlineMs)
    const ours = readLogs(logs, token, [payTo.toLowerCase()])
    const transfers = await completeTransfers(rpc, { network, usdc: token }, ours, deadline)
    return transfers.map(({ from, position, usdcBase, blockTimeMs, nonce }) => ({
      from,
      position,
      usdcBase,
      blockTimeMs,
      settles: nonce === undefined ? [] : [{ payer: from, nonce }],
    }))
  }

  return { settlementOf, transfersTo }
}
