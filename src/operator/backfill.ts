import { settlingChainOf } from '../chain/chains.ts'
import { ConfigError } from '../config/config.ts'
import { referencesUnder } from '../domain/invoices/reference.ts'
import type { Network } from '../domain/network.ts'
import { salesUsdcBase } from '../domain/x402/pricing.ts'
import { readRange } from '../queues/watching/backfill.ts'
import { createDatabaseClock } from '../storage/postgres/database-clock.ts'
import { serverTime } from '../storage/postgres/database-server.ts'
import { dropCursor, dropOldCursor } from '../storage/settlement/cursors.ts'
import type { KeySession } from './session.ts'

export type Backfilled = Awaited<ReturnType<typeof backfill>>

/**
 * Reads blocks with the watcher's own step and a separate cursor, so it may run beside the service
 * and again. An interrupted run resumes within a day. `rematchesHeld`: held transfers are credited
 * to what they name. Errors: `ConfigError`, `ChainError`.
 */
export async function backfill(
  { config, sql, keys }: KeySession,
  range: { readonly chain: Network; readonly from: number; readonly to: number },
  onProgress: (nextBlock: number) => void,
  rematchesHeld = false,
) {
  const { chain: network, from, to } = range
  const { rpcUrls, usdcAddress: usdc, confirmations, maxRangeBlocks } = config.networks[network]
  if (rpcUrls.length === 0)
    throw new ConfigError(`${network.toUpperCase()}_RPC_URL is not set: there is no node to read`)
  const cursorName = `backfill ${network} ${from} ${to}`
  // After a day the whole range is read again, perhaps from another node.
  await dropOldCursor(sql, cursorName)
  const steadyMs = () => performance.now()
  const { now } = createDatabaseClock(await serverTime(sql), steadyMs)
  const read = await readRange(
    sql,
    cursorName,
    { from, to },
    {
      chain: settlingChainOf({ network, rpcUrls, usdc }),
      confirmations,
      maxRangeBlocks,
      feeBasisPoints: config.feeBasisPoints,
      references: referencesUnder(keys),
      salesUsdcBase,
      rematchesHeld,
      now,
      steadyMs,
      newId: () => Bun.randomUUIDv7(),
      log: {
        warn() {},
        error: (line, message) => process.stderr.write(`${message} ${JSON.stringify(line)}\n`),
      },
      // A running service notices the changes in the database, and its sweep delivers and anchors.
      onCommitted() {},
    },
    onProgress,
  )
  const isComplete = read.nextBlock > to
  if (isComplete) await dropCursor(sql, cursorName)
  return {
    ...range,
    /** All blocks before this one have been read. */
    nextBlock: read.nextBlock,
    /** False if the blocks from `nextBlock` on are not confirmed yet. */
    isComplete,
    transfersFound: read.foundInBlocks.length,
    invoicesChanged: read.changedInvoiceIds.size,
  }
}
