import { getAddress } from 'viem'
import type { Network } from '../domain/network.ts'
import type { Owed, PaymentReader } from '../domain/x402-payment.ts'
import { isUsedCall, readIsUsed, usedTopics } from './evm-authorizations.ts'
import { receiptCall } from './evm-blocks.ts'
import { fromQuantity, type RawLog, readLogs, toQuantity } from './evm-logs.ts'
import { completeTransfers } from './evm-transactions.ts'
import { deadlineMs, type Rpc } from './rpc.ts'

/** Reads payments of USDC from an EVM chain. Rejects with `ChainError` and nothing else. */
export function evmPaymentReader(
  rpc: Rpc,
  { network, usdc, lookBackBlocks }: { network: Network; usdc: string; lookBackBlocks: number },
): PaymentReader {
  const token = usdc.toLowerCase()

  async function settlementOf(
    payer: string,
    nonce: string,
    txHash: string | null,
    _validBefore: Date,
    owed: Owed,
  ) {
    const [used, head, receipt = null] = await rpc.ask([
      isUsedCall(token, payer, nonce),
      { method: 'eth_blockNumber', params: [] },
      ...(txHash === null ? [] : [receiptCall(txHash)]),
    ])
    if (!readIsUsed(used)) return 'unused' as const
    const topics = usedTopics(payer, nonce)
    const isIt = (log: RawLog) =>
      log.address.toLowerCase() === token && topics.every((topic, at) => log.topics[at] === topic)
    const noted = (receipt as Receipt | null)?.logs.find(isIt)
    // Whoever saw the authorization could bring it on chain before us.
    const found = noted ?? (await logsOf(topics, fromQuantity(head))).find(isIt)
    return found ? paidBy(found.transactionHash, { payer, nonce, owed }) : ('unknown' as const)
  }

  /** That a nonce was used says nothing of what for: its owner may have signed it twice. */
  async function paidBy(
    txHash: string,
    { payer, nonce, owed }: { payer: string; nonce: string; owed: Owed },
  ) {
    const transfers = await transfersTo(owed.recipient, txHash)
    if (transfers === null) return 'unknown' as const
    const isPaid = transfers.some(
      ({ from, usdcBase, nonces }) =>
        from === payer.toLowerCase() && usdcBase >= owed.usdcBase && nonces.includes(nonce),
    )
    return isPaid ? { txHash } : ('misused' as const)
  }

  async function logsOf(topics: readonly string[], head: number): Promise<readonly RawLog[]> {
    const fromBlock = toQuantity(Math.max(0, head - lookBackBlocks))
    const filter = { address: token, topics, fromBlock, toBlock: 'latest' }
    const [logs] = await rpc.ask([{ method: 'eth_getLogs', params: [filter] }])
    return logs as RawLog[]
  }

  async function transfersTo(recipient: string, txHash: string) {
    const [answer] = await rpc.ask([receiptCall(txHash)])
    const receipt = answer as Receipt | null
    if (receipt?.status !== '0x1') return null
    const logs = readLogs(receipt.logs, token, [recipient.toLowerCase()])
    const deadline = AbortSignal.timeout(deadlineMs)
    const transfers = await completeTransfers(rpc, { network, usdc: token }, logs, deadline)
    return transfers.map(({ from, usdcBase, blockTimeMs, references }) => ({
      from,
      usdcBase,
      blockTimeMs,
      nonces: references,
    }))
  }

  return { settlementOf, transfersTo }
}

/** An address with the capitals that clients insist on, whatever the operator wrote. */
export function checksummed(address: string): string {
  return getAddress(address.toLowerCase())
}

type Receipt = { readonly status: string; readonly logs: readonly RawLog[] }
