import { paymentsOf } from '../../actors/payments.ts'
import { DomainError } from '../../domain/error.ts'
import { staleHeadMs } from '../../domain/registry.ts'
import type { Step } from '../../storage/settlement/settlements.ts'
import {
  type Changes,
  createChangePlanner,
  type NonEmptyReading,
  type PlanningOptions,
  type PlanningStore,
} from './change-planner.ts'
import {
  createBlockReader,
  type Reading,
  type ReadingOptions,
  type ReadingStore,
} from './reading.ts'

/** The storage functions that the watcher needs; each is one statement. */
export type WatchStore = ReadingStore &
  PlanningStore & {
    commit(step: Step): Promise<boolean>
  }

type Options = ReadingOptions &
  PlanningOptions & {
    readonly store: WatchStore
    /**
     * The same with more time for each statement, for what takes PostgreSQL longer and cannot be
     * divided: anybody can fill a block.
     */
    readonly patientStore?: WatchStore
    /** Called after a commit that changed invoices, with their ids. */
    readonly onSettled: (invoiceIds: readonly string[]) => void
  }

export type Watcher = {
  /** Reads one range of blocks and commits what follows from it. */
  step(): Promise<Stepped>
}

/** The progress of a step. `isAdvancing`: it advanced, and there is more to read right away. */
export type Stepped = {
  readonly isAdvancing: boolean
  /**
   * A moment before the chain's head was asked for, by PostgreSQL's clock, if all blocks up to that
   * have been read, and what follows from them is committed; otherwise, or if the node stood still,
   * null.
   */
  readonly caughtUpAt: Date | null
  /** Blocks before this one were finished before the step. */
  readonly fromBlock: number
  /** Blocks before this one are finished now. */
  readonly nextBlock: number
  readonly headBlock: number
  /**
   * Why blocks that were due to be read again were not; null if they were, or none was due. What
   * was read of newer blocks is committed all the same, but it is no step that succeeded.
   */
  readonly failure: unknown
}

/**
 * Watches one chain for transfers to our addresses and settles invoices by them. Each step reads
 * all unconfirmed blocks again, so the next step makes up for a reorganisation, a lagging node or a
 * step that died half-way. While one step is committed the next is planned.
 */
export function createWatcher(options: Options): Watcher {
  const { chain, now } = options
  const reader = createBlockReader(options)
  const usual = taking(options.store)
  const patient = options.patientStore ? taking(options.patientStore) : usual
  let taker = usual
  let ahead: Ahead | null = null

  function taking(store: WatchStore) {
    return { store, planChanges: createChangePlanner({ ...options, store }) }
  }

  async function step(): Promise<Stepped> {
    const prepared = ahead
    ahead = null
    const begun = await (prepared?.begun ?? begin(await reader.read()))
    try {
      return await take(begun, prepared)
    } catch (error) {
      // It may have taken PostgreSQL too long: there is no other way to tell what does.
      if (isUnavailable(error)) taker = reader.wasTooMuch(begun.reading) ? patient : usual
      throw error
    }
  }

  async function take({ reading, following }: Begun, prepared: Ahead | null): Promise<Stepped> {
    const { from, head, next } = reading
    const unread = { isAdvancing: false, caughtUpAt: null, failure: null }
    const standing = { ...unread, fromBlock: from, nextBlock: from, headBlock: head.number }
    // A head further back is that of a node which lags, or of a chain that has become shorter.
    if (!isNonEmpty(reading))
      return { ...standing, caughtUpAt: head.number === from - 1 ? knownTo(reading) : null }
    const changes = (await prepared?.changes) ?? (await taker.planChanges(reading))
    const committing = commit(reading, changes)
    const upcoming = following && goOn(following, { reading, changes })
    if (!(await committing)) return standing
    reader.committed(reading)
    taker = usual
    ahead = upcoming
    const changed = changedInvoiceIds(changes)
    if (changed.length > 0) options.onSettled(changed)
    return {
      ...standing,
      isAdvancing: following !== null,
      caughtUpAt: reading.found.to === head.number ? knownTo(reading) : null,
      nextBlock: next.nextBlock,
      failure: reading.failure,
    }
  }

  /** Starts the next reading at once if there is more to read right away. */
  function begin(reading: Reading): Begun {
    const { found, head, next, from } = reading
    const isAdvancing = found !== null && found.to < head.number && next.nextBlock > from
    return { reading, following: isAdvancing ? quiet(reader.readOn(reading)) : null }
  }

  /** Prepares the next step as far as possible before `done` is committed. */
  function goOn(following: Promise<Reading>, done: Done): Ahead {
    const begun = following.then(begin)
    return {
      begun: quiet(begun),
      changes: quiet(begun.then(({ reading }) => planAhead(reading, done))),
    }
  }

  /** The changes of the next step; null when it depends on those of `done`. */
  async function planAhead(reading: Reading, done: Done): Promise<Changes | null> {
    if (!isNonEmpty(reading) || reading.found.from <= done.reading.found.to) return null
    const changes = await taker.planChanges(reading)
    return isApart(changes, done.changes) ? changes : null
  }

  function commit(
    { cursor, next }: NonEmptyReading,
    { inserted, updated, decided }: Changes,
  ): Promise<boolean> {
    return taker.store.commit({
      chain: chain.network,
      cursor,
      next,
      inserted,
      updated,
      ...paymentsOf(decided, now()),
    })
  }

  return { step }
}

/** A reading, and the one in progress after it; null: there is nothing more. */
type Begun = { readonly reading: Reading; readonly following: Promise<Reading> | null }

type Done = { readonly reading: NonEmptyReading; readonly changes: Changes }

/** The next step, prepared while the previous one is committed; discarded if that is refused. */
type Ahead = { readonly begun: Promise<Begun>; readonly changes: Promise<Changes | null> }

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'unavailable'
}

/** Marks a rejection as handled: the step that awaits the promise, if any, gets the error. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/**
 * Until when the node has told of all blocks: it may be that it stood still and the chain did not.
 */
function knownTo({ askedAt, head }: Reading): Date | null {
  return askedAt.getTime() - head.timestampMs > staleHeadMs ? null : askedAt
}

function isNonEmpty(reading: Reading): reading is NonEmptyReading {
  return reading.found !== null
}

/**
 * Whether `changes` would come out the same after `done` is committed: neither changes a transfer
 * on record, no transaction is new to both, and `done` changes no invoice that was judged for
 * `changes`. Invoices of one amount are judged oldest first, so one that `done` credits would be
 * among them.
 */
function isApart(changes: Changes, done: Changes): boolean {
  const txHashes = new Set(done.inserted.map(({ txHash }) => txHash))
  const isNew = changes.updated.length + done.updated.length === 0
  const isOther = !changes.inserted.some(({ txHash }) => txHashes.has(txHash))
  return isNew && isOther && !changedInvoiceIds(done).some((id) => changes.judged.has(id))
}

function changedInvoiceIds({ decided }: Changes): readonly string[] {
  return decided.map(({ change }) => change.after.id)
}
