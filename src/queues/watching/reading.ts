import {
  type Answer,
  type Block,
  type Chain,
  ChainError,
  type Recipients,
  type Transfer,
} from '../../chain/chain.ts'
import { isAddress } from '../../domain/network.ts'
import type { Confirmations } from '../../domain/registry.ts'
import { firstAddressAt, ours, paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import { serverTime } from '../../storage/postgres/database-server.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { type Cursor, loadCursor, startCursor } from '../../storage/settlement/cursors.ts'
import { transfersIn } from '../../storage/settlement/transfers.ts'
import { lastBlockBefore, lastConfirmed } from '../blocks.ts'
import { checkpointsAfter, type Resumption, refuseMovedChain, resume } from './checkpoints.ts'
import { type BlocksRead, createPortions } from './portions.ts'
import { createRescans, rangesOf } from './rescans.ts'
import { isProven } from './transfer-diff.ts'

export type ReadingOptions = {
  readonly chain: Chain
  readonly sql: Sql
  readonly cursorName?: string
  readonly confirmations: Confirmations
  readonly startBlock: number | null
  readonly maxRangeBlocks: number
  readonly now: () => Date
  /** Monotonic. */
  readonly steadyMs: () => number
  readonly log: { warn(line: object, message: string): void }
  /**
   * Called before blocks from this one on are read again. A rejection fails the reading after a
   * reorganisation, else it is only logged.
   */
  readonly onReread: (fromBlock: number) => Promise<void>
}

type ChainState = {
  /** Before the head was asked for, by PostgreSQL's clock. */
  readonly askedAt: Date
  readonly head: Block
  readonly confirmedTo: number
}

export type Reading = ChainState & {
  readonly cursor: Cursor
  readonly from: number
  readonly found: (BlocksRead & { readonly from: number }) | null
  /** Read beyond `found`, and too much to commit with it. */
  readonly rest: BlocksRead | null
  readonly next: Omit<Cursor, 'version'>
  readonly newest: ChainState
  /** Whether it contains a rescan that did not fail. */
  readonly isRescan: boolean
  /** Why the rescan failed, else null. What was read of newer blocks counts all the same. */
  readonly failure: unknown
}

/** `start` is before `from` when blocks are read again. */
type Span = Resumption & { readonly cursor: Cursor; readonly start: number }

/** Reads each block until it is confirmed. Errors: those of the chain and of storage. */
export function createBlockReader(options: ReadingOptions) {
  const { chain, sql } = options
  const { network } = chain
  const ranges = rangesOf(chain, options.maxRangeBlocks)
  const rescans = createRescans(options)
  const portions = createPortions()
  const recipients = createRecipients(options)

  async function read(): Promise<Reading> {
    const askedAt = await serverTime(sql)
    const head = await chain.head()
    const cursor = await openCursor(options, head)
    const onReorganised = (block: number) =>
      options.log.warn({ network, block }, 'the chain was reorganised')
    const [{ from, trusted }, confirmedTo] = await Promise.all([
      resume(chain, cursor, head, onReorganised),
      lastConfirmed(chain, options.confirmations, head),
    ])
    const state = { askedAt, head, confirmedTo }
    if (head.number < from) return emptyReading(state, { cursor, from })
    const isRescan = rescans.startIfDue()
    const start = isRescan ? rescans.startOf(cursor, from) : from
    try {
      if (start < cursor.nextBlock) await announceReread(start, cursor, from)
      const reading = await readBlocks(state, { cursor, from, start, trusted })
      return { ...reading, isRescan: isRescan && reading.failure === null }
    } finally {
      if (isRescan) rescans.ended()
    }
  }

  /**
   * Reads on as if `done` had been committed, which may still be under way. Meanwhile looks at the
   * chain for the blocks after these.
   */
  async function readOn(done: Reading): Promise<Reading> {
    const { cursor, next, rest, newest } = done
    const span = {
      cursor: { ...next, version: cursor.version + 1 },
      from: next.nextBlock,
      start: next.nextBlock,
      trusted: next.checkpoints,
    }
    if (rest) return { ...(await readingOf(done, span, rest)), newest }
    const [reading, state] = await Promise.all([readBlocks(newest, span), stateNow()])
    return { ...reading, newest: state }
  }

  function committed({ isRescan, rest }: Reading): void {
    if (rest !== null) portions.committed()
    if (isRescan) rescans.committed()
  }

  /** `reading` may have been too much to commit. True: its transfers cannot be divided. */
  function wasTooMuch(reading: Reading): boolean {
    return portions.shrink(reading.found?.transfers ?? [], reading)
  }

  /** Before the cursor moves: after a crash the next read notices the reorganisation again. */
  async function announceReread(start: number, { nextBlock }: Cursor, from: number): Promise<void> {
    await options.onReread(start).catch((error) => {
      if (from < nextBlock) throw error
      options.log.warn({ network, err: error }, 'settled payments could not be checked again')
    })
  }

  async function stateNow(): Promise<ChainState> {
    const askedAt = await serverTime(sql)
    const head = await chain.head()
    return { askedAt, head, confirmedTo: await lastConfirmed(chain, options.confirmations, head) }
  }

  async function readBlocks(state: ChainState, span: Span): Promise<Reading> {
    const { from, start } = span
    if (state.head.number < from) return emptyReading(state, span)
    const most = from + ranges.mostBlocks() - 1
    // Unconfirmed blocks are read up to the head in one go: the next step starts again with the
    // first of them, so it would never get further.
    const to = most < state.confirmedTo ? most : state.head.number
    const [named, stored] = await Promise.all([
      recipients(),
      transfersIn(sql, network, { from: start, to }, []),
    ])
    // A node that leaves out what only another has shown may be the one that is right.
    const recorded = stored.filter((one) => isProven(one, chain.urls))
    const question = { recipients: named, recorded }
    const [again, read] = await Promise.all([
      rescans.read({ from: start, to: from - 1 }, question),
      ranges.read({ from, to }, question),
    ])
    const answer = joined(read.to, [...again.answers, ...read.answers])
    refuseTwoForks(answer.transfers)
    const confirmedTo = await confirmedBy(options, state, answer.to)
    const { failure } = again
    const readFrom = failure === null ? span : { ...span, start: from }
    const reading = await readingOf({ ...state, confirmedTo }, readFrom, answer)
    return { ...reading, newest: state, failure }
  }

  async function readingOf(state: ChainState, span: Span, answer: BlocksRead): Promise<Reading> {
    const { from, start, trusted } = span
    await refuseMovedChain(chain, trusted.at(-1))
    const { confirmedTo } = state
    const { portion, rest } = portions.split(answer, { from, confirmedTo })
    const nextBlock = Math.max(from, Math.min(confirmedTo, portion.to) + 1)
    const next = { nextBlock, checkpoints: checkpointsAfter(trusted, portion.last) }
    return { ...emptyReading(state, span), found: { ...portion, from: start }, rest, next }
  }

  return { read, readOn, committed, wasTooMuch }
}

async function openCursor(
  { chain, sql, startBlock, now, cursorName = chain.network }: ReadingOptions,
  head: Block,
): Promise<Cursor> {
  const known = await loadCursor(sql, cursorName)
  if (known) return known
  await startCursor(sql, cursorName, startBlock ?? (await firstBlock(chain, sql, head)), now())
  return (await loadCursor(sql, cursorName)) as Cursor
}

/**
 * The head or, if invoices may be older than the watching, the last block before the first of them.
 */
async function firstBlock(chain: Chain, sql: Sql, head: Block): Promise<number> {
  const firstAt = await firstAddressAt(sql, chain.network)
  return firstAt === null ? head.number : lastBlockBefore(chain, firstAt, head)
}

/**
 * A node may have named a head that does not exist: beyond the blocks read, only a head that can be
 * shown confirms.
 */
async function confirmedBy(
  { chain, confirmations }: ReadingOptions,
  { head, confirmedTo }: ChainState,
  readTo: number,
): Promise<number> {
  if (readTo >= head.number || (await isShown(chain, head))) return confirmedTo
  return Math.min(confirmedTo, readTo - confirmations.blocks + 1)
}

async function isShown(chain: Chain, { number }: Block): Promise<boolean> {
  try {
    return (await chain.block(number)) !== null
  } catch (error) {
    // What was read still counts.
    if (error instanceof ChainError) return false
    throw error
  }
}

function emptyReading(
  { askedAt, head, confirmedTo }: ChainState,
  { cursor, from }: Pick<Span, 'cursor' | 'from'>,
): Reading {
  const state = { askedAt, head, confirmedTo }
  const nothing = { found: null, rest: null, next: cursor, isRescan: false, failure: null }
  return { ...state, newest: state, cursor, from, ...nothing }
}

function joined(to: number, answers: readonly Answer[]): BlocksRead {
  const { last } = answers.at(-1) as Answer
  return { to, last, transfers: answers.flatMap(({ transfers }) => transfers) }
}

/** Throws `lagging` if parts of the range come from different forks. */
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

/** All our addresses on the chain or, if too many to name, a function that picks ours. */
function createRecipients({
  sql,
  chain: { network, mostAddresses },
  log,
}: {
  readonly sql: Sql
  readonly chain: Pick<Chain, 'network' | 'mostAddresses'>
  readonly log: { warn(line: object, message: string): void }
}): () => Promise<Recipients> {
  const leftOut = new Set<string>()

  /** One invalid address would make the node refuse every question. */
  function isValid(address: string): boolean {
    if (isAddress(network, address)) return true
    if (!leftOut.has(address))
      log.warn({ network, address }, 'a payment address is invalid on its chain: it is not watched')
    leftOut.add(address)
    return false
  }

  return async () => {
    const addresses = await paymentAddresses(sql, network, mostAddresses)
    return addresses?.filter(isValid) ?? ((found) => ours(sql, network, found))
  }
}
