import type { AnchorClient } from '../chain/anchor.ts'
import type {
  OpenTransaction,
  PendingAnchor,
  Sender,
  Signed,
  Unannounced,
} from '../storage/anchors.ts'

/** What the anchor worker needs of storage; each function is one statement. */
export type AnchorStore = {
  asOnlySender(sender: Sender, work: () => Promise<void>): Promise<boolean>
  pending(limit: number): Promise<readonly PendingAnchor[]>
  open(sender: Sender): Promise<readonly OpenTransaction[]>
  nextNonce(sender: Sender): Promise<number>
  /** Looks again at transactions that were mined at this nonce or later; answers how many. */
  reopen(sender: Sender, fromNonce: number): Promise<number>
  storeSigned(
    transaction: Signed & { id: string; sender: Sender; contract: string; nonce: number },
    anchorIds: readonly string[],
  ): Promise<boolean>
  storeReplacement(id: string, signed: Signed): Promise<void>
  markBroadcast(id: string): Promise<void>
  markMined(
    mined: { id: string; chainId: number; contract: string; txHash: string; blockNumber: number },
    logs: readonly { anchorId: string; logIndex: number }[],
  ): Promise<void>
  markFailed(id: string): Promise<void>
  unannounced(limit: number): Promise<readonly Unannounced[]>
  markAnnounced(ids: readonly string[]): Promise<void>
}

type Options = {
  readonly client: AnchorClient
  readonly contract: string
  readonly store: AnchorStore
  readonly now: () => Date
  readonly newId: () => string
  /** Tells the owner of an anchored event; may be called again for the same event. */
  readonly announce: (anchored: Unannounced) => Promise<void>
  readonly log: {
    info(line: object, message: string): void
    warn(line: object, message: string): void
  }
}

export type AnchorWorker = {
  /** One round: look after what was sent, send what is owed, tell who waits. Answers how many transactions are still open. */
  run(): Promise<{ readonly openTransactions: number }>
}

const batchSize = 64
/** More than this many unmined transactions at once gain nothing and make a stuck one costlier. */
const mostOpen = 4
const stuckAfterMs = 60_000
const rebroadcastAfterMs = 5_000
/** A replacement that would cost more than this many times the going fee is not worth it: what holds it up is not the fee. */
const mostTimesTheFee = 10n

/**
 * Owns the nonces of one sender on one chain. A transaction is stored with its signed bytes before it is broadcast, so whatever
 * happens in between, the same bytes go out again and every event is emitted once.
 */
