import {
  type AnchorEvent,
  type AnchorReceipt,
  anchorEvents,
  isSameEvent,
} from '../../chain/anchor/events.ts'
import * as Transactions from '../../storage/anchors/transactions.ts'
import { lastConfirmed } from '../blocks.ts'
import { lostTransactions } from './lost.ts'
import type { AnchorParts } from './parts.ts'
import type { Search, Walk } from './search.ts'
import { hashOnly, type Sending } from './sending.ts'

type OpenTransaction = Transactions.OpenTransaction
type Sender = Transactions.Sender

/** How many transactions are in no block (`unmined`) or not deep yet (`shallow`). */
export type Open = {
  readonly unmined: number
  readonly shallow: number
  /** The sender's next nonce according to mined blocks. */
  readonly nextNonce: number
  readonly head: number
  readonly deepTo: number
}

type ChainState = {
  readonly sender: Sender
  readonly head: number
  /** According to mined blocks. */
  readonly nonce: number
  /** No reorganisation is expected to undo blocks up to this one. */
  readonly deepTo: number
  readonly hasMoved: boolean
}

type Fate = 'unmined' | 'shallow' | 'over'

/**
 * Follows signed transactions until they are deep. What was mined, moved or dropped is recorded at
 * once. That its nonce went to another transaction, or that it emitted nothing, is believed only
 * when deep and unchanged for minutes: otherwise its events could be emitted twice.
 */
