import { type Block, type Chain, ChainError, type ChainFault } from '../chain/chain.ts'
import type { NodeWatch } from '../chain/rpc/failover.ts'
import type { UnreadWatch } from '../chain/solana/solana.ts'
import type { SurplusWatch } from '../chain/solana/surplus.ts'
import type { Network } from '../domain/network.ts'
import type { Watcher, WatchStore } from '../queues/watching/watch.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { noteWatch, type Watched } from '../storage/settlement/chain-watches.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { steadyMs } from './clock.ts'

/**
 * While catching up, a chain makes many steps a second; one note a second is enough for people. The
 * one that has caught up is not left out: overdue invoices wait for it.
 */
const noteEveryMs = 1_000

/**
 * Wraps the parts of a watcher to observe them: heads, detections, and the outcome of its steps.
 */
export function observeWatching(sql: Sql, network: Network, metrics: Pick<Metrics, 'detected'>) {
  let head: Block | null = null
  let noted: { fault: string | null; isCaughtUp: boolean; atMs: number } | null = null

  /** Notes the watcher's progress. A step succeeds even if this fails: the next one notes it. */
  async function note(watched: Watched): Promise<void> {
    const { fault = null, caughtUpAt = null } = watched
    const isCaughtUp = caughtUpAt !== null
    const isNews = noted?.fault !== fault || (isCaughtUp && !noted.isCaughtUp)
    if (noted && !isNews && steadyMs() - noted.atMs < noteEveryMs) return
    noted = { fault, isCaughtUp, atMs: steadyMs() }
    await noteWatch(sql, network, watched).catch(() => {})
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
          const { failure, caughtUpAt } = stepped
          const progress = head && { head, caughtUpAt }
          if (failure !== null) await note({ ...progress, fault: faultOf(failure) })
          else if (progress) await note(progress)
          return stepped
        } catch (error) {
          await note({ fault: faultOf(error) })
          throw error
        }
      },
    }),
  }
}

/** Anything but a `ChainError`, such as what our own database refuses, is no fault of the chain. */
function faultOf(error: unknown): string | null {
  return error instanceof ChainError ? error.fault : null
}

/** A node that fails and recovers by turns would fill the log. */
const tellEveryMs = 60_000

/**
 * Logs one line when a chain node fails, and one when it has recovered. Each is told once in
 * `everyMs` of a node; what it is at the end of that time is told then, if the log does not say so,
 * with how often nothing was told since (`repeated`).
 */
export function nodeLog(log: Log, network: Network, everyMs = tellEveryMs): NodeWatch {
  const nodes = new Map<string, ToldNode>()

  function tell(host: string, node: ToldNode): void {
    const { fault, repeated } = node
    if (fault === null) log.info({ network, host, repeated }, 'a node of the chain is well again')
    else log.warn({ network, host, fault, repeated }, 'a node of the chain is no help')
    Object.assign(node, { told: fault, repeated: 0 })
    node.toldAtMs.set(fault, steadyMs())
  }

  return ({ host, fault }) => {
    const node = nodes.get(host) ?? untold()
    nodes.set(host, node)
    node.fault = fault
    const restMs = (node.toldAtMs.get(fault) ?? Number.NEGATIVE_INFINITY) + everyMs - steadyMs()
    if (restMs <= 0) return tell(host, node)
    node.repeated++
    node.later ??= setTimeout(() => {
      delete node.later
      if (node.fault !== node.told) tell(host, node)
    }, restMs).unref()
  }
}

function untold(): ToldNode {
  return { fault: null, told: null, toldAtMs: new Map(), repeated: 0 }
}

type ToldNode = {
  fault: ChainFault | null
  /** What the log says of it. */
  told: ChainFault | null
  readonly toldAtMs: Map<ChainFault | null, number>
  /** Changes that were not told. */
  repeated: number
  later?: Timer
}

/**
 * Logs each transaction that gave an address of ours more than its transfers account for: nothing
 * else reports it.
 */
export function surplusLog(log: Log, network: Network): SurplusWatch {
  return ({ txHash, to, usdcBase }) =>
    log.error(
      { network, txHash, to, usdcBase: `${usdcBase}` },
      'money came in that no transfer explains: nothing is recorded of it',
    )
}

/**
 * Logs each transaction that may have paid us but cannot be read from any node; the watcher has
 * gone on without it.
 */
export function unreadLog(log: Log, network: Network): UnreadWatch {
  return ({ txHash, slot }) =>
    log.error(
      { network, txHash, slot },
      'a transaction is of a version that is not known here: if it paid, nothing is recorded of it',
    )
}
