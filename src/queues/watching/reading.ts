import {
  type Answer,
  type Block,
  type BlockRange,
  type Chain,
  ChainError,
  type ReadOptions,
  type Recipients,
  type Transfer,
} from '../../chain/chain.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import { isAddress, type Network } from '../../domain/network.ts'
import { type Confirmations, registry } from '../../domain/registry.ts'
import type { Checkpoint, Cursor } from '../../storage/settlement/cursors.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'
import { lastBlockBefore, lastConfirmed, noneIfPruned } from '../blocks.ts'
import { checkpointsAfter } from './checkpoints.ts'

/** The transfers of blocks up to `to`, which `last` describes. */
type Read = Answer & { readonly to: number }

/** The storage functions that reading needs; each is one statement. */
export type ReadingStore = {
  /** What PostgreSQL's clock says. */
  time(): Promise<Date>
  cursor(chain: Network): Promise<Cursor | null>
  start(chain: Network, nextBlock: number, now: Date): Promise<void>
  /** When the first payment address of an invoice on this chain was recorded. */
  firstAddressAt(chain: Network): Promise<Date | null>
  /** The payment addresses of invoices on this chain; null if there are more than `most`. */
  addresses(chain: Network, most: number | null): Promise<readonly string[] | null>
  /** Which of the addresses are payment addresses of invoices. */
  ours(chain: Network, addresses: readonly string[]): Promise<readonly string[]>
  /** The recorded transfers that are in these blocks, and all of these transactions. */
  transfersIn(
    chain: Network,
    range: BlockRange,
    txHashes: readonly string[],
  ): Promise<readonly StoredTransfer[]>
}

export type ReadingOptions = {
  readonly chain: Chain
  readonly store: ReadingStore
  readonly confirmations: Confirmations
  readonly startBlock: number | null
  readonly maxRangeBlocks: number
  readonly now: () => Date
  /** Monotonic milliseconds; only differences are meaningful. */
  readonly steadyMs: () => number
  readonly log: { warn(line: object, message: string): void }
  /**
   * Called before blocks from this one on are read again: the chain may have been reorganised. If
   * it was, a rejection is the reading's own, and it is called again; else it is only logged.
   */
  readonly onReread: (fromBlock: number) => Promise<void>
}

/** The answers about blocks that are read again, or why there are none. */
type Again = { readonly answers: readonly Answer[]; readonly failure: unknown }

/** The addresses to ask for, and how. */
type Known = { readonly recipients: Recipients } & ReadOptions

/** The state of a chain, seen before some of its blocks were read. */
type Seen = {
  /** A moment before its head was asked for, by PostgreSQL's clock. */
  readonly askedAt: Date
  readonly head: Block
  /** The newest block whose transfers count as confirmed. */
  readonly confirmedTo: number
}

/** What there is to read after a cursor. */
export type Reading = Seen & {
  readonly cursor: Cursor
  /** Blocks before this one are finished. */
  readonly from: number
  /** Null when there is nothing to read. */
  readonly found: (Read & { readonly from: number }) | null
  /** What was read beyond `found`, and is too much to be committed with it. */
  readonly rest: Read | null
  /** The cursor's position once this reading is committed. */
  readonly next: Omit<Cursor, 'version'>
  /** The most recent state of the chain. */
  readonly newest: Seen
  /**
   * When the periodic re-reading that this reading contains began, in steady time; null if it
   * contains none.
   */
  readonly rescannedAtMs: number | null
  /**
   * Why the periodic re-reading failed; null if it did not. What was read of newer blocks counts
   * all the same, but it is no step that succeeded.
   */
  readonly failure: unknown
}

