import type { AnchorClient } from '../../chain/anchor.ts'
import type { Fees } from '../../chain/evm-sender.ts'
import { isRefusal } from '../../chain/rpc-fault.ts'
import type { AnchorStore, OpenTransaction, Sender } from '../../storage/anchors.ts'

type Options = {
  readonly client: AnchorClient
  readonly contract: string
  readonly store: AnchorStore
  readonly now: () => Date
  readonly log: { warn(line: object, message: string): void }
}

/** Stands for the bytes of a transaction of which the record knows only the hash; no node takes it. */
export const noBytes = '0x'

const stuckAfterMs = 30_000
const rebroadcastAfterMs = 5_000
/** What a node refuses in words that are not known is signed anew, if at all, ever more rarely, and then so often: it may not be the fee. */
const mostPatienceMs = 3_600_000
/** A replacement that would cost more than this many times the going fee is not worth it: what holds it up is not the fee. */
const mostTimesTheFee = 10n

/** Hands signed transactions to the chain, and signs them anew where it takes other fees. */
export function anchorSending({ client, contract, store, now, log }: Options) {
  /** Sends again what the chain does not have, for more money where that is what it takes and the key is at hand. */
  async function insist(transaction: OpenTransaction, sender: Sender): Promise<void> {
    const { id, nonce, state, signedBytes, updatedAt } = transaction
    const ageMs = now().getTime() - updatedAt.getTime()
    if (state === 'broadcast' && ageMs <= rebroadcastAfterMs) return
    const isOurs = sender.address === client.sender
    const answer = await client.broadcast(signedBytes).catch((error) => {
      if (!isOurs || !isRefusal(error) || ageMs <= patienceMs(transaction)) throw error
      log.warn({ err: error, nonce }, 'a node refuses an anchor transaction')
      return null
    })
    if (answer === null) return await onRefused(transaction)
    const isStuck = state === 'broadcast' && ageMs > stuckAfterMs && answer !== 'nonce_used'
    if (isOurs && (isStuck || answer === 'underpriced')) await replace(transaction)
    else if (answer !== 'underpriced') await store.markBroadcast(id)
  }

  /** It may have been signed for more than there is to pay with, or for another amount of gas than it takes now; paying more is no help. */
  async function onRefused(transaction: OpenTransaction): Promise<void> {
    const { id, signedBytes, maxFeePerGas } = transaction
    // At today's fees: the node holds no other one that these would have to exceed.
    const fees = await client.fees()
    const isDearer = fees.maxFeePerGas > maxFeePerGas
    if (isDearer && signedBytes !== noBytes) await store.markRefused(id)
    else await signAnew(transaction, fees)
  }

  async function replace(transaction: OpenTransaction): Promise<void> {
    const fees = await client.fees()
    // Nodes take a replacement only at 10 % more than what they hold.
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
    if (signed.signedBytes === transaction.signedBytes) return await store.markRefused(id)
    await store.storeReplacement(id, contract, signed)
    log.warn({ nonce, txHash: signed.txHash }, 'a stuck anchor transaction was replaced')
    await broadcast({ id, signedBytes: signed.signedBytes })
  }

  /** Hands signed bytes to the chain for the first time, or the first time since it lost them. */
  async function broadcast(transaction: { id: string; signedBytes: string }): Promise<void> {
    const answer = await client.broadcast(transaction.signedBytes)
    // Stays signed, and is replaced in the next round.
    if (answer !== 'underpriced') await store.markBroadcast(transaction.id)
  }

  return { insist, broadcast }
}

/** Twice as long each time it was signed. */
function patienceMs({ txHashes }: OpenTransaction): number {
  return Math.min(stuckAfterMs * 2 ** (txHashes.length - 1), mostPatienceMs)
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
