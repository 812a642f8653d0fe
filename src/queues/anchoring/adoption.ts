import { type AnchorEvent, isSameEvent } from '../../chain/anchor/events.ts'
import type { FoundTransaction } from '../../chain/anchor/logs.ts'
import { type BlockRange, ChainError } from '../../chain/chain.ts'
import { isRefusal } from '../../chain/rpc/fault.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import { type PendingAnchor, pending } from '../../storage/anchors/events.ts'
import {
  firstSignedAt,
  madeAt,
  newestRecorded,
  type Sender,
  storeFound,
} from '../../storage/anchors/transactions.ts'
import { lastBlockBefore } from '../blocks.ts'
import type { AnchorParts } from './parts.ts'
import { noBytes } from './sending.ts'

/** An upper bound: more events are never owed at once. */
const mostOwed = 100_000
const mostBlocksAQuestion = 10_000
/** A round has other work too; the next round continues where this one stopped. */
const mostReadsARound = 25
/**
 * How long a node must have given the same answer before it is believed: there may be several nodes
 * behind one address, and one may lag.
 */
export const lostAfterMs = 300_000

export type Adoption = ReturnType<typeof anchorAdoption>

/**
 * Walks through the deep blocks from `from` to `to`. Blocks already searched, and what was found in
 * them, are kept between calls.
 */
export type Walk = (from: number, to: number) => Promise<Looked>

/** The newest block, and the newest that no reorganisation is expected to undo. */
type Heights = { readonly head: number; readonly deepTo: number }

/** `isThrough`: the last requested block was reached. */
type Looked = { readonly isThrough: boolean; readonly found: readonly FoundTransaction[] }

/**
 * Adopts transactions of ours that are not on record because the record was restored from a backup:
 * owed events that are already on the chain must not be sent again.
 */