export type BlockReader = {
  /**
   * Looks at the chain and reads on from the cursor, or from further back after a reorganisation.
   */
  read(): Promise<Reading>
  /**
   * Reads on as if `reading` had been committed, using the state of the chain it saw; may run while
   * `reading` is being committed.
   */
  readOn(reading: Reading): Promise<Reading>
  /** Tells that `reading` was committed. */
  committed(reading: Reading): void
  /**
   * Tells that `reading` may have been too much to commit: portions are smaller for a while.
   * Whether it is of many transfers that cannot be divided.
   */
  wasTooMuch(reading: Reading): boolean
}

/** What one statement writes in reasonable time, as a rule. A block is never divided. */
const mostTransfers = 2_000
/** After this many portions in a row a larger one is tried: the database may have been away. */
const portionsToGrow = 4
/** How often the last `rereadBlocks` blocks are read again. */
const rescanEveryMs = 30_000
/** After a re-reading that was committed, the time until the next one, however long it took. */
const leastPauseMs = rescanEveryMs / 2
/** After this time a re-reading that was not committed is made up for; twice as long each time. */
const firstRetryMs = 1_000

/**
 * Reads a chain's blocks, each one until it is confirmed. Errors: those of the chain and the store.
 */
export function createBlockReader(options: ReadingOptions): BlockReader {
  const { chain, store, now, steadyMs } = options
  const { network } = chain
  const ask = (range: BlockRange, { recipients, ...look }: Known) =>
    chain.transfers(range, recipients, look)
  const ranges = createRangeReader(ask, options.maxRangeBlocks)
  /** For blocks that are read again, one for each URL: some may take fewer at once. */
  const rereads = Array.from({ length: chain.urls }, () =>
    createRangeReader(ask, options.maxRangeBlocks),
  )
  const leftOut = new Set<string>()
  let rescanDueMs = Number.NEGATIVE_INFINITY
  let retryMs = firstRetryMs
  let rescans = 0
  let portionTransfers = mostTransfers
  let portionsInRow = 0

  async function read(): Promise<Reading> {
    const askedAt = await store.time()
    const head = await chain.head()
    const cursor = await openCursor(head)
    const [{ from, trusted }, confirmedTo] = await Promise.all([
      whereToReadOn(cursor, head),
      lastConfirmed(chain, options.confirmations, head),
    ])
    const seen = { askedAt, head, confirmedTo }
    if (head.number < from) return standing(seen, { cursor, from })
    const rescannedAtMs = rescanTime()
    const start = rescannedAtMs === null ? from : rescanStart(cursor, from)
    try {
      if (start < cursor.nextBlock) await reread(start, cursor, from)
      const reading = await readBlocks(seen, { cursor, from, start, trusted })
      return { ...reading, rescannedAtMs: reading.failure === null ? rescannedAtMs : null }
    } finally {
      // The pause is after it: one that takes longer to fail would be due again at once.
      if (rescannedAtMs !== null) rescanDueMs += steadyMs() - rescannedAtMs
    }
  }

  function committed({ rescannedAtMs, rest }: Reading): void {
    if (rest !== null && ++portionsInRow >= portionsToGrow) {
      portionsInRow = 0
      portionTransfers = Math.min(mostTransfers, 2 * portionTransfers)
    }
    if (rescannedAtMs === null) return
    // A node may need that long for it; newer blocks must not wait for every step to read old ones.
    rescanDueMs = Math.max(rescannedAtMs + rescanEveryMs, steadyMs() + leastPauseMs)
    retryMs = firstRetryMs
  }

  function wasTooMuch({ found, from, confirmedTo }: Reading): boolean {
    const transfers = found?.transfers ?? []
    if (transfers.length < 2) return false
    portionsInRow = 0
    portionTransfers = Math.min(portionTransfers, Math.ceil(transfers.length / 2))
    return divisionsOf(transfers, from, confirmedTo).length === 0
  }

  /**
   * Tells that blocks from `start` on are read again, before the cursor moves on: if the process
   * dies in between, the next read notices a reorganisation again. Where there was none, reading
   * goes on whatever comes of it: they are read again soon.
   */
  async function reread(start: number, { nextBlock }: Cursor, from: number): Promise<void> {
    await options.onReread(start).catch((error) => {
      if (from < nextBlock) throw error
      options.log.warn({ network, err: error }, 'what was settled was not looked at again')
    })
  }

  /**
   * Uses the state of the chain seen before these blocks are read, and looks again meanwhile for
   * the blocks after them.
   */
  async function readOn(done: Reading): Promise<Reading> {
    const { cursor, next, rest, newest } = done
    const place = {
      cursor: { ...next, version: cursor.version + 1 },
      from: next.nextBlock,
      start: next.nextBlock,
      trusted: next.checkpoints,
    }
    if (rest) return { ...(await taken(done, place, rest)), newest }
    const [reading, seen] = await Promise.all([readBlocks(newest, place), look()])
    return { ...reading, newest: seen }
  }

  async function look(): Promise<Seen> {
    const askedAt = await store.time()
    const head = await chain.head()
    return { askedAt, head, confirmedTo: await lastConfirmed(chain, options.confirmations, head) }
  }

  async function readBlocks(seen: Seen, place: Place): Promise<Reading> {
    const { from, start } = place
    if (seen.head.number < from) return standing(seen, place)
    const most = from + ranges.mostBlocks() - 1
    // Unconfirmed blocks are read on to the head in one go, however many that is: the next step
    // begins with the first of them again, so those further on would never be reached.
    const to = most < seen.confirmedTo ? most : seen.head.number
    const [again, read] = await rangesOf({ from: start, to }, from)
    const answer = joined({ to: read.to, answers: [...again.answers, ...read.answers] })
    refuseTwoForks(answer.transfers)
    const shown = { ...seen, confirmedTo: await confirmedBy(seen, answer.to) }
    const { failure } = again
    // Blocks that were not read again are none in which nothing is.
    const reading = await taken(shown, failure === null ? place : { ...place, start: from }, answer)
    // That the head was not shown tells nothing of the blocks after these.
    return { ...reading, newest: seen, failure }
  }

  /**
   * The newest block that counts as confirmed once the blocks up to `readTo` have been shown. A
   * node may have named a head that is none: beyond them, only one that can be shown confirms.
   */
  async function confirmedBy({ head, confirmedTo }: Seen, readTo: number): Promise<number> {
    if (readTo >= head.number || (await isShown(head))) return confirmedTo
    return Math.min(confirmedTo, readTo - options.confirmations.blocks + 1)
  }

  async function isShown({ number }: Block): Promise<boolean> {
    try {
      return (await chain.block(number)) !== null
    } catch (error) {
      // What was read still counts, if for less.
      if (error instanceof ChainError) return false
      throw error
    }
  }

  async function taken(seen: Seen, place: Place, answer: Read): Promise<Reading> {
    const { from, start, trusted } = place
    await refuseMovedChain(trusted.at(-1))
    const { portion, rest } = portioned(answer, portionTransfers, from, seen.confirmedTo)
    const nextBlock = Math.max(from, Math.min(seen.confirmedTo, portion.to) + 1)
    const next = { nextBlock, checkpoints: checkpointsAfter(trusted, portion.last) }
    return { ...standing(seen, place), found: { ...portion, from: start }, rest, next }
  }

  /**
   * Reads a range: the blocks before `from`, which are read again, and the others. Those before it
   * are asked of another URL each time, because what a node leaves out it may leave out for long.
   */
  async function rangesOf({ from: start, to }: BlockRange, from: number) {
    const [named, recorded] = await Promise.all([
      recipients(),
      store.transfersIn(network, { from: start, to }, []),
    ])
    const known = { recipients: named, recorded }
    return Promise.all([
      readAgain({ from: start, to: from - 1 }, known),
      ranges.read({ from, to }, known),
    ])
  }

  /** Nothing where a part failed: newer blocks must not wait for what may fail for long. */
  async function readAgain(range: BlockRange, known: Known): Promise<Again> {
    if (range.to < range.from) return { answers: [], failure: null }
    try {
      const reader = rereads[rescans % chain.urls] as (typeof rereads)[number]
      const { answers, failure } = await reader.read(range, { ...known, turn: rescans })
      if (failure !== null) throw failure
      // Each may be of another URL, whose node follows a branch that the chain has left.
      const told = chain.urls > 1 ? answers : answers.slice(-1)
      for (const { last } of told) await refuseMovedChain(last)
      return { answers, failure: null }
    } catch (failure) {
      return { answers: [], failure }
    }
  }

  /** All our addresses or, if too many to name, a function that picks ours out of those found. */
  async function recipients(): Promise<Recipients> {
    const named = await store.addresses(network, chain.mostAddresses)
    return named?.filter(isAskedFor) ?? ((found) => store.ours(network, found))
  }

  /**
   * Whether the payment address is a valid address of the chain. An invalid one would make the
   * adapter refuse every request for as long as it is on record.
   */
  function isAskedFor(address: string): boolean {
    if (isAddress(network, address)) return true
    if (!leftOut.has(address))
      options.log.warn(
        { network, address },
        'an address to be paid at is none of the chain: it is not watched',
      )
    leftOut.add(address)
    return false
  }

  async function openCursor(head: Block): Promise<Cursor> {
    const known = await store.cursor(network)
    if (known) return known
    await store.start(network, options.startBlock ?? (await firstBlockOfInterest(head)), now())
    return (await store.cursor(network)) as Cursor
  }

  /**
   * The chain's head or, when an invoice may have been created before the chain was first watched,
   * the last block before the first of them.
   */
  async function firstBlockOfInterest(head: Block): Promise<number> {
    const firstAt = await store.firstAddressAt(network)
    return firstAt === null ? head.number : lastBlockBefore(chain, firstAt, head)
  }

  /**
   * The cursor, or further back after a reorganisation: what has changed above the cursor may also
   * have changed below it.
   */
  async function whereToReadOn({ nextBlock, checkpoints }: Cursor, head: Block): Promise<Trust> {
    // A node that lags a block or two has nothing to compare with the newest checkpoint.
    const known = checkpoints.filter(({ number }) => number <= head.number)
    for (let at = known.length - 1; at >= 0; at--) {
      const { number, hash } = known[at] as Checkpoint
      const block = await chain.block(number, hash)
      if (block === null) throw new ChainError('lagging', `the node does not have block ${number}`)
      const trusted = known.slice(0, at + 1)
      if (block.hash === hash && isUntouched(at)) return { from: nextBlock, trusted }
      if (block.hash === hash) return { from: Math.min(nextBlock, number + 1), trusted }
      options.log.warn({ network, block: number }, 'the chain was reorganised')
    }
    const from = Math.min(nextBlock, known[0]?.number ?? nextBlock)
    return { from, trusted: await beginning(from) }

    /**
     * Whether the blocks up to the cursor count as they were read, if this checkpoint is the newest
     * that holds. Blocks after one that is not the newest of all may have been replaced; a chain
     * that has not reached the cursor again is waited for.
     */
    function isUntouched(at: number): boolean {
      const isNewest = at === checkpoints.length - 1
      return isNewest || (at === known.length - 1 && head.number < nextBlock)
    }
  }

  /**
   * The first block to be read, as a checkpoint: where to go back to once all later ones are gone.
   * None if the node does not have it.
   */
  async function beginning(number: number): Promise<readonly Checkpoint[]> {
    const block = await chain.block(number).catch(noneIfPruned)
    return block === null ? [] : [{ number, hash: block.hash }]
  }

  /**
   * Throws `lagging` if the chain does not have this block, or no longer. If it was reorganised
   * while it was read, its new blocks would become the checkpoints, and the changes below them
   * would go unnoticed.
   */
  async function refuseMovedChain(tip: Checkpoint | undefined): Promise<void> {
    if (tip === undefined) return
    const block = await chain.block(tip.number)
    if (block?.hash === tip.hash) return
    throw new ChainError('lagging', `block ${tip.number} changed while later ones were read`)
  }

  /**
   * The steady time if a periodic re-reading is due, else null. Until it is committed it is due
   * again soon, since another worker may be faster, but ever later: a node that fails at it must
   * not keep later blocks from being read.
   */
  function rescanTime(): number | null {
    const atMs = steadyMs()
    if (atMs < rescanDueMs) return null
    rescanDueMs = atMs + retryMs
    retryMs = Math.min(rescanEveryMs, 2 * retryMs)
    rescans++
    return atMs
  }

  /** Where a re-reading starts: further back than `from`, but not before the first block read. */
  function rescanStart({ checkpoints }: Cursor, from: number): number {
    const firstRead = checkpoints[0]?.number ?? from
    return Math.min(from, Math.max(firstRead, from - registry[network].rereadBlocks))
  }

  return { read, readOn, committed, wasTooMuch }
}

