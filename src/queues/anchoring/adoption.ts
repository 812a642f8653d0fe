import { type AnchorEvent, isSameEvent } from '../../chain/anchor/events.ts'
import type { FoundTransaction } from '../../chain/anchor/logs.ts'
import { type BlockRange, ChainError } from '../../chain/chain.ts'
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

const mostOwed = 100_000
const mostBlocksAQuestion = 10_000
/** The next round continues where this one stopped. */
const mostReadsARound = 25
export type Adoption = ReturnType<typeof anchorAdoption>

/** Searches the deep blocks from `from` to `to`, and keeps between calls what it has read. */
export type Walk = (from: number, to: number) => Promise<Looked>

/** `deepTo`: the newest block that no reorganisation is expected to undo. */
type Heights = { readonly head: number; readonly deepTo: number }

/** `isThrough`: `to` was reached. */
type Looked = { readonly isThrough: boolean; readonly found: readonly FoundTransaction[] }

/**
 * Adopts transactions that a restored backup does not know: their events must not be sent again.
 */
export function anchorAdoption({ client, contract, sql, newId, log }: AnchorParts) {
  const ranges = createRangeReader(client.anchored, mostBlocksAQuestion)
  const walkOn = walk(client.sender)
  let lastWithout: number | null = null

  /**
   * Whether every transaction that anchored owed events, up to `head`, is on record. Others are
   * adopted. A long stretch of blocks takes several rounds, each of which answers false. Errors:
   * the chain's.
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
   * Transactions may be missing after the newest one recorded (of the nonces below `beforeNonce`).
   * If none was ever in a block, they may date from before the first was signed; if there is none,
   * from before the database was made. Blocks without the contract are left out if the node knows
   * them.
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

  /** The newest block without the contract; null if `from` had it or the node does not say. */
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
      // Most nodes keep no old state; then the search is only longer.
      if (error instanceof ChainError) return null
      throw error
    }
  }

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

  async function read(address: string, from: number, end: number): Promise<Read> {
    const range = { from, to: Math.min(end, from + ranges.mostBlocks() - 1) }
    const { to, answers } = await ranges.read(range, address)
    return { from, to, found: answers.flatMap(({ transactions }) => transactions) }
  }

  async function takeOn(sender: Sender, found: readonly FoundTransaction[]): Promise<boolean> {
    let owed = await pending(sql, mostOwed)
    let isAny = false
    for (const { txHash, nonce, events } of found) {
      const anchors = owedAmong(owed, events)
      if (anchors.length === 0) continue
      const ids = anchors.map(({ id }) => id)
      const transaction = { ...hashOnly, id: newId(), sender, contract, nonce, txHash }
      // Refused when the nonce is on record and has not failed: the events found are then others
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
 * Stands in for a transaction known only by its hash. No node accepts it, so if the chain loses the
 * transaction it is signed anew.
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
