import { getAddress, type Hex, pad } from 'viem'
import type { Network } from '../domain/network.ts'
import type { Owed, PaymentReader } from '../domain/x402-payment.ts'
import { blockCall, readBlock } from './evm-blocks.ts'
import { type RawLog, readLogs, toQuantity } from './evm-logs.ts'
import { completeTransfers } from './evm-transactions.ts'
import { deadlineMs, type Rpc } from './rpc.ts'

/** How old what a reorganisation still replaces may be. */
const reorgMs = 60_000

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
    validBefore: Date,
    owed: Owed,
  ) {
    const state = { to: token, data: `${authorizationState}${word(payer)}${nonce.slice(2)}` }
    // The block first: what is unused after it is so in it.
    const [newest, used, receipt = null] = await rpc.ask([
      blockCall('latest'),
      { method: 'eth_call', params: [state, 'latest'] },
      ...(txHash === null ? [] : [{ method: 'eth_getTransactionReceipt', params: [txHash] }]),
    ])
    const head = readBlock(newest, 'latest')
    if (BigInt(`${used}`) === 0n) {
      const isOver = head.timestampMs > validBefore.getTime() + reorgMs
      return isOver ? ('unpaid' as const) : ('unused' as const)
    }
    const topics = [authorizationUsed, `0x${word(payer)}`, nonce]
    const isIt = (log: RawLog) =>
      log.address.toLowerCase() === token && topics.every((topic, at) => log.topics[at] === topic)
    const noted = (receipt as Receipt | null)?.logs.find(isIt)
    // Whoever saw the authorization could bring it on chain before us.
    const found = noted ?? (await logsOf(topics, head.number)).find(isIt)
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
    const [answer] = await rpc.ask([{ method: 'eth_getTransactionReceipt', params: [txHash] }])
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

/** Selector of `authorizationState(address,bytes32)`. */
const authorizationState = '0xe94a0102'
/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const authorizationUsed = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

function word(address: string): string {
  return pad(address.toLowerCase() as Hex).slice(2)
}
