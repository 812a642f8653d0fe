import { type Block, type Chain, ChainError } from '../chain/chain.ts'
import type { NodeWatch } from '../chain/rpc.ts'
import type { SurplusWatch } from '../chain/solana-surplus.ts'
import type { Network } from '../domain/network.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Watcher, WatchStore } from '../queues/watching/watch.ts'
import { noteWatch } from '../storage/chain-watches.ts'
import type { Sql } from '../storage/db.ts'
import { steadyMs } from './clock.ts'

/** A chain that is caught up with makes many steps a second; people read of one. */
const noteEveryMs = 1_000

/** What a watcher is made of, each part as it was and seen from here: heads, detections, and how its steps go. */
export function observeWatching(sql: Sql, network: Network, metrics: Metrics) {
  let head: Block | null = null
  let noted: { fault: string | null; atMs: number } | null = null

  /** The note is for people to read: a step without it is as good. */
  async function note(fault: string | null): Promise<void> {
    if (noted?.fault === fault && steadyMs() - noted.atMs < noteEveryMs) return
    noted = { fault, atMs: steadyMs() }
    if (fault !== null) await noteWatch(sql, network, { fault }).catch(() => {})
    else if (head) await noteWatch(sql, network, { head }).catch(() => {})
  }

  return {
    chain: (chain: Chain): Chain => ({
      ...chain,
      async head() {
        head = await chain.head()
        return head
      },
    }),
    store: (store: WatchStore): WatchStore => ({
      ...store,
      async commit(step) {
        const committed = await store.commit(step)
        if (committed) {
          for (const { blockTimeMs } of step.inserted)
            metrics.detected(network, Date.now() - blockTimeMs)
        }
        return committed
      },
    }),
    watcher: ({ step }: Watcher): Watcher => ({
      async step() {
        try {
          const stepped = await step()
          await note(null)
          return stepped
        } catch (error) {
          await note(error instanceof ChainError ? error.fault : 'failed')
          throw error
        }
      },
    }),
  }
}

/** One line when a node of a chain becomes no help, one when it is well again. */
export function nodeLog(log: Log, network: Network): NodeWatch {
  return ({ host, fault }) => {
    if (fault === null) log.info({ network, host }, 'a node of the chain is well again')
    else log.warn({ network, host, fault }, 'a node of the chain is no help')
  }
}

/** One line for each transaction by which an address of ours came to hold more than its transfers tell: nobody else will look for it. */
export function surplusLog(log: Log, network: Network): SurplusWatch {
  return ({ txHash, to, usdcBase }) =>
    log.error(
      { network, txHash, to, usdcBase: `${usdcBase}` },
      'money came in that no transfer explains: nothing is recorded of it',
    )
}