export function anchorAdoption({ client, contract, sql, steadyMs, newId, log }: AnchorParts) {
  const ranges = createRangeReader(client.anchored, mostBlocksAQuestion)
  const walkOn = walk(client.sender)
  /** The period in which the node has only refused; null: it answers. */
  let refused: { readonly sinceMs: number; readonly lastMs: number } | null = null
  /** The newest block without the contract, once it was found. */
  let lastWithout: number | null = null

  /**
   * Whether no transaction missing from the record has anchored owed events, up to the block
   * `head`. If one has, it is adopted, and looked after from the next round on. A long stretch of
   * blocks takes several rounds, each of which answers false. Errors: those of the chain; blocks
   * already searched are not lost.
   */
  async function isAllKnown(sender: Sender, chain: Heights): Promise<boolean> {
    const { head, deepTo } = chain
    const from = await searchFrom(sender, null, chain)
    const { isThrough, found } = await walkOn(from, deepTo)
    const shallow = isThrough
      ? await readThrough(sender.address, Math.max(from, deepTo + 1), head)
      : []
    const isAny = await takeOn(sender, [...found, ...shallow])
    return isThrough && !isAny
  }

  /**
   * The block from which on transactions of the sender may be missing from the record: the newest
   * one recorded (with `beforeNonce`, of the nonces below it). If none of the record was ever seen
   * in a block, it is one from before the first was signed; if there is none, from before the
   * database was made: an event that is owed only now may have come about before, after the backup.
   * Blocks without the contract are left out where the node still knows which they are.
   */
  async function searchFrom(
    sender: Sender,
    beforeNonce: number | null,
    { head, deepTo }: Heights,
  ): Promise<number> {
    const from = await oldestMissing(sender, beforeNonce, head)
    lastWithout ??= await lastWithoutContract(from, deepTo)
    return Math.max(from, lastWithout ?? 0)
  }

  async function oldestMissing(
    sender: Sender,
    beforeNonce: number | null,
    head: number,
  ): Promise<number> {
    const recorded = await newestRecorded(sql, sender, beforeNonce)
    if (recorded !== null) return recorded
    const [firstAt, newest] = await Promise.all([
      firstSignedAt(sql, sender).then((at) => at ?? madeAt(sql)),
      client.block(head),
    ])
    if (!newest) throw new ChainError('lagging', `the node does not have block ${head}`)
    return lastBlockBefore(client, firstAt, newest)
  }

  /**
   * The newest block, from `from` to `to`, without the contract; null where block `from` had it, or
   * the node does not say.
   */
  async function lastWithoutContract(from: number, to: number): Promise<number | null> {
    try {
      if (from > to || !(await client.lackedContract(from))) return null
      let [before, after] = [from, to + 1]
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2)
        if (await client.lackedContract(middle)) before = middle
        else after = middle
      }
      return before
    } catch (error) {
      // Most nodes keep no state from long ago. Not to know only makes the search longer.
      if (error instanceof ChainError) return null
      throw error
    }
  }

  /** A walk for transactions sent by this address. */
  function walk(address: string): Walk {
    // Only deep blocks are kept, because they do not change.
    let done: Read = { from: 0, to: -1, found: [] }
    return async (from, end) => {
      if (from < done.from || from > done.to + 1) done = { from, to: from - 1, found: [] }
      for (let reads = 0; reads < mostReadsARound && done.to < end; reads++) {
        const { to, found } = await read(address, done.to + 1, end)
        done = { from: done.from, to, found: [...done.found, ...found] }
      }
      return { isThrough: done.to >= end, found: done.found }
    }
  }

  async function readThrough(
    address: string,
    from: number,
    end: number,
  ): Promise<readonly FoundTransaction[]> {
    if (from > end) return []
    const { to, found } = await read(address, from, end)
    return [...found, ...(await readThrough(address, to + 1, end))]
  }

  /** Searches as many blocks as one read may ask for. */
  async function read(address: string, from: number, end: number): Promise<Read> {
    const range = { from, to: Math.min(end, from + ranges.mostBlocks() - 1) }
    try {
      const { to, answers } = await ranges.read(range, address)
      refused = null
      return { from, to, found: answers.flatMap(({ transactions }) => transactions) }
    } catch (error) {
      // A node that has no logs from so long ago must not hold up events for ever; but a node with
      // a temporary fault may refuse in the same way.
      if (!isRefusal(error) || !isRefusedForGood()) throw error
      log.warn({ err: error }, 'what was anchored by transactions not on record cannot be read')
      return { ...range, found: [] }
    }
  }

  /**
   * Whether the node has refused for long enough to be believed. Refusals too far apart do not
   * count as one period: what happened in between is unknown.
   */
  function isRefusedForGood(): boolean {
    const nowMs = steadyMs()
    const sinceMs = refused && nowMs <= refused.lastMs + lostAfterMs ? refused.sinceMs : nowMs
    refused = { sinceMs, lastMs: nowMs }
    return nowMs >= sinceMs + lostAfterMs
  }

  async function takeOn(sender: Sender, found: readonly FoundTransaction[]): Promise<boolean> {
    let owed = await pending(sql, mostOwed)
    let isAny = false
    for (const { txHash, nonce, events } of found) {
      const anchors = owedAmong(owed, events)
      if (anchors.length === 0) continue
      const ids = anchors.map(({ id }) => id)
      const transaction = { ...hashOnly, id: newId(), sender, contract, nonce, txHash }
      // Refused when the nonce is on record and has not failed: then the found events are others
      // with the same hash and label.
      if (!(await storeFound(sql, transaction, ids))) continue
      log.warn(
        { txHash, events: ids.length },
        'events are on the chain that the record does not know',
      )
      owed = owed.filter((anchor) => !anchors.includes(anchor))
      isAny = true
    }
    return isAny
  }

  return { isAllKnown, searchFrom, walk }
}

type Read = BlockRange & { readonly found: readonly FoundTransaction[] }

/**
 * A transaction of which only the hash is known. Should the chain lose it, no node accepts these
 * bytes, and it is signed anew.
 */
export const hashOnly = { signedBytes: noBytes, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

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
