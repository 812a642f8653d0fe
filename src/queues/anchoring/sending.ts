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

/**
 * Stands for the bytes of a transaction of which only the hash is on record; no node accepts it.
 */
export const noBytes = '0x'

const stuckAfterMs = 30_000
const rebroadcastAfterMs = 5_000
/** How long another program's transaction for the same nonce is given to be mined. */
const outbidAfterMs = 300_000
/**
 * The longest interval at which a transaction is signed anew after refusals of unknown meaning. The
 * intervals grow up to this, since the fee may not be the cause.
 */
const mostSignAnewMs = 3_600_000
/**
 * A replacement is not worth more than this many times the going fee: the fee is then not what
 * holds the transaction up.
 */
const mostTimesTheFee = 10n

/** Broadcasts signed transactions, and signs them anew when the chain requires other fees. */
export function anchorSending({ client, contract, sql, log }: AnchorParts) {
  /**
   * Broadcasts a transaction again if the chain does not have it; with higher fees if it needs them
   * and the key is at hand.
   */
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
   * Whether the pool has another program's transaction for the nonce, such as the settlement of a
   * payment: no node has ever taken one of ours. Once it has been stuck for minutes it is outbid.
   */
  async function wouldOutbid(transaction: OpenTransaction): Promise<boolean> {
    const { nonce, state, txHashes, ageMs } = transaction
    const isUntaken = state === 'signed' && txHashes.length === 1
    return isUntaken && ageMs <= outbidAfterMs && (await client.transactionCount()) > nonce
  }

  /**
   * Handles a refusal: the transaction may have been signed for more than the balance can pay, or
   * for another amount of gas than it now takes. Paying more does not help.
   */
  async function onRefused(transaction: OpenTransaction): Promise<void> {
    const { id, signedBytes, maxFeePerGas } = transaction
    // At today's fees: the node holds no earlier transaction that these would have to exceed.
    const fees = await client.fees()
    const isDearer = fees.maxFeePerGas > maxFeePerGas
    if (isDearer && signedBytes !== noBytes) await markRefused(sql, id)
    else await signAnew(transaction, fees)
  }

  async function replace(transaction: OpenTransaction): Promise<void> {
    const fees = await client.fees()
    // Nodes accept a replacement only at fees 10 % above those of the transaction they hold.
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
    const signed = await client.signBatch(anchors, { nonce, gas, ...fees })
    if (signed.signedBytes === transaction.signedBytes) return await markRefused(sql, id)
    // Else another process, which has the lock by now, has seen what became of it.
    if (!(await storeReplacement(sql, id, contract, signed))) return
    log.warn({ nonce, txHash: signed.txHash }, 'a stuck anchor transaction was replaced')
    await broadcast({ id, signedBytes: signed.signedBytes })
  }

  /** Broadcasts signed bytes for the first time, or the first time since the chain lost them. */
  async function broadcast(transaction: { id: string; signedBytes: string }): Promise<void> {
    const answer = await client.broadcast(transaction.signedBytes)
    // Stays `signed`, and is replaced in the next round.
    if (answer !== 'underpriced') await markBroadcast(sql, transaction.id)
  }

  return { rebroadcast, broadcast }
}

/** How long to wait before signing anew; doubles each time the transaction is signed. */
function signAnewAfterMs({ txHashes }: OpenTransaction): number {
  return Math.min(stuckAfterMs * 2 ** (txHashes.length - 1), mostSignAnewMs)
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
