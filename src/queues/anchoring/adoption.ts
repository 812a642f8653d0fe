import type { AnchorClient } from '../../chain/anchor.ts'
import { type AnchorEvent, isSameEvent } from '../../chain/anchor-events.ts'
import type { FoundTransaction } from '../../chain/anchor-logs.ts'
import type { BlockRange } from '../../chain/chain.ts'
import { isRefusal } from '../../chain/rpc-fault.ts'
import type { AnchorStore, PendingAnchor, Sender } from '../../storage/anchors.ts'
import { createRangeReader } from '../watching/ranges.ts'
import { lostAfterMs } from './open.ts'
import { noBytes } from './sending.ts'

type Options = {
  readonly client: AnchorClient
  readonly contract: string
  readonly store: AnchorStore
  readonly now: () => Date
  readonly newId: () => string
  readonly log: { warn(line: object, message: string): void }
}

/** More than this many are not owed at once. */
const mostOwed = 100_000
const mostBlocksAQuestion = 10_000
/** A round has other things to do, too: the next one goes on from where this one stopped. */
const mostReadsARound = 25

/**
 * Takes on transactions of ours that the record does not know, because it is that of a backup: what is owed and on the chain already is not
 * to be sent once more.
 */
export function anchorAdoption({ client, contract, store, now, newId, log }: Options) {
  const ranges = createRangeReader(anchoredIn, mostBlocksAQuestion)
  /** What was looked through in a row, and all that was found: of deep blocks only, which do not change. */
  let deep: Looked = { from: 0, to: -1, found: [] }
  /** From when to when the node has done nothing but refuse; null: it answers. */
  let refused: { readonly sinceMs: number; readonly lastMs: number } | null = null

  /**
   * Whether the chain, up to `head`, has no such transaction. One that it has is looked after from the next round on. A long stretch takes
   * several rounds, each of which answers no. Errors: those of the chain; what was looked through is not lost.
   */
  async function isAllKnown(
    sender: Sender,
    { head, deepTo }: { readonly head: number; readonly deepTo: number },
  ): Promise<boolean> {
    const recorded = await store.newestRecorded(sender)
    if (recorded === null) return true
    if (recorded < deep.from || recorded > deep.to + 1) {
      deep = { from: recorded, to: recorded - 1, found: [] }
    }
    const isThrough = await lookThroughDeep(deepTo)
    const shallow = isThrough ? await lookThrough(deep.to + 1, head) : []
    const isAny = await takeOn(sender, [...deep.found, ...shallow])
    return isThrough && !isAny
  }

  /** Goes on from where it stopped the last time; answers whether it has come to the end. */
  async function lookThroughDeep(end: number): Promise<boolean> {
    for (let reads = 0; reads < mostReadsARound; reads++) {
      if (deep.to >= end) return true
      const { to, found } = await look(deep.to + 1, end)
      deep = { from: deep.from, to, found: [...deep.found, ...found] }
    }
    return false
  }

  async function lookThrough(from: number, end: number): Promise<readonly FoundTransaction[]> {
    if (from > end) return []
    const { to, found } = await look(from, end)
    return [...found, ...(await lookThrough(to + 1, end))]
  }

  /** As much as is asked for at once. */
  async function look(from: number, end: number): Promise<Looked> {
    const range = { from, to: Math.min(end, from + ranges.mostBlocks() - 1) }
    try {
      const { to, transfers } = await ranges.read(range, client)
      refused = null
      return { from, to, found: transfers }
    } catch (error) {
      // A node that keeps no logs from so long ago must not keep events waiting for ever; one that has a bad moment may say the same.
      if (!isRefusal(error) || !isRefusedForGood()) throw error
      log.warn({ err: error }, 'what was anchored by transactions not on record cannot be read')
      return { ...range, found: [] }
    }
  }

  /** Refusals with longer between them than they have to last are no proof of what went on meanwhile. */
  function isRefusedForGood(): boolean {
    const nowMs = now().getTime()
    const sinceMs = refused && nowMs <= refused.lastMs + lostAfterMs ? refused.sinceMs : nowMs
    refused = { sinceMs, lastMs: nowMs }
    return nowMs >= sinceMs + lostAfterMs
  }

  async function takeOn(sender: Sender, found: readonly FoundTransaction[]): Promise<boolean> {
    let owed = await store.pending(mostOwed)
    let isAny = false
    for (const { txHash, nonce, events } of found) {
      const anchors = owedAmong(owed, events)
      if (anchors.length === 0) continue
      const ids = anchors.map(({ id }) => id)
      const transaction = { ...unknown, id: newId(), sender, contract, nonce, txHash }
      // Refused where the nonce is on record: then these events are others of the same hash and label.
      if (!(await store.storeSigned(transaction, ids))) continue
      log.warn(
        { txHash, events: ids.length },
        'events are on the chain that the record does not know',
      )
      owed = owed.filter((anchor) => !anchors.includes(anchor))
      isAny = true
    }
    return isAny
  }

  return { isAllKnown }
}

type Looked = BlockRange & { readonly found: readonly FoundTransaction[] }

async function anchoredIn(range: BlockRange, client: AnchorClient) {
  const { last, transactions } = await client.anchored(range)
  return { last, transfers: transactions }
}

/** Its bytes are gone. Should the chain lose it, no node takes these, and it is signed anew. */
const unknown = { signedBytes: noBytes, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

function owedAmong(
  owed: readonly PendingAnchor[],
  events: readonly AnchorEvent[],
): readonly PendingAnchor[] {
  const left = [...owed]
  return events.flatMap((event) => {
    const at = left.findIndex((anchor) => isSameEvent(event, anchor))
    return at < 0 ? [] : left.splice(at, 1)
  })
}