export function createAnchorWorker(options: Options): AnchorWorker {
  const { client, contract, store, now, newId } = options

  async function run(): Promise<{ openTransactions: number }> {
    const sender: Sender = { chainId: await client.chainId(), address: client.sender }
    let left = 0
    await store.asOnlySender(sender, async () => {
      await reopenForgotten(sender)
      const open = await store.open(sender)
      for (const transaction of open) left += (await attend(sender, transaction)) ? 0 : 1
      for (; left < mostOpen; left++) if (!(await sendNext(sender))) break
    })
    await announceAll()
    return { openTransactions: left }
  }

  /** A chain that was reorganised has forgotten transactions that were mined; the same bytes fill the same nonces again. */
  async function reopenForgotten(sender: Sender): Promise<void> {
    const reopened = await store.reopen(sender, await client.transactionCount())
    if (reopened > 0)
      options.log.warn(
        { transactions: reopened },
        'the chain forgot anchor transactions; they are sent again',
      )
  }

  /** True once nothing is left to do for the transaction. One that cannot be looked after now does not hold up the others. */
  async function attend(sender: Sender, transaction: OpenTransaction): Promise<boolean> {
    try {
      if (await recordIfMined(sender, transaction)) return true
      return await insist(transaction)
    } catch (error) {
      options.log.warn(
        { err: error, nonce: transaction.nonce },
        'an anchor transaction could not be looked after',
      )
      return false
    }
  }

  /** Sends again what is not mined; true when its nonce was used by somebody else, so that its events are owed anew. */
  async function insist(transaction: OpenTransaction): Promise<boolean> {
    const ageMs = now().getTime() - transaction.updatedAt.getTime()
    if (transaction.state === 'signed') {
      await broadcast(transaction)
    } else if (ageMs > rebroadcastAfterMs) {
      const answer = await client.broadcast(transaction.signedBytes)
      if (ageMs <= stuckAfterMs) return false
      // Mined transactions have receipts long before this; without one, another transaction took the nonce.
      if (answer === 'nonce_used') {
        options.log.warn(
          { nonce: transaction.nonce },
          'the nonce of an anchor transaction was used by another one',
        )
        await store.markFailed(transaction.id)
        return true
      }
      await replace(transaction)
    }
    return false
  }

  async function recordIfMined(sender: Sender, transaction: OpenTransaction): Promise<boolean> {
    for (const txHash of transaction.txHashes) {
      const receipt = await client.receipt(txHash)
      if (!receipt) continue
      if (receipt.status === 'reverted') {
        options.log.warn(
          { txHash },
          'an anchor transaction failed on chain; its events are sent again',
        )
        await store.markFailed(transaction.id)
        return true
      }
      // Sent to a contract that was configured then: its events, if any, are not those of the one configured now.
      if (transaction.contract !== contract) {
        await store.markFailed(transaction.id)
        return true
      }
      const logs = transaction.anchors.map((anchor) => ({
        anchorId: anchor.id,
        logIndex: logIndexOf(anchor, receipt.events),
      }))
      const { blockNumber } = receipt
      await store.markMined(
        {
          id: transaction.id,
          chainId: sender.chainId,
          contract: transaction.contract,
          txHash,
          blockNumber,
        },
        logs,
      )
      return true
    }
    return false
  }

  async function sendNext(sender: Sender): Promise<boolean> {
    const anchors = await store.pending(batchSize)
    if (anchors.length === 0) return false
    if (!(await client.hasContract())) {
      options.log.warn({ contract }, 'there is no contract at ANCHOR_CONTRACT; anchors wait')
      return false
    }
    const nonce = Math.max(await store.nextNonce(sender), await client.transactionCount())
    const signed = await client.signBatch(anchors, { nonce, ...(await client.fees()) })
    const id = newId()
    const anchorIds = anchors.map((anchor) => anchor.id)
    if (!(await store.storeSigned({ ...signed, id, sender, contract, nonce }, anchorIds)))
      return false
    await broadcast({ id, signedBytes: signed.signedBytes })
    options.log.info(
      { txHash: signed.txHash, events: anchors.length, nonce },
      'anchor transaction sent',
    )
    return true
  }

  async function broadcast({
    id,
    signedBytes,
  }: {
    id: string
    signedBytes: string
  }): Promise<void> {
    await client.broadcast(signedBytes)
    await store.markBroadcast(id)
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
    const signed = await client.signBatch(transaction.anchors, {
      nonce: transaction.nonce,
      maxFeePerGas,
      maxPriorityFeePerGas,
    })
    await store.storeReplacement(transaction.id, signed)
    options.log.warn(
      { nonce: transaction.nonce, txHash: signed.txHash },
      'a stuck anchor transaction was replaced',
    )
    await broadcast({ id: transaction.id, signedBytes: signed.signedBytes })
  }

  async function announceAll(): Promise<void> {
    for (;;) {
      const anchored = await store.unannounced(100)
      if (anchored.length === 0) return
      for (const event of anchored) await options.announce(event)
      await store.markAnnounced(anchored.map(({ id }) => id))
    }
  }

  return { run }
}

function logIndexOf(
  anchor: PendingAnchor,
  events: readonly { kind: string; hash: string; label: string; logIndex: number }[],
): number {
  const event = events.find(
    ({ kind, hash, label }) =>
      kind === anchor.kind && hash === anchor.hash && label === anchor.label,
  )
  if (!event)
    throw new Error(`the mined transaction does not hold the event of anchor ${anchor.id}`)
  return event.logIndex
}

function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
