import type { Chain } from '../../src/chain/chain.ts'
import { evmChain } from '../../src/chain/evm/evm.ts'
import { references } from '../../src/domain/invoices/reference.ts'
import { salesUsdcBase } from '../../src/domain/x402/pricing.ts'
import {
  createWatcher,
  type Watcher,
  type WatcherOptions,
} from '../../src/queues/watching/watch.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import type { EvmNode } from './evm-node.ts'

type Options = Omit<WatcherOptions, 'sql' | 'startBlock' | 'onReread'>

export const invoiceReferences = references(new Uint8Array(32).fill(3))

/** Confirms after one block. */
export function watcherOptions(options: Partial<Options> & Pick<Options, 'chain'>): Options {
  return {
    confirmations: { blocks: 1, finalized: false },
    maxRangeBlocks: 100,
    feeBasisPoints: 0,
    references: invoiceReferences,
    salesUsdcBase,
    now: () => new Date(),
    steadyMs: () => performance.now(),
    newId: () => Bun.randomUUIDv7(),
    log: { warn: () => {}, error: () => {} },
    onCommitted: () => {},
    ...options,
  }
}

/** Stepped by hand; starts at the newest block. */
export function testWatcher(
  sql: Sql,
  options: Partial<WatcherOptions> & Pick<Options, 'chain'>,
): Watcher {
  return createWatcher({
    ...watcherOptions(options),
    sql,
    startBlock: null,
    onReread: async () => {},
    ...options,
  })
}

/** On a test's node, directly or through a relay. */
export function baseBy({ url, usdc }: EvmNode, rpcUrl = url): Chain {
  return evmChain({ network: 'base', chainId: 8453, rpcUrls: [rpcUrl], usdc })
}