export function openTransactions(
  parts: AnchorParts,
  search: Search,
  { rebroadcast, broadcast }: Sending,
) {
  const { client, contract, sql, confirmations, log, warnRarely } = parts
  const lost = lostTransactions(parts, search)

  /** A transaction that fails does not hold up the others. */
  async function follow(sender: Sender): Promise<Open> {
    const chain = await chainState(sender)
    const open = await Transactions.open(sql, sender, chain.nonce)
    lost.keepOnly(open, sender.address)
    const doubtful = new Set(open.filter((transaction) => isDoubtful(transaction, chain)))
    const txHashes = [...doubtful].flatMap((transaction) => transaction.txHashes)
    const receipts = txHashes.length > 0 ? await client.receipts(txHashes) : []
    const left = { unmined: 0, shallow: 0 }
    for (const transaction of open) {
      const fate = doubtful.has(transaction)
        ? await followOne(transaction, receipts, chain)
        : 'shallow'
      if (fate !== 'over') left[fate]++
    }
    return { ...left, nextNonce: chain.nonce, head: chain.head, deepTo: chain.deepTo }
  }

  async function chainState(sender: Sender): Promise<ChainState> {
    // While the newest block with our events stands, so do the earlier ones.
    const newest = await Transactions.newestBlock(sql, sender)
    const {
      number: head,
      nonce,
      watchedHash,
    } = await client.head(sender.address, newest?.number ?? null)
    const hasMoved = newest !== null && head >= newest.number && watchedHash !== newest.hash
    // Must not be negative, even on a very young chain.
    const depth = confirmations(sender.chainId)
    const deepTo = Math.max(0, await lastConfirmed(client, depth, { number: head }))
    return { sender, head, nonce, deepTo, hasMoved }
  }

  async function followOne(
    transaction: OpenTransaction,
    receipts: readonly AnchorReceipt[],
    chain: ChainState,
  ): Promise<Fate> {
    const { nonce, txHashes } = transaction
    try {
      const receipt = receipts.find(({ txHash }) => txHashes.includes(txHash))
      if (receipt) return await onMined(transaction, receipt, chain)
      if (transaction.block) return await onForgotten(transaction, transaction.block.number, chain)
      if (nonce < chain.nonce) return await onNonceUsed(transaction, chain)
      await rebroadcast(transaction, chain.sender)
      return 'unmined'
    } catch (error) {
      const name = `${nonce} ${(error as Error).message}`
      warnRarely(name, { err: error, nonce }, 'an anchor transaction could not be followed')
      return 'unmined'
    }
  }

  async function onMined(
    transaction: OpenTransaction,
    receipt: AnchorReceipt,
    chain: ChainState,
  ): Promise<Fate> {
    const { id } = transaction
    const { txHash } = receipt
    const contract = calledBy(transaction, receipt)
    const block = { number: receipt.blockNumber, hash: receipt.blockHash }
    const isDeep = block.number <= chain.deepTo
    const logs = logsOf({ ...transaction, contract }, anchorEvents(receipt.logs))
    if (logs) {
      const { chainId } = chain.sender
      lost.forget(id)
      await Transactions.markMined(sql, { id, chainId, contract, txHash, block, isDeep }, logs)
      return isDeep ? 'over' : 'shallow'
    }
    // A node may have a transaction but not its events.
    const isSure =
      receipt.status === 'reverted' || lost.note(transaction, chain.sender.address).isForGood
    if (isDeep && isSure) {
      log.warn({ txHash }, 'an anchor transaction emitted nothing; its events are sent again')
      await Transactions.markFailed(sql, id)
      return 'over'
    }
    if (transaction.block) await Transactions.markForgotten(sql, id)
    return 'unmined'
  }

  /** The chain may never mine it again by itself. */
  async function onForgotten(
    transaction: OpenTransaction,
    blockNumber: number,
    chain: ChainState,
  ): Promise<Fate> {
    if (chain.head < blockNumber) return 'shallow'
    const { id, nonce, txHash, signedBytes } = transaction
    log.warn({ txHash, nonce, blockNumber }, 'the chain forgot an anchor transaction')
    await Transactions.markForgotten(sql, id)
    await broadcast({ id, signedBytes })
    return 'unmined'
  }

  async function onNonceUsed(transaction: OpenTransaction, chain: ChainState): Promise<Fate> {
    const { id, nonce, txHashes } = transaction
    const { sender, deepTo } = chain
    if (!(await client.isTaken(sender.address, nonce, deepTo, txHashes))) {
      lost.forget(id)
      return 'unmined'
    }
    const { isForGood, walkOn } = lost.note(transaction, sender.address)
    return isForGood ? onLost(transaction, walkOn, chain) : 'unmined'
  }

  /** Another program used the nonce, or we did before a backup was restored. */
  async function onLost(
    { id, nonce, anchors }: OpenTransaction,
    walkOn: Walk,
    chain: ChainState,
  ): Promise<Fate> {
    const from = await search.searchFrom(chain.sender, nonce, chain)
    const { isThrough, found } = await walkOn(from, chain.deepTo)
    const ours = found.find(
      (one) => one.nonce === nonce && logsOf({ anchors, contract }, one.events),
    )
    if (ours) {
      const { txHash } = ours
      log.warn({ txHash, nonce }, 'an anchor transaction was replaced by one that is not on record')
      await Transactions.storeReplacement(sql, id, contract, { ...hashOnly, txHash })
      return 'unmined'
    }
    if (!isThrough) return 'unmined'
    lost.forget(id)
    log.warn({ nonce }, 'the nonce of an anchor transaction was used by another one')
    await Transactions.markFailed(sql, id)
    return 'over'
  }

  return { follow }
}

function isDoubtful({ state, block }: OpenTransaction, { hasMoved, deepTo }: ChainState): boolean {
  return state !== 'mined' || hasMoved || block === null || block.number <= deepTo
}

/** Earlier transactions of its nonce may have called an earlier contract. */
function calledBy({ contract }: OpenTransaction, { to }: AnchorReceipt): string {
  return to === null || to === contract.toLowerCase() ? contract : to
}

/** The log index of each event, equal events in order; null unless all are there. */
function logsOf(
  { anchors, contract }: Pick<OpenTransaction, 'anchors' | 'contract'>,
  events: readonly AnchorEvent[],
): readonly { anchorId: string; logIndex: number }[] | null {
  const left = events.filter((event) => event.contract === contract.toLowerCase())
  const logs: { anchorId: string; logIndex: number }[] = []
  for (const anchor of anchors) {
    const at = left.findIndex((event) => isSameEvent(event, anchor))
    const [event] = at < 0 ? [] : left.splice(at, 1)
    if (!event) return null
    logs.push({ anchorId: anchor.id, logIndex: event.logIndex })
  }
  return logs
}
