import type { ChainFault } from '../../chain/chain.ts'
import type { NodeWatch } from '../../chain/rpc/failover.ts'
import type { UnreadWatch } from '../../chain/solana/solana.ts'
import type { SurplusWatch } from '../../chain/solana/surplus.ts'
import type { Network } from '../../domain/network.ts'

type Log = Record<'info' | 'warn' | 'error', (line: object, message: string) => void>

/** A node that fails and recovers by turns would fill the log. */
const logEveryMs = 60_000

/** What a chain's nodes report, as lines of the log. */
export function chainLogs(log: Log, network: Network) {
  const onSurplus: SurplusWatch = ({ txHash, to, usdcBase }) =>
    log.error(
      { network, txHash, to, usdcBase: `${usdcBase}` },
      'money came in that no transfer explains: nothing is recorded of it',
    )
  const onUnread: UnreadWatch = ({ txHash, slot }) =>
    log.error(
      { network, txHash, slot },
      'a transaction has an unknown version: if it paid an invoice, nothing is recorded of it',
    )
  return { onNode: nodeLog(log, network), onSurplus, onUnread }
}

/**
 * Logs one line when a chain node fails, and one when it has recovered, each once in `everyMs`. If
 * the log does not say what the node is at the end of that time, a line follows then, with how many
 * changes were left out (`repeated`).
 */
export function nodeLog(log: Log, network: Network, everyMs = logEveryMs): NodeWatch {
  const nodes = new Map<string, LoggedNode>()

  function write(host: string, node: LoggedNode): void {
    const { fault, repeated } = node
    if (fault === null) log.info({ network, host, repeated }, 'a node of the chain has recovered')
    else log.warn({ network, host, fault, repeated }, 'a node of the chain fails')
    Object.assign(node, { logged: fault, repeated: 0 })
    node.loggedAtMs.set(fault, performance.now())
  }

  return ({ host, fault }) => {
    const node = nodes.get(host) ?? unlogged()
    nodes.set(host, node)
    node.fault = fault
    const loggedAtMs = node.loggedAtMs.get(fault) ?? Number.NEGATIVE_INFINITY
    const restMs = loggedAtMs + everyMs - performance.now()
    if (restMs <= 0) return write(host, node)
    node.repeated++
    node.later ??= setTimeout(() => {
      delete node.later
      if (node.fault !== node.logged) write(host, node)
    }, restMs).unref()
  }
}

type LoggedNode = {
  fault: ChainFault | null
  /** What the log says of it. */
  logged: ChainFault | null
  readonly loggedAtMs: Map<ChainFault | null, number>
  repeated: number
  later?: Timer
}

function unlogged(): LoggedNode {
  return { fault: null, logged: null, loggedAtMs: new Map(), repeated: 0 }
}
