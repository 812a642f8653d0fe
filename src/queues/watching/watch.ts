import { paymentsOf } from '../../actors/payments.ts'
import type { Block } from '../../chain/chain.ts'
import { createSecondNode, type SecondNode } from '../../chain/rpc/second-node.ts'
import { hasReason } from '../../domain/error.ts'
import { staleHeadMs } from '../../domain/registry.ts'
import { loadMany } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { commitStep, type Step } from '../../storage/settlement/settlements.ts'
import { awaitingNode, transfersIn } from '../../storage/settlement/transfers.ts'
import { type AttributionOptions, attribute, withoutLikelySales } from './attribution.ts'
import { createDecisions, type DecisionOptions } from './decisions.ts'
import { createBlockReader, type Reading, type ReadingOptions } from './reading.ts'
import { createSecondLook } from './second-look.ts'
import { diffTransfers, leftOut, withKept } from './transfer-diff.ts'

/**
 * How a block becomes money. A watcher follows one chain in steps; each asks the chain one question
 * and ends in one statement:
 *
 * 1. *Read* the transfers to our addresses in the next range of blocks, and in all blocks that were
 *    not final yet, so that a reorganisation, a lagging node or a crash loses nothing. Now and then
 *    the range begins further back, and another node is asked. `reading.ts`
 * 2. *Compare* them with those on record: new, still there, now confirmed, or gone. One is gone
 *    only if its block is. `transfer-diff.ts`
 * 3. *Attribute* each new one to an invoice by the rules of `domain/settlement/matching.ts`, or
 *    hold it. What a reorganisation has moved pays the same invoice again. `attribution.ts`
 * 4. *Decide*: the invoices that gain, keep or lose a payment say what becomes of them, with the
 *    receipts that are issued and revoked. With several nodes, a payment is confirmed once a second
 *    one shows it, and waits on record until then. `second-look.ts`, `decisions.ts`
 * 5. *Commit* cursor, transfers, uses, invoices, receipts and trail in one statement, which refuses
 *    itself if anything has changed since it was read. Then the next step starts anew.
 * 6. *Wake* those who wait for what was settled.
 *
 * The blocks of the next step are read meanwhile, as if this one had been committed. They are
 * dropped if it was not.
 */
export function createWatcher(options: WatcherOptions) {
  const { chain, sql: usualSql, patientSql = usualSql, now } = options
  const { network } = chain
  const reader = createBlockReader(options)
  const { commandsOf, decide } = createDecisions({ ...options, network })
  const { secondNode = createSecondNode(options) } = options
  const look = createSecondLook({ ...options, secondNode })
  let sql = usualSql
  let ahead: Promise<Reading> | null = null

  async function step(): Promise<Stepped> {
    const readAhead = ahead
    ahead = null
    const reading = await (readAhead ?? reader.read()) // 1
    if (!isNonEmpty(reading)) return standstill(reading)
    const following = hasMore(reading) ? quiet(reader.readOn(reading)) : null
    const step = await committed(reading) // 2 to 5
    if (!step) return { ...standstill(reading), caughtUpAt: null }
    reader.committed(reading)
    ahead = following
    options.onCommitted(step) // 6
    return {
      isAdvancing: following !== null,
      caughtUpAt: reading.found.to === reading.head.number ? knownTo(reading) : null,
      fromBlock: reading.from,
      nextBlock: reading.next.nextBlock,
      head: reading.newest.head,
      failure: reading.failure,
    }
  }

  /** Null: refused. */
  async function committed(reading: NonEmptyReading): Promise<Step | null> {
    try {
      const step = await plan(reading)
      const isCommitted = await commitStep(sql, step, options.cursorName) // 5
      sql = usualSql
      return isCommitted ? step : null
    } catch (error) {
      // PostgreSQL does not say whether it took too long.
      if (hasReason(error, 'unavailable')) sql = reader.wasTooMuch(reading) ? patientSql : usualSql
      throw error
    }
  }

  async function plan(reading: NonEmptyReading): Promise<Step> {
    const { found, confirmedTo, head, cursor, next } = reading
    const txHashes = [...new Set(found.transfers.map(({ txHash }) => txHash))]
    const [stored, awaiting] = await Promise.all([
      transfersIn(sql, network, found, txHashes), // 2
      // Not while there is more to read: each step would look at them again.
      found.to === head.number ? awaitingNode(sql, network, found.from) : [],
    ])
    const whole = diffTransfers(stored, found.transfers, confirmedTo, options.rematchesHeld)
    const kept = await leftOut(chain, whole.missing, found.transfers)
    const likely = withoutLikelySales(withKept(whole, kept, confirmedTo), confirmedTo, options)
    const diff = await look.atRecorded(likely, awaiting)
    const { matched, judged, moved } = await attribute(sql, diff, { ...options, network }) // 3
    const isShown = await look.atMatched(matched, confirmedTo)
    const findings = { diff, matched, confirmedTo, head: head.number, isShown } // 4
    const commands = commandsOf(findings)
    const unread = [...commands.keys()].filter((id) => !judged.has(id))
    const others = await loadMany(sql, unread)
    const invoices = [...judged.values(), ...others].filter(({ id }) => commands.has(id))
    const { inserted, updated, decided } = decide(findings, invoices, commands)
    const payments = paymentsOf(decided, now())
    return { chain: network, cursor, next, inserted, updated, moved, ...payments }
  }

  return { step }
}

export type WatcherOptions = ReadingOptions &
  Omit<DecisionOptions, 'network'> &
  Omit<AttributionOptions, 'network'> & {
    /** Whether all held transfers are matched again, by what they name. */
    readonly rematchesHeld?: boolean
    /** One of its own by default. */
    readonly secondNode?: SecondNode
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

type NonEmptyReading = Reading & { readonly found: NonNullable<Reading['found']> }

function isNonEmpty(reading: Reading): reading is NonEmptyReading {
  return reading.found !== null
}

function hasMore({ found, head, next, from }: NonEmptyReading): boolean {
  return found.to < head.number && next.nextBlock > from
}

/** With a head further back, the node lags or the chain has become shorter. */
function standstill(reading: Reading): Stepped {
  const { from, head, newest } = reading
  const caughtUpAt = head.number === from - 1 ? knownTo(reading) : null
  const at = { fromBlock: from, nextBlock: from, head: newest.head }
  return { ...at, isAdvancing: false, caughtUpAt, failure: null }
}

/** Null if the node stood still, which the chain need not have done. */
function knownTo({ askedAt, head }: Reading): Date | null {
  return askedAt.getTime() - head.timestampMs > staleHeadMs ? null : askedAt
}

/** The step that awaits the promise, if any, gets the error. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
