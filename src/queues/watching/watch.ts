import { paymentsOf } from '../../actors/payments.ts'
import type { Block } from '../../chain/chain.ts'
import { hasReason } from '../../domain/error.ts'
import { staleHeadMs } from '../../domain/registry.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { commitStep, type Step } from '../../storage/settlement/settlements.ts'
import {
  type Changes,
  createChangePlanner,
  type NonEmptyReading,
  type PlanningOptions,
} from './change-planner.ts'
import { createBlockReader, type Reading, type ReadingOptions } from './reading.ts'

export type WatcherOptions = ReadingOptions &
  PlanningOptions & {
    /**
     * The same database with more time for each statement: a block cannot be divided, and anybody
     * can fill one.
     */
    readonly patientSql?: Sql
    readonly onCommitted: (step: Step) => void
  }

export type Watcher = Pick<ReturnType<typeof createWatcher>, 'step'>

/** `isAdvancing`: it advanced, and there is more to read right away. */
export type Stepped = {
  readonly isAdvancing: boolean
  /**
   * A moment, by PostgreSQL's clock, up to which all blocks are read and committed; null if the
   * head was not reached or the node stood still.
   */
  readonly caughtUpAt: Date | null
  /** The first block that was unfinished before the step. */
  readonly fromBlock: number
  /** The first one that is unfinished after it. */
  readonly nextBlock: number
  readonly head: Block
  /** Why a rescan failed, else null. What was read of newer blocks is committed all the same. */
  readonly failure: unknown
}

/**
 * Watches one chain for transfers to our addresses and settles invoices by them. Each step reads
 * all unconfirmed blocks again, which makes up for a reorganisation, a lagging node or a crash.
 * While one step is committed the next is planned.
 */
export function createWatcher(options: WatcherOptions) {
  const { chain, sql: usualSql, patientSql = usualSql, now } = options
  const reader = createBlockReader(options)
  const planChanges = createChangePlanner(options)
  let sql = usualSql
  let ahead: Ahead | null = null

  async function step(): Promise<Stepped> {
    const prepared = ahead
    ahead = null
    const begun = await (prepared?.begun ?? begin(await reader.read()))
    try {
      return await complete(begun, prepared)
    } catch (error) {
      // PostgreSQL does not say whether it took too long.
      if (hasReason(error, 'unavailable'))
        sql = reader.wasTooMuch(begun.reading) ? patientSql : usualSql
      throw error
    }
  }

  async function complete({ reading, following }: Begun, prepared: Ahead | null): Promise<Stepped> {
    const { from, head, next } = reading
    const unread = { isAdvancing: false, caughtUpAt: null, failure: null }
    const nothing = { ...unread, fromBlock: from, nextBlock: from, head: reading.newest.head }
    // A head further back: the node lags, or the chain has become shorter.
    if (!isNonEmpty(reading))
      return { ...nothing, caughtUpAt: head.number === from - 1 ? knownTo(reading) : null }
    const changes = (await prepared?.changes) ?? (await planChanges(sql, reading))
    const step = stepOf(reading, changes)
    const committing = commitStep(sql, step, options.cursorName)
    const upcoming = following && goOn(following, { reading, changes })
    if (!(await committing)) return nothing
    reader.committed(reading)
    sql = usualSql
    ahead = upcoming
    options.onCommitted(step)
    return {
      ...nothing,
      isAdvancing: following !== null,
      caughtUpAt: reading.found.to === head.number ? knownTo(reading) : null,
      nextBlock: next.nextBlock,
      failure: reading.failure,
    }
  }

  function begin(reading: Reading): Begun {
    const { found, head, next, from } = reading
    const isAdvancing = found !== null && found.to < head.number && next.nextBlock > from
    return { reading, following: isAdvancing ? quiet(reader.readOn(reading)) : null }
  }

  function goOn(following: Promise<Reading>, done: Done): Ahead {
    const begun = following.then(begin)
    return {
      begun: quiet(begun),
      changes: quiet(begun.then(({ reading }) => planAhead(reading, done))),
    }
  }

  /** Null when they depend on those of `done`. */
  async function planAhead(reading: Reading, done: Done): Promise<Changes | null> {
    if (!isNonEmpty(reading) || reading.found.from <= done.reading.found.to) return null
    const changes = await planChanges(sql, reading)
    return isApart(changes, done.changes) ? changes : null
  }

  function stepOf({ cursor, next }: NonEmptyReading, changes: Changes): Step {
    const { inserted, updated, decided, moved } = changes
    const payments = paymentsOf(decided, now())
    return { chain: chain.network, cursor, next, inserted, updated, moved, ...payments }
  }

  return { step }
}

/** `following` is null when there is nothing more. */
type Begun = { readonly reading: Reading; readonly following: Promise<Reading> | null }

type Done = { readonly reading: NonEmptyReading; readonly changes: Changes }

/** The next step, prepared while the previous one is committed; discarded if that is refused. */
type Ahead = { readonly begun: Promise<Begun>; readonly changes: Promise<Changes | null> }

/** The step that awaits the promise, if any, gets the error. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Null if the node stood still, which the chain need not have done. */
function knownTo({ askedAt, head }: Reading): Date | null {
  return askedAt.getTime() - head.timestampMs > staleHeadMs ? null : askedAt
}

function isNonEmpty(reading: Reading): reading is NonEmptyReading {
  return reading.found !== null
}

/**
 * Whether `changes` do not depend on `done`: neither changes a transfer on record, they share no
 * transaction, and `done` changes no invoice judged for `changes`. Invoices of one amount are
 * judged oldest first, so one that `done` credits would be among them.
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
