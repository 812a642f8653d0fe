import { afterSettling } from '../actors/jobs.ts'
import { settlingChainOf } from '../chain/chains.ts'
import { isWatched } from '../config/notes.ts'
import { invoiceChains, type Network, networks } from '../domain/network.ts'
import { salesUsdcBase } from '../domain/x402/pricing.ts'
import { createCatchUp } from '../queues/watching/catch-up.ts'
import { createWatcher } from '../queues/watching/watch.ts'
import { watchStore } from '../storage/settlement/watch-store.ts'
import { newId, now, steadyMs } from './clock.ts'
import { noPurchases, purchaseWatch } from './purchases.ts'
import { nodeLog, observeWatching, surplusLog, unreadLog } from './watch-observers.ts'
import type { WorkerParts } from './workers.ts'

/**
 * Creates one watcher per chain that has an RPC URL and whose queue this process takes. Each run
 * reads on until it reaches the head, and then follows the purchases there.
 */
export function createWatchers(parts: WorkerParts) {
  const { config, log, database, service } = parts
  const { sql, patientSql } = database
  const watched = networks.filter(
    (network) => isWatched(config, network) && config.queues.includes(`watch-${network}`),
  )
  return new Map(
    watched.map((network) => {
      const { rpcUrls, usdcAddress, startBlock } = config.networks[network]
      const onNode = nodeLog(log, network)
      const onSurplus = surplusLog(log, network)
      const onUnread = unreadLog(log, network)
      const observed = observeWatching(sql, network, service.metrics)
      const chain = invoiceChains.find((one) => one === network)
      const purchases = chain ? purchaseWatch(chain, parts) : noPurchases
      const watcher = observed.watcher(
        createWatcher({
          ...settlingOptions(parts, network),
          chain: observed.chain(
            settlingChainOf({
              network,
              rpcUrls,
              usdc: usdcAddress,
              onNode,
              onSurplus,
              onUnread,
            }),
          ),
          store: observed.store(watchStore(sql)),
          patientStore: observed.store(watchStore(patientSql)),
          startBlock,
          onReread: purchases.reverse,
        }),
      )
      const onCaughtUp = purchases.follow
      return [network, createCatchUp(watcher, { network, log, steadyMs, onCaughtUp })] as const
    }),
  )
}

/**
 * The options by which transfers of a chain settle invoices, shared by everything that reads them.
 */
export function settlingOptions({ config, log, queues, service }: WorkerParts, network: Network) {
  const { confirmations, maxRangeBlocks } = config.networks[network]
  return {
    confirmations,
    maxRangeBlocks,
    feeBasisPoints: config.feeBasisPoints,
    references: service.references,
    salesUsdcBase,
    now,
    steadyMs,
    newId,
    log,
    onSettled: afterSettling({ invoices: service.invoices, jobs: queues }),
  }
}
