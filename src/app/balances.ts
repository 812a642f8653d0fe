import { type BlockRange, ChainError } from '../chain/chain.ts'
import { chainOf, settlingChainOf } from '../chain/chains.ts'
import { evmBalances } from '../chain/evm/balances.ts'
import { isWatched } from '../config/notes.ts'
import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { readRange } from '../queues/watching/backfill.ts'
import { createBalanceCheck } from '../queues/watching/balances.ts'
import { createWatcher } from '../queues/watching/watch.ts'
import { dueChecks, noteChecks, receivedSince } from '../storage/settlement/balance-checks.ts'
import { dropCursor, loadCursor } from '../storage/settlement/cursors.ts'
import { rangeStore } from '../storage/settlement/watch-store.ts'
import { settlingOptions } from './watchers.ts'
import type { WorkerParts } from './workers.ts'

export const checkEveryMs = 3_600_000

/**
 * Creates the job that checks whether the balances of our addresses match the recorded transfers.
 * Solana is left out: it has no balance as of a block.
 */
export function createBalanceChecks(parts: WorkerParts): () => Promise<void> {
  const { config, log } = parts
  const checks = networks.flatMap((network) => {
    const { chainId, keepsStates } = registry[network]
    if (chainId === null || !isWatched(config, network)) return []
    return [{ network, check: balanceCheck(parts, { network, chainId, keepsStates }) }]
  })
  return () => checkEach(checks, log)
}

/**
 * Checks one chain after the other. One that fails takes no other with it: what its nodes cannot
 * tell is a warning, anything else an error in the log, and it is tried again an hour later.
 */
export async function checkEach(
  checks: readonly { readonly network: Network; readonly check: () => Promise<void> }[],
  log: {
    warn(line: object, message: string): void
    error(line: object, message: string): void
  },
): Promise<void> {
  for (const { network, check } of checks) {
    await check().catch((error) => {
      if (error instanceof ChainError) {
        const { fault, message: reason } = error
        log.warn({ network, fault, reason }, 'balances could not be read')
      } else {
        log.error({ err: error, network }, 'balances could not be checked')
      }
    })
  }
}

function balanceCheck(
  parts: WorkerParts,
  row: { readonly network: Network; readonly chainId: number; readonly keepsStates: boolean },
): () => Promise<void> {
  const { config, log, database, service } = parts
  const { sql } = database
  const { network } = row
  const { rpcUrls, usdcAddress: usdc, maxRangeBlocks } = config.networks[network]
  return createBalanceCheck({
    chain: chainOf({ network, rpcUrls, usdc }),
    balances: evmBalances({ ...row, rpcUrls, usdc }),
    store: {
      cursor: (chain) => loadCursor(sql, chain),
      due: (chain, which) => dueChecks(sql, chain, which),
      received: (chain, since, to) => receivedSince(sql, chain, since, to),
      note: (chain, checks) => noteChecks(sql, chain, checks),
    },
    maxRangeBlocks,
    readAgain: (range) => readAgain(parts, network, range),
    log,
    onFound: (transfers) => service.metrics.missed(network, transfers),
  })
}

/**
 * Reads a range of blocks again and returns how many of its transfers had not been recorded.
 * Errors: `ChainError`.
 */
async function readAgain(parts: WorkerParts, network: Network, range: BlockRange): Promise<number> {
  const { sql } = parts.database
  const { rpcUrls, usdcAddress: usdc } = parts.config.networks[network]
  const cursorName = `balances ${network}`
  // The cursor of an interrupted run may belong to other blocks.
  await dropCursor(sql, cursorName)
  const { foundInBlocks } = await readRange({
    chain: network,
    range,
    store: rangeStore(sql, cursorName),
    watcherOf: (store) =>
      createWatcher({
        ...settlingOptions(parts, network),
        chain: settlingChainOf({ network, rpcUrls, usdc }),
        store,
        startBlock: range.from,
        onReread: async () => {},
      }),
  })
  await dropCursor(sql, cursorName)
  return foundInBlocks.filter((block) => block <= range.to).length
}
