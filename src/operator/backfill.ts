import { ChainError } from '../chain/chain.ts'
import { settlingChainOf } from '../chain/chains.ts'
import { ConfigError } from '../config.ts'
import type { Network } from '../domain/network.ts'
import { salesUsdcBase } from '../domain/pricing.ts'
import { references } from '../domain/reference.ts'
import { derive } from '../domain/secret.ts'
import { createWatcher, type WatchStore } from '../queues/watch.ts'
import { dropCursor, loadCursor, startCursor } from '../storage/cursors.ts'
import type { Sql } from '../storage/db.ts'
import { commitStep } from '../storage/settlements.ts'
import { watchStore } from '../storage/watching.ts'
import type { Session } from './session.ts'

/** Blocks `from` to `to`, both included. */
export type BackfillRange = {
  readonly chain: Network
  readonly from: number
  readonly to: number
}

export type Backfilled = BackfillRange & {
  /** Blocks before this one have been read. */
  readonly nextBlock: number
  /** False: the blocks from `nextBlock` on are not confirmed yet. */
  readonly isComplete: boolean
  /** Transfers that were not on record before. */
  readonly transfersFound: number
  readonly invoicesChanged: number
}

/** How often in a row a node may fail, or the service may be quicker, before the backfill gives up. */
const mostFailures = 5
const restMs = 500

/**
 * Reads a range of blocks as the watcher would, by its own step and with a cursor of its own: what is on record already stays as it is,
 * so any range may be read any number of times, beside a running service. A backfill that was interrupted goes on where it was.
 * `onProgress` hears how far it is. Errors: `ConfigError`; `ChainError` when the nodes fail five times in a row.
 */
export async function backfill(
  { config, sql, sealKey }: Session,
  range: BackfillRange,
  onProgress: (nextBlock: number) => void,
): Promise<Backfilled> {
  const { chain: network, from, to } = range
  const { rpcUrls, usdcAddress: usdc, confirmations, maxRangeBlocks } = config.networks[network]
  if (rpcUrls.length === 0)
    throw new ConfigError(`${network.toUpperCase()}_RPC_URL is not set: there is no node to read`)
  const cursorName = `backfill ${network} ${from} ${to}`
  const found = { transfers: 0, invoices: new Set<string>() }
  const watcher = createWatcher({
    chain: settlingChainOf({ network, rpcUrls, usdc }),
    store: countingStore(sql, cursorName, found),
    confirmations,
    startBlock: from,
    maxRangeBlocks,
    feeBasisPoints: config.feeBasisPoints,
    references: references(derive(sealKey, 'invoice references')),
    salesUsdcBase,
    now: () => new Date(),
    newId: () => Bun.randomUUIDv7(),
    log: { warn() {} },
    // A running service hears of the changes from the database, and its sweep finds what is to be delivered and anchored.
    onReread: async () => {},
    onSettled: () => {},
  })
  const reached = async () => (await loadCursor(sql, cursorName))?.nextBlock ?? from
  let nextBlock = await reached()
  for (let failures = 0; nextBlock <= to && failures < mostFailures; ) {
    onProgress(nextBlock)
    const fault = await watcher.step().then(() => null, onlyChainError)
    const before = nextBlock
    nextBlock = await reached()
    failures = nextBlock > before ? 0 : failures + 1
    if (fault && failures === mostFailures) throw fault
    if (failures > 0) await Bun.sleep(restMs * failures)
  }
  onProgress(Math.min(nextBlock, to + 1))
  const isComplete = nextBlock > to
  if (isComplete) await dropCursor(sql, cursorName)
  return {
    ...range,
    nextBlock,
    isComplete,
    transfersFound: found.transfers,
    invoicesChanged: found.invoices.size,
  }
}

function onlyChainError(error: unknown): ChainError {
  if (error instanceof ChainError) return error
  throw error
}

/** The watcher's store with a cursor of another name, which counts what is committed. */
function countingStore(
  sql: Sql,
  cursorName: string,
  found: { transfers: number; invoices: Set<string> },
): WatchStore {
  return {
    ...watchStore(sql),
    cursor: () => loadCursor(sql, cursorName),
    start: (_chain, nextBlock, now) => startCursor(sql, cursorName, nextBlock, now),
    async commit(step) {
      const committed = await commitStep(sql, step, cursorName)
      if (committed) {
        found.transfers += step.inserted.length
        for (const { after } of step.changes) found.invoices.add(after.id)
      }
      return committed
    },
  }
}
