import { markAnnounced, nextUnannounced, type Unannounced } from '../../storage/anchors/batches.ts'
import { oldestOwedAgeMs } from '../../storage/anchors/events.ts'
import * as Transactions from '../../storage/anchors/transactions.ts'
import { anchorAdoption } from './adoption.ts'
import { anchorEntries } from './entries.ts'
import { openTransactions } from './open.ts'
import { type AnchorOptions, anchorParts } from './parts.ts'
import { anchorSearch } from './search.ts'
import { anchorSending } from './sending.ts'

type Options = AnchorOptions & {
  /** May be called again for the same receipt. */
  readonly announce: (anchored: Unannounced) => Promise<void>
}

export type AnchorWorker = ReturnType<typeof createAnchorWorker>

/**
 * About two hundred events: more hardly lower the cost per event, and this fits into small blocks.
 * A batch of receipts is one event, however many there are.
 */
export const usualLimits = { mostEvents: 200, mostGas: 2_000_000n, mostReceipts: 4_096 }

const mostAnnouncedAtOnce = 100

const mostUnmined = 4
const lateAfterMs = 600_000

/**
 * Owns the nonces of one sender on one chain, and forms the batches of receipts. A transaction is
 * stored signed before it is broadcast, so after a crash the same bytes go out and every event is
 * emitted once. Transactions of earlier keys are followed too.
 */
export function createAnchorWorker(options: Options) {
  const parts = anchorParts(options)
  const { client, sql, log, warnRarely } = parts
  const sending = anchorSending(parts)
  const search = anchorSearch(parts)
  const { follow } = openTransactions(parts, search, sending)
  const { sendNext } = anchorEntries(parts, anchorAdoption(parts, search), sending)

  /**
   * One round. Returns how many of the sender's transactions are not deep yet; null: another
   * process is running a round.
   */
  async function run(): Promise<{ readonly openTransactions: number | null }> {
    await warnWhenLate()
    const sender = { chainId: await client.chainId(), address: client.sender }
    for (const earlier of await Transactions.otherSenders(sql, sender)) await followEarlier(earlier)
    let openCount = 0
    const isAlone = await asOnlySender(sender, async () => {
      try {
        const open = await follow(sender)
        openCount = open.unmined + open.shallow
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

  function asOnlySender(sender: Transactions.Sender, work: () => Promise<void>): Promise<boolean> {
    return Transactions.asOnlySender(sql, sender, work, {
      onFrozen: (holder) =>
        log.warn(
          { holder },
          'a process that held the anchoring lock is frozen: its connection was ended',
        ),
    })
  }

  /** One that fails holds up no others. */
  async function followEarlier(sender: Transactions.Sender): Promise<void> {
    try {
      await asOnlySender(sender, async () => void (await follow(sender)))
    } catch (error) {
      const { address } = sender
      const message = 'the anchor transactions of an earlier key could not be followed'
      warnRarely(`earlier ${address}`, { err: error, sender: address }, message)
    }
  }

  /** Before any node is asked, as the node may be the cause. */
  async function warnWhenLate(): Promise<void> {
    const ageMs = await oldestOwedAgeMs(sql)
    if (ageMs === null || ageMs <= lateAfterMs) return
    warnRarely('late', { ageMs }, 'events wait to be anchored for more than ten minutes')
  }

  /** One that fails holds up nothing; a later round repeats its batch. */
  async function announceAll(): Promise<void> {
    const failed: string[] = []
    for (;;) {
      const batch = await nextUnannounced(sql, failed)
      if (batch === null) return
      if (await areAnnounced(batch.receipts)) await markAnnounced(sql, batch.anchorId)
      else failed.push(batch.anchorId)
    }
  }

  async function areAnnounced(receipts: readonly Unannounced[]): Promise<boolean> {
    let areAll = true
    for (let at = 0; at < receipts.length; at += mostAnnouncedAtOnce) {
      const some = receipts.slice(at, at + mostAnnouncedAtOnce)
      for (const result of await Promise.allSettled(some.map(options.announce))) {
        if (result.status === 'fulfilled') continue
        areAll = false
        warnRarely('announce', { err: result.reason }, 'an anchored receipt could not be announced')
      }
    }
    return areAll
  }

  return { run }
}
