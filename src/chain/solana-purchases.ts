import { type Chain, ChainError } from './chain.ts'
import type { PurchaseReader } from './evm-purchases.ts'
import type { Rpc } from './rpc.ts'
import { isLacking } from './rpc-fault.ts'
import type { Call } from './rpc-node.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import type { RawTransaction } from './solana-token-calls.ts'
import { maxSupportedTransactionVersion, transactionCall } from './solana-transactions.ts'
import { readTransfers } from './solana-transfers.ts'

/** Reads payments of purchases from Solana; `blockNumber` is the slot. They are known by their transaction alone: there are no authorizations to ask about. */
export function solanaPurchaseReader(
  chain: Pick<Chain, 'head' | 'finalizedNumber'>,
  rpc: Rpc,
  { usdc }: { usdc: string },
): PurchaseReader {
  async function transfersIn(txHash: string, payTo: string, seen: number) {
    const transaction = await transactionOf(txHash, seen)
    const hasFailed = transaction?.meta && transaction.meta.err !== null
    if (!transaction || hasFailed) return null
    const account = associatedTokenAccount(payTo, usdc)
    return readTransfers(transaction, new Set([account])).map(({ position, from, usdcBase }) => ({
      txHash,
      position,
      blockNumber: transaction.slot,
      from,
      usdcBase,
      nonce: null,
    }))
  }

  /** That there is none is believed of a node that has the block `seen`, and not the transaction in it. */
  async function transactionOf(txHash: string, seen: number): Promise<PaidTransaction | null> {
    const call = transactionCall(txHash, { commitment, encoding: 'json' })
    return rpc.atOneNode(async (node) => {
      const found = await node.read([call], ([answer]) => answer as PaidTransaction | null)
      if (found !== null) return found
      // Asked with it once more: behind one address may stand many nodes.
      const look = node.read([call, signaturesCall(seen)], ([answer, block]) => {
        if (answer === null) refuseUnlessGone(txHash, seen, block)
        return answer as PaidTransaction | null
      })
      return look.catch((error) => {
        if (!isLacking(error)) throw error
        throw new ChainError('lagging', `the node does not have block ${seen}: ${error.message}`)
      })
    })
  }

  return {
    head: chain.head,
    finalizedNumber: chain.finalizedNumber,
    transfersIn,
    isUsed: async () => false,
    transactionUsing: async () => null,
  }
}

const commitment = 'confirmed'

/** Asks for a block with the signatures of its transactions and nothing else of them. */
function signaturesCall(slot: number): Call {
  const options = { commitment, transactionDetails: 'signatures', rewards: false }
  return { method: 'getBlock', params: [slot, { ...options, maxSupportedTransactionVersion }] }
}

function refuseUnlessGone(txHash: string, seen: number, block: unknown): void {
  const { signatures } = (block ?? {}) as { readonly signatures?: readonly string[] }
  if (signatures?.includes(txHash) !== false)
    throw new ChainError(
      'lagging',
      `the node does not know ${txHash}, nor that slot ${seen} is without it`,
    )
}

type PaidTransaction = RawTransaction & { readonly slot: number }