function standing(
  { askedAt, head, confirmedTo }: Seen,
  { cursor, from }: Pick<Place, 'cursor' | 'from'>,
): Reading {
  const seen = { askedAt, head, confirmedTo }
  const nothing = { found: null, rest: null, next: cursor, rescannedAtMs: null, failure: null }
  return { ...seen, newest: seen, cursor, from, ...nothing }
}

function joined({ to, answers }: { to: number; answers: readonly Answer[] }): Read {
  const { last } = answers.at(-1) as Answer
  return { to, last, transfers: answers.flatMap(({ transfers }) => transfers) }
}

/**
 * Throws `lagging` if the nodes that answered parts of the range are on different forks: a
 * transaction is in one block, and a block number names one block.
 */
function refuseTwoForks(transfers: readonly Transfer[]): void {
  const hashes = new Map<string | number, string>()
  for (const { txHash, blockNumber, blockHash } of transfers) {
    for (const name of [txHash, blockNumber]) {
      if ((hashes.get(name) ?? blockHash) !== blockHash)
        throw new ChainError('lagging', `${txHash} was read on two forks`)
      hashes.set(name, blockHash)
    }
  }
}

/**
 * Where transfers can be divided: between two blocks. Only confirmed blocks are split off: the next
 * step reads unconfirmed ones again anyway.
 */
