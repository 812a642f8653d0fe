import {
  type AnchorEvent,
  type AnchorReceipt,
  anchorEvents,
  isSameEvent,
} from '../../chain/anchor/events.ts'
import * as Transactions from '../../storage/anchors/transactions.ts'
import { lastConfirmed } from '../blocks.ts'
import { type Adoption, hashOnly, lostAfterMs, type Walk } from './adoption.ts'
import type { AnchorParts } from './parts.ts'
import type { Sending } from './sending.ts'

type OpenTransaction = Transactions.OpenTransaction
type Sender = Transactions.Sender

/**
 * How many of a sender's transactions are in no block (`unmined`) or in one that is not deep yet
 * (`shallow`), and the state of the sender's nonces.
 */
export type Open = {
  readonly unmined: number
  readonly shallow: number
  readonly nonces: { readonly next: number; readonly open: readonly number[] }
  /** The newest block at that time, and the newest that no reorganisation is expected to undo. */
  readonly head: number
  readonly deepTo: number
}

/** The state of the chain at the start of a round. */
type ChainState = {
  readonly sender: Sender
  readonly head: number
  /** The sender's next nonce according to mined blocks. */
  readonly nonce: number
  /** The newest block that no reorganisation is expected to undo. */
  readonly deepTo: number
  /** The chain has other blocks than those recorded. */
  readonly hasMoved: boolean
}

type Fate = 'unmined' | 'shallow' | 'over'

/**
 * Follows signed transactions until they are deep in the chain. That one was mined, moved or
 * dropped is recorded at once. That its nonce was used by another transaction, or that it emitted
 * nothing although it succeeded, is believed only when that is deep and nothing else has been
 * reported for minutes: if given up earlier, its events could be emitted twice in the end.
 */
export function openTransactions(
  { client, contract, sql, confirmations, steadyMs, log, warnRarely }: AnchorParts,
  { searchFrom, walk }: Adoption,
  { rebroadcast, broadcast }: Sending,
) {
  const lost = new Map<string, Lost>()

  /**
   * One round for all transactions of the sender. One that fails does not hold up the others.
   */
  async function follow(sender: Sender): Promise<Open> {
    const chain = await chainState(sender)
    const open = await Transactions.open(sql, sender, chain.nonce)
    for (const [id, { address }] of lost) {
      const isOver =
        address === sender.address && open.every((transaction) => transaction.id !== id)
      if (isOver) lost.delete(id)
    }
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
    const nonces = { next: chain.nonce, open: open.map(({ nonce }) => nonce) }
    return { ...left, nonces, head: chain.head, deepTo: chain.deepTo }
  }

  async function chainState(sender: Sender): Promise<ChainState> {
    // Blocks name their parents: while the newest block with our events stands, the earlier ones
    // do.
    const newest = await Transactions.newestBlock(sql, sender)
    const {
      number: head,
      nonce,
      watchedHash,
    } = await client.head(sender.address, newest?.number ?? null)
    const hasMoved = newest !== null && head >= newest.number && watchedHash !== newest.hash
    // Nodes are queried as of this block: it must not be negative, even on a very young chain.
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
      lost.delete(id)
      await Transactions.markMined(sql, { id, chainId, contract, txHash, block, isDeep }, logs)
      return isDeep ? 'over' : 'shallow'
    }
    // A node may have a transaction and not yet, or not any more, what it emitted.
    const isSure = receipt.status === 'reverted' || isLostForGood(noteLost(transaction, chain))
    if (isDeep && isSure) {
      log.warn({ txHash }, 'an anchor transaction emitted nothing; its events are sent again')
      await Transactions.markFailed(sql, id)
      return 'over'
    }
    if (transaction.block) await Transactions.markForgotten(sql, id)
    return 'unmined'
  }

  /** The chain was reorganised and may never mine the transaction again by itself. */
  async function onForgotten(
    transaction: OpenTransaction,
    blockNumber: number,
    chain: ChainState,
  ): Promise<Fate> {
    // A lagging node cannot know better.
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
      lost.delete(id)
      return 'unmined'
    }
    const known = noteLost(transaction, chain)
    return isLostForGood(known) ? onLost(transaction, known.walkOn, chain) : 'unmined'
  }

  /** Notes that the chain shows the transaction as lost. */
  function noteLost({ id, ageMs }: OpenTransaction, { sender: { address } }: ChainState): Lost {
    const nowMs = steadyMs()
    const before = lost.get(id) ?? { address, sinceMs: nowMs, walkOn: walk(address) }
    const known = { ...before, sinceMs: Math.max(before.sinceMs, nowMs - ageMs) }
    lost.set(id, known)
    return known
  }

  function isLostForGood({ sinceMs }: Lost): boolean {
    return steadyMs() >= sinceMs + lostAfterMs
  }

  /**
   * Handles a nonce used by another program, or by us when the record was restored from a backup.
   */
  async function onLost(
    { id, nonce, anchors }: OpenTransaction,
    walkOn: Walk,
    chain: ChainState,
  ): Promise<Fate> {
    const from = await searchFrom(chain.sender, nonce, chain)
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
    lost.delete(id)
    log.warn({ nonce }, 'the nonce of an anchor transaction was used by another one')
    await Transactions.markFailed(sql, id)
    return 'over'
  }

  return { follow }
}

/**
 * A transaction whose nonce another one seems to have used, or that seems to have emitted nothing:
 * its sender, the time since when this process has seen that, and the walk that searches for its
 * events.
 */
type Lost = { readonly address: string; readonly sinceMs: number; readonly walkOn: Walk }

/** Whether the recorded state of the transaction may be out of date. */
function isDoubtful({ state, block }: OpenTransaction, { hasMoved, deepTo }: ChainState): boolean {
  return state !== 'mined' || hasMoved || block === null || block.number <= deepTo
}

/**
 * The contract that a transaction called. All that were ever signed for its nonce are ours, and
 * those from before the last one may have called an earlier contract.
 */
function calledBy({ contract }: OpenTransaction, { to }: AnchorReceipt): string {
  return to === null || to === contract.toLowerCase() ? contract : to
}

/**
 * The log index of each event of the transaction; events with the same hash and label take
 * successive logs. Null unless all are there.
 */
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
