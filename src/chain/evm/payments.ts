import type { Network } from '../../domain/network.ts'
import type { ClaimedAuthorization, Owed, PaymentReader } from '../../domain/x402/settlement.ts'
import { ChainError, clockMarginMs } from '../chain.ts'
import { deadlineIn, deadlineMs } from '../rpc/deadline.ts'
import { unlessLagging } from '../rpc/newest-head.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { createUseFinder, isExpired, isUse, isUsedCall, readIsUsed } from './authorizations.ts'
import { blockCall, type Receipt, readBlock, receiptCall } from './blocks.ts'
import { readLogs } from './logs.ts'
import { completeTransfers } from './transactions.ts'

/** Rejects with `ChainError` only. */
export function evmPaymentReader(
  rpc: Rpc,
  { network, usdc, maxRangeBlocks }: { network: Network; usdc: string; maxRangeBlocks: number },
): PaymentReader {
  const transactionUsing = createUseFinder(rpc, maxRangeBlocks)

  async function settlementOf(signed: ClaimedAuthorization, owed: Owed) {
    const { payer, nonce, claimedAt, validBefore, txHash } = signed
    const token = owed.asset.toLowerCase()
    const used = { token, payer, nonce }
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
    const noted = (receipt as Receipt | null)?.logs.some((log) => isUse(log, used)) ? txHash : null
    const sinceMs = claimedAt.getTime() - clockMarginMs
    // Anybody who saw the authorization could bring it on chain before us.
    const usedBy = noted ?? (await transactionUsing(used, { head, sinceMs }))?.txHash
    return usedBy === undefined ? ('unknown' as const) : paidBy(usedBy, { payer, nonce, owed })
  }

  /** A used nonce does not show what it paid for: its owner may have signed it twice. */
  async function paidBy(
    txHash: string,
    { payer, nonce, owed }: { payer: string; nonce: string; owed: Owed },
  ) {
    const receipt = await receiptOf(txHash)
    if (receipt?.status !== '0x1') return 'unknown' as const
    const transfers = await transfersIn(receipt, owed)
    const isPaid = transfers.some(
      ({ from, usdcBase, settles }) =>
        from === payer.toLowerCase() &&
        usdcBase >= owed.usdcBase &&
        settles.some((one) => one.nonce === nonce),
    )
    return isPaid ? { txHash } : ('misused' as const)
  }

  async function transfersTo(payTo: string, txHash: string) {
    const receipt = await receiptOf(txHash)
    if (receipt === null) return null
    return receipt.status === '0x1' ? transfersIn(receipt, { payTo, asset: usdc }) : []
  }

  function receiptOf(txHash: string): Promise<Receipt | null> {
    const found = rpc.read([receiptCall(txHash)], ([receipt]) => {
      if (receipt !== null) return receipt as Receipt
      throw new ChainError('lagging', `the node has no receipt of ${txHash}`)
    })
    return unlessLagging(found, () => null)
  }

  async function transfersIn({ logs }: Receipt, paid: Pick<Owed, 'payTo' | 'asset'>) {
    const token = paid.asset.toLowerCase()
    const ours = readLogs(logs, token, [paid.payTo.toLowerCase()])
    const deadline = deadlineIn(deadlineMs)
    const transfers = await completeTransfers(rpc, { network, usdc: token }, ours, deadline)
    return transfers.map(({ from, usdcBase, blockTimeMs, nonce }) => ({
      from,
      usdcBase,
      blockTimeMs,
      settles: nonce === undefined ? [] : [{ payer: from, nonce }],
    }))
  }

  return { settlementOf, transfersTo }
}
