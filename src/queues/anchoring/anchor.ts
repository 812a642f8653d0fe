import type { AnchorClient } from '../../chain/anchor/anchor.ts'
import type { Confirmations } from '../../domain/registry.ts'
import type {
  AnchorStore,
  PendingAnchor,
  Sender,
  Unannounced,
} from '../../storage/anchors/anchors.ts'
import { anchorAdoption } from './adoption.ts'
import { complaints } from './complaints.ts'
import { gapWatch } from './nonce-gap.ts'
import { type Open, openTransactions } from './open.ts'
import { anchorSending } from './sending.ts'

type Options = {
  readonly client: AnchorClient
  readonly contract: string
  readonly store: AnchorStore
  /** When an event counts as final on that chain. */
  readonly confirmations: (chainId: number) => Confirmations
  readonly batch: { readonly mostEvents: number; readonly mostGas: bigint }
  /** Monotonic milliseconds; only differences are meaningful. */
  readonly steadyMs: () => number
  readonly newId: () => string
  /** Tells the subject of an anchored event; may be called again for the same event. */
  readonly announce: (anchored: Unannounced) => Promise<void>
  readonly log: {
    info(line: object, message: string): void
    warn(line: object, message: string): void
  }
}

export type AnchorWorker = {
  /**
   * One round: looks after sent transactions, sends owed events and announces anchored ones.
   * Returns how many of the sender's transactions are not deep in the chain yet; null: another
   * process is running a round.
   */
  run(): Promise<{ readonly openTransactions: number | null }>
}

/**
 * Two hundred events take about a million gas: more would hardly lower the cost per event, and this
 * still fits into small blocks.
 */
export const usualBatch = { mostEvents: 200, mostGas: 2_000_000n }

/** More unmined transactions at once gain nothing and make a stuck one costlier. */
const mostUnmined = 4
const lateAfterMs = 600_000

/**
 * Owns the nonces of one sender on one chain. A transaction is stored with its signed bytes before
 * it is broadcast, so whatever happens in between, the same bytes go out again and every event is
 * emitted once. Transactions signed by earlier keys are looked after too.
 */
export function createAnchorWorker(options: Options): AnchorWorker {
  const { client, contract, store, batch, newId, log } = options
  const { isAllKnown, searchFrom, walk } = anchorAdoption(options)
  const { attend } = openTransactions(options, { searchFrom, walk })
  const { broadcast } = anchorSending(options)
  const { missingNonce } = gapWatch(options)
  const complain = complaints(options)

  async function run(): Promise<{ openTransactions: number | null }> {
    await complainWhenLate()
    const sender: Sender = { chainId: await client.chainId(), address: client.sender }
    for (const predecessor of await store.otherSenders(sender)) await attendToEarlier(predecessor)
    let openCount = 0
    const isAlone = await store.asOnlySender(sender, async () => {
      try {
        const open = await attend(sender)
        openCount = open.unmined + open.shallow
        const missing = await missingNonce(open.nonces)
        if (missing !== null && (await fill(sender, missing))) openCount++
        for (let unmined = open.unmined; unmined < mostUnmined; unmined++) {
          if (!(await sendNext(sender, open))) break
          openCount++
        }
      } finally {
        await announceAll()
      }
    })
    return { openTransactions: isAlone ? openCount : null }
  }

  /** What cannot be found out about the transactions of an earlier key holds up no others. */
  async function attendToEarlier(sender: Sender): Promise<void> {
    try {
      await store.asOnlySender(sender, async () => void (await attend(sender)))
    } catch (error) {
      const { address } = sender
      const message = 'the anchor transactions of an earlier key could not be looked after'
      complain(`earlier ${address}`, { err: error, sender: address }, message)
    }
  }

  /** Runs before any node is asked, as the node may be what delays the events. */
  async function complainWhenLate(): Promise<void> {
    const ageMs = await store.oldestOwedAgeMs()
    if (ageMs === null || ageMs <= lateAfterMs) return
    complain('late', { ageMs }, 'events wait to be anchored for more than ten minutes')
  }

  async function sendNext(sender: Sender, open: Open): Promise<boolean> {
    const owed = await store.pending(batch.mostEvents)
    if (owed.length === 0) return false
    const [recorded, counted] = [await store.nextNonce(sender), await client.transactionCount()]
    const nonce = Math.max(recorded, counted)
    // Another program has used the key, or we have and the record was restored from a backup, which
    // may be from before the key's first transaction. Nothing was anchored before the contract was
    // created.
    const isForeign = counted > recorded && !client.isCreatedWith(counted - 1)
    if (isForeign && open.nonces.next < counted) {
      log.warn(
        { nonce: recorded },
        'a transaction that is not on record is in the pool; anchors wait',
      )
      return false
    }
    // Until it is known what became of recorded transactions that are in no block, it is also
    // unknown which later events are on the chain.
    if (isForeign && open.unmined > 0) return false
    if (isForeign && !(await isAllKnown(sender, open))) return false
    return send(sender, nonce, owed)
  }

  /**
   * Fills the nonce with the next events, or with none, so that transactions signed for later
   * nonces can be mined.
   */
  async function fill(sender: Sender, nonce: number): Promise<boolean> {
    log.warn({ nonce }, 'a nonce that somebody else has used and not kept is filled')
    return send(sender, nonce, await store.pending(batch.mostEvents))
  }

  async function send(
    sender: Sender,
    nonce: number,
    owed: readonly PendingAnchor[],
  ): Promise<boolean> {
    if (!(await client.hasContract())) {
      complain('contract', { contract }, 'there is no contract at ANCHOR_CONTRACT; anchors wait')
      return false
    }
    const { anchors, gas } = await fitting(owed)
    const signed = await client.signBatch(anchors, { nonce, gas, ...(await client.fees()) })
    const id = newId()
    const anchorIds = anchors.map((anchor) => anchor.id)
    if (!(await store.storeSigned({ ...signed, id, sender, contract, nonce }, anchorIds)))
      return false
    await broadcast({ id, signedBytes: signed.signedBytes })
    log.info({ txHash: signed.txHash, events: anchors.length, nonce }, 'anchor transaction sent')
    return true
  }

  /** As many events, from the first on, as fit into the gas limit of one transaction. */
  async function fitting(owed: readonly PendingAnchor[]) {
    let anchors = owed
    for (;;) {
      const gas = await client.gasFor(anchors)
      if (gas <= batch.mostGas || anchors.length <= 1) return { anchors, gas }
      const share = Number(batch.mostGas) / Number(gas)
      anchors = anchors.slice(0, Math.max(1, Math.floor(anchors.length * share)))
    }
  }

  /**
   * One that cannot be told keeps neither others nor the anchoring waiting: it is told in a later
   * round.
   */
  async function announceAll(): Promise<void> {
    const untold: string[] = []
    for (;;) {
      const anchored = await store.unannounced(100, untold)
      if (anchored.length === 0) return
      const results = await Promise.allSettled(anchored.map(options.announce))
      const told: string[] = []
      for (const [at, result] of results.entries()) {
        const { id } = anchored[at] as Unannounced
        if (result.status === 'fulfilled') told.push(id)
        else {
          untold.push(id)
          complain('untold', { err: result.reason }, 'that an event is anchored could not be told')
        }
      }
      await store.markAnnounced(told)
    }
  }

  return { run }
}
