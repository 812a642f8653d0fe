import type { ForwardedMessage, PurchaseReader } from '../../domain/purchases/reader.ts'
import { type Chain, ChainError } from '../chain.ts'
import { isLacking } from '../rpc/fault.ts'
import type { Call } from '../rpc/json-rpc.ts'
import { knownToAny, proven } from '../rpc/proven.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { associatedTokenAccount } from './accounts.ts'
import { lifetimeMs } from './message.ts'
import { solanaPaymentReader } from './payments.ts'
import type { RawTransaction } from './token-calls.ts'
import { maxSupportedTransactionVersion, transactionCall } from './transactions.ts'
import { readTransfers } from './transfers.ts'

/** `blockNumber` is the slot. */
export function solanaPurchaseReader(
  chain: Pick<Chain, 'head' | 'finalizedNumber' | 'block'>,
  rpc: Rpc,
  { usdc }: { usdc: string },
) {
  const payments = solanaPaymentReader(rpc)

  async function transaction(txHash: string, payTo: string, seen: number | null) {
    const call = transactionCall(txHash, { commitment, encoding: 'json' })
    const accounts = new Set([associatedTokenAccount(payTo, usdc)])
    const paid = await (seen === null
      ? transactionOfAny(call, accounts)
      : transactionOf(txHash, call, seen))
    if (paid === null) return null
    const blockNumber = paid.slot
    const transfers = readTransfers(paid, accounts).map(({ position, from, usdcBase }) => ({
      txHash,
      position,
      blockNumber,
      from,
      usdcBase,
      nonce: null,
    }))
    return { blockNumber, transfers }
  }

  /** All nodes are asked whether a success really pays nothing. */
  function transactionOfAny(call: Call, accounts: ReadonlySet<string>) {
    const paid = knownToAny(rpc, call, (answer) => {
      const known = answer as PaidTransaction
      return readTransfers(known, accounts).length > 0 || known.meta?.err !== null
    })
    return paid as Promise<PaidTransaction | null>
  }

  /** Null only from a node that has the block `seen` without the transaction in it. */
  async function transactionOf(
    txHash: string,
    call: Call,
    seen: number,
  ): Promise<PaidTransaction | null> {
    return rpc.atOneNode(async (node, until) => {
      const found = await node.read([call], ([answer]) => answer as PaidTransaction | null, until)
      if (found !== null) return found
      // Asked for again with the block: behind one URL there may be many nodes.
      const read = ([answer, block]: readonly unknown[]) => {
        if (answer === null) refuseUnlessGone(txHash, seen, block)
        return answer as PaidTransaction | null
      }
      const shown = proven(node).read([call, signaturesCall(seen)], read, until)
      return shown.catch((error) => {
        if (!isLacking(error)) throw error
        throw new ChainError('lagging', `the node does not have block ${seen}: ${error.message}`)
      })
    })
  }

  async function madeBy(forwarded: ForwardedMessage) {
    const { firstForwardedAt: claimedAt, forwardedAt, ...message } = forwarded
    const validBefore = new Date(forwardedAt.getTime() + lifetimeMs)
    const settled = await payments.settlementOf({ ...message, claimedAt, validBefore })
    if (settled === 'unpaid') return null
    return settled === 'unknown' ? 'waiting' : settled.txHash
  }

  const reader: Omit<PurchaseReader, 'seconded'> = {
    transaction,
    isUsed: async () => false,
    transactionUsing: async () => null,
    transactionOf: madeBy,
  }
  return { ...chain, ...reader }
}

const commitment = 'confirmed'

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
