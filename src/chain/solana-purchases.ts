import type { Chain } from './chain.ts'
import type { PurchaseReader } from './evm-purchases.ts'
import type { Rpc } from './rpc.ts'
import { associatedTokenAccount } from './solana-accounts.ts'
import { type RawTransaction, readTransfers } from './solana-transfers.ts'

/** Reads payments of purchases from Solana; `blockNumber` is the slot. They are known by their transaction alone: there are no authorizations to ask about. */
export function solanaPurchaseReader(
  chain: Pick<Chain, 'head' | 'finalizedNumber'>,
  rpc: Rpc,
  { usdc }: { usdc: string },
): PurchaseReader {
  async function transfersIn(txHash: string, payTo: string) {
    const options = {
      commitment: 'confirmed',
      encoding: 'json',
      maxSupportedTransactionVersion: 0,
    }
    const [answer] = await rpc.ask([{ method: 'getTransaction', params: [txHash, options] }])
    const transaction = answer as (RawTransaction & { readonly slot: number }) | null
    if (transaction?.meta?.err !== null) return null
    const account = associatedTokenAccount(payTo, usdc)
    return readTransfers(transaction, new Set([account])).map(({ position, from, usdcBase }) => ({
      txHash,
      position,
      blockNumber: transaction.slot,
      from,
      usdcBase,
      nonces: [],
    }))
  }

  return {
    head: chain.head,
    finalizedNumber: chain.finalizedNumber,
    transfersIn,
    isUsed: async () => false,
    transactionUsing: async () => null,
  }
}
