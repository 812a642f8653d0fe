import { type Chain, ChainError } from './chain.ts'
import type { PurchaseReader } from './evm-purchases.ts'
import type { Rpc } from './rpc.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import type { RawTransaction } from './solana-token-calls.ts'
import { transactionCall } from './solana-transactions.ts'
import { readTransfers } from './solana-transfers.ts'

/** Reads payments of purchases from Solana; `blockNumber` is the slot. They are known by their transaction alone: there are no authorizations to ask about. */
export function solanaPurchaseReader(
  chain: Pick<Chain, 'head' | 'finalizedNumber'>,
  rpc: Rpc,
  { usdc }: { usdc: string },
): PurchaseReader {
  async function transfersIn(txHash: string, payTo: string, seen: number) {
    const transaction = await transactionOf(txHash, seen)
    if (transaction?.meta?.err !== null) return null
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

  function transactionOf(txHash: string, seen: number): Promise<PaidTransaction | null> {
    const calls = [
      { method: 'getSlot', params: [{ commitment }] },
      transactionCall(txHash, { commitment, encoding: 'json' }),
    ]
    return rpc.read(calls, ([slot, transaction]) => {
      if (transaction === null && Number(slot) < seen)
        throw new ChainError('lagging', `the node is at slot ${slot} and has not seen ${seen}`)
      return transaction as PaidTransaction | null
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

type PaidTransaction = RawTransaction & { readonly slot: number }
