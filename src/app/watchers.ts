import { chainOf } from '../chain/chains.ts'
import { registry } from '../chain/registry.ts'
import { invoiceChains, networks } from '../domain/network.ts'
import { createWatcher } from '../queues/watch.ts'
import { watchStore } from '../storage/watching.ts'
import { newId, now } from './clock.ts'
import { purchaseWatch } from './purchases.ts'
import { isWatched } from './status.ts'
import { observeWatching } from './watching.ts'
import type { WorkerParts } from './workers.ts'

/** One watcher per chain that has an RPC URL and whose queue is ours; a step reads on until it is at the head. */
export function createWatchers(parts: WorkerParts) {
  const { config, log, database, queues, service } = parts
  const { sql } = database
  const watched = networks.filter(
    (network) => isWatched(config, network) && config.queues.includes(`watch-${network}`),
  )
  return new Map(
    watched.map((network) => {
      const { rpcUrls, usdcAddress, confirmations, startBlock } = config.networks[network]
      const { maxRangeBlocks } = registry[network]
      const observed = observeWatching(sql, network, service.metrics)
      const watcher = observed.watcher(
        createWatcher({
          chain: observed.chain(chainOf({ network, rpcUrls, usdc: usdcAddress })),
          store: observed.store(watchStore(sql)),
          confirmations,
          startBlock,
          maxRangeBlocks,
          feeBasisPoints: config.feeBasisPoints,
          references: service.references,
          now,
          newId,
          log,
          onSettled: (invoiceIds) => {
            service.invoices.forget(invoiceIds)
            queues.wake('outbox')
            queues.wake('anchor')
          },
        }),
      )
      const chain = invoiceChains.find((one) => one === network)
      const followPurchases = chain ? purchaseWatch(chain, parts) : async () => {}
      const watch = async () => {
        for (let step = await watcher.step(); step.isAdvancing; step = await watcher.step());
        await followPurchases()
      }
      return [network, watch] as const
    }),
  )
}
