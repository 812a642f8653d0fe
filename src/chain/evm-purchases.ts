import { type Block, ChainError } from './chain.ts'
import { fromQuantity, type RawLog, readTransferTo, toQuantity } from './evm-logs.ts'
import { authorizationUsedTopic } from './evm-transactions.ts'
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

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await rpc.ask([{ method, params }])
    return answer
  }

  async function transfersIn(txHash: string, payTo: string) {
    const receipt = (await ask('eth_getTransactionReceipt', [txHash])) as Receipt | null
    if (receipt?.status !== '0x1') return null
    const nonces = receipt.logs.flatMap(({ address, topics: [topic, , nonce] }) =>
      address.toLowerCase() === token && topic === authorizationUsedTopic && nonce ? nonce : [],
    )
    const transfers = receipt.logs.flatMap((log) => readTransferTo(log, token, payTo) ?? [])
    return transfers.map((transfer) => ({ ...transfer, nonces }))
  }

  async function isUsed(from: string, nonce: string): Promise<boolean> {
    const data = `${authorizationState}${from.slice(2).padStart(64, '0')}${nonce.slice(2)}`
    const answer = await ask('eth_call', [{ to: token, data }, 'latest'])
    return fromQuantity(answer) === 1
  }

  async function transactionUsing(from: string, nonce: string, sinceMs: number) {
    const topics = [authorizationUsedTopic, `0x${from.slice(2).padStart(64, '0')}`, nonce]
    let to = (await chain.head()).number
    // Backwards: it has been used of late.
    while (to >= 0) {
      const start = Math.max(0, to - maxRangeBlocks + 1)
      const range = { fromBlock: toQuantity(start), toBlock: toQuantity(to) }
      const [logs, block] = await rpc.ask([
        { method: 'eth_getLogs', params: [{ ...range, address: token, topics }] },
        { method: 'eth_getBlockByNumber', params: [toQuantity(start), false] },
      ])
      const [log] = logs as readonly RawLog[]
      if (log) return log.transactionHash
      if (timeOf(block) < sinceMs) return null
      to = start - 1
    }
    return null
  }

  return { ...chain, transfersIn, isUsed, transactionUsing }
}

type Receipt = { readonly status: string; readonly logs: readonly RawLog[] }

/** The selector of `authorizationState(address,bytes32)`. */
const authorizationState = '0xe94a0102'

function timeOf(block: unknown): number {
  if (block === null) throw new ChainError('lagging', 'the node does not have an old block')
  return fromQuantity((block as { timestamp: unknown }).timestamp) * 1_000
}
