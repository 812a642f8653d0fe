import type { FoundTransaction } from '../../chain/anchor/logs.ts'
import { type BlockRange, ChainError } from '../../chain/chain.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import {
  firstSignedAt,
  madeAt,
  newestRecorded,
  type Sender,
} from '../../storage/anchors/transactions.ts'
import { lastBlockBefore } from '../blocks.ts'
import type { AnchorParts } from './parts.ts'

const mostBlocksAQuestion = 10_000
/** The next round continues where this one stopped. */
const mostReadsARound = 25

export type Search = ReturnType<typeof anchorSearch>

/** Searches the deep blocks from `from` to `to`, and keeps between calls what it has read. */
export type Walk = (from: number, to: number) => Promise<Looked>

/** `deepTo`: the newest block that no reorganisation is expected to undo. */
export type Heights = { readonly head: number; readonly deepTo: number }

/** `isThrough`: `to` was reached. */
type Looked = { readonly isThrough: boolean; readonly found: readonly FoundTransaction[] }

type Read = BlockRange & { readonly found: readonly FoundTransaction[] }

/** Searches the contract's logs for transactions of ours that are not on record. */
export function anchorSearch({ client, sql }: AnchorParts) {
  const ranges = createRangeReader(client.anchored, mostBlocksAQuestion)
  let lastWithout: number | null = null

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
    lastWithout ??= await client.lastWithoutContract({ from, to: deepTo })
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

  async function readThrough(address: string, from: number, to: number) {
    const answers = await ranges.readAll({ from, to }, address)
    return answers.flatMap(({ transactions }) => transactions)
  }

  async function read(address: string, from: number, end: number): Promise<Read> {
    const range = { from, to: Math.min(end, from + ranges.mostBlocks() - 1) }
    const { to, answers } = await ranges.read(range, address)
    return { from, to, found: answers.flatMap(({ transactions }) => transactions) }
  }

  return { searchFrom, walk, readThrough }
}
