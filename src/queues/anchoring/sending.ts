import type { Fees } from '../../chain/evm/sender.ts'
import { isRefusal } from '../../chain/rpc/fault.ts'
import {
  markBroadcast,
  markRefused,
  type OpenTransaction,
  type Sender,
  storeReplacement,
} from '../../storage/anchors/transactions.ts'
import type { AnchorParts } from './parts.ts'

export type Sending = ReturnType<typeof anchorSending>

/** Stands for unknown bytes; no node accepts it. */
const noBytes = '0x'

/**
 * Stands in for a transaction known only by its hash. If the chain loses it, it is signed anew.
 */
export const hashOnly = { signedBytes: noBytes, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

const stuckAfterMs = 30_000
const rebroadcastAfterMs = 5_000
/** How long another program's transaction for the same nonce is given to be mined. */
const outbidAfterMs = 300_000
/** Limits the growing intervals between signings after refusals of unknown meaning. */
const mostSignAnewMs = 3_600_000
/** Beyond this, the fee is not what holds the transaction up. */
const mostTimesTheFee = 10n

/** Broadcasts signed transactions, and signs them anew for other fees. */
export function anchorSending({ client, contract, sql, log }: AnchorParts) {
  /** Broadcasts what the chain does not have, with higher fees if needed and the key is at hand. */
  async function rebroadcast(transaction: OpenTransaction, sender: Sender): Promise<void> {
    const { id, nonce, state, signedBytes, ageMs } = transaction
    if (state === 'broadcast' && ageMs <= rebroadcastAfterMs) return
    const isOurs = sender.address === client.sender
    const answer = await client.broadcast(signedBytes).catch((error) => {
      if (!isOurs || !isRefusal(error) || ageMs <= signAnewAfterMs(transaction)) throw error
      log.warn({ err: error, nonce }, 'a node refuses an anchor transaction')
      return null
    })
    if (answer === null) return await onRefused(transaction)
    const isStuck = state === 'broadcast' && ageMs > stuckAfterMs && answer !== 'nonce_used'
    if (isOurs && answer === 'underpriced' && (await wouldOutbid(transaction))) return
    if (isOurs && (isStuck || answer === 'underpriced')) await replace(transaction)
    else if (answer !== 'underpriced') await markBroadcast(sql, id)
  }

  /**
   * Whether another program's transaction has the nonce in the pool: no node took any of ours. Once
   * it has been stuck for minutes it is outbid.
   */
  async function wouldOutbid(transaction: OpenTransaction): Promise<boolean> {
    const { nonce, state, txHashes, ageMs } = transaction
    const isUntaken = state === 'signed' && txHashes.length === 1
    return isUntaken && ageMs <= outbidAfterMs && (await client.transactionCount()) > nonce
  }

  /**
   * It may have been signed for more than the balance, or for too little gas; higher fees do not
   * help.
   */
  async function onRefused(transaction: OpenTransaction): Promise<void> {
    const { id, signedBytes, maxFeePerGas } = transaction
    // The node holds no earlier transaction that these would have to exceed.
    const fees = await client.fees()
    const isDearer = fees.maxFeePerGas > maxFeePerGas
    if (isDearer && signedBytes !== noBytes) await markRefused(sql, id)
    else await signAnew(transaction, fees)
  }

  async function replace(transaction: OpenTransaction): Promise<void> {
    const fees = await client.fees()
    // Nodes accept a replacement only at 10 % higher fees.
    const maxFeePerGas = most(fees.maxFeePerGas, raised(transaction.maxFeePerGas))
    const maxPriorityFeePerGas = most(
      fees.maxPriorityFeePerGas,
      raised(transaction.maxPriorityFeePerGas),
    )
    if (maxFeePerGas > mostTimesTheFee * fees.maxFeePerGas) return
    await signAnew(transaction, { maxFeePerGas, maxPriorityFeePerGas })
  }

  async function signAnew(transaction: OpenTransaction, fees: Fees): Promise<void> {
    const { id, nonce, anchors } = transaction
    const gas = await client.gasFor(anchors)
    const signed = await client.signEntries(anchors, { nonce, gas, ...fees })
    if (signed.signedBytes === transaction.signedBytes) return await markRefused(sql, id)
    // Otherwise another process has the lock and knows its fate.
    if (!(await storeReplacement(sql, id, contract, signed))) return
    log.warn({ nonce, txHash: signed.txHash }, 'a stuck anchor transaction was replaced')
    await broadcast({ id, signedBytes: signed.signedBytes })
  }

  async function broadcast(transaction: { id: string; signedBytes: string }): Promise<void> {
    const answer = await client.broadcast(transaction.signedBytes)
    // Stays `signed`, and is replaced in the next round.
    if (answer !== 'underpriced') await markBroadcast(sql, transaction.id)
  }

  return { rebroadcast, broadcast }
}

/** Doubles with each signing. */
function signAnewAfterMs({ txHashes }: OpenTransaction): number {
  return Math.min(stuckAfterMs * 2 ** (txHashes.length - 1), mostSignAnewMs)
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