function divisionsOf(
  transfers: readonly Transfer[],
  from: number,
  confirmedTo: number,
): readonly number[] {
  const ends = transfers.keys().filter((at) => {
    const before = transfers[at - 1]?.blockNumber ?? 0
    const isBetweenBlocks = before < (transfers[at]?.blockNumber ?? 0)
    return isBetweenBlocks && before >= from && before <= confirmedTo
  })
  return [...ends]
}

/** Splits an answer that is too large for one commit. */
function portioned(
  answer: Read,
  most: number,
  from: number,
  confirmedTo: number,
): { portion: Read; rest: Read | null } {
  const { transfers } = answer
  if (transfers.length <= most) return { portion: answer, rest: null }
  const inOrder = divisionsOf(transfers, from, confirmedTo)
  const end = inOrder.find((at) => at >= most) ?? inOrder.at(-1) ?? 0
  const last = transfers[end - 1]
  if (!last) return { portion: answer, rest: null }
  const { blockNumber: number, blockHash: hash, blockTimeMs: timestampMs } = last
  return {
    portion: {
      to: number,
      last: { number, hash, timestampMs },
      transfers: transfers.slice(0, end),
    },
    rest: { ...answer, transfers: transfers.slice(end) },
  }
}

/** Where to read on, and the checkpoints that still hold. */
type Trust = { readonly from: number; readonly trusted: readonly Checkpoint[] }

/**
 * Where to read on after this cursor, and the checkpoints that still hold; `start` is before `from`
 * when blocks are read again.
 */
type Place = Trust & { readonly cursor: Cursor; readonly start: number }
