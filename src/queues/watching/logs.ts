import type { ChainFault } from '../../chain/chain.ts'
import type { NodeWatch } from '../../chain/rpc/failover.ts'
import type { UnreadWatch } from '../../chain/solana/solana.ts'
import type { SurplusWatch } from '../../chain/solana/surplus.ts'
import type { Network } from '../../domain/network.ts'
import { createThrottle } from '../../telemetry/throttle.ts'

type Log = Record<'info' | 'warn' | 'error', (line: object, message: string) => void>

/** A node may fail and recover by turns. */
const logEveryMs = 60_000

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

type NodeState = { fault: ChainFault | null; logged: ChainFault | null; later?: Timer }

/**
 * Logs when a node fails and when it recovers, each once in `everyMs`; a last change follows later.
 * `repeated` counts what was left out.
 */
export function nodeLog(log: Log, network: Network, everyMs = logEveryMs): NodeWatch {
  const nodes = new Map<string, NodeState>()
  const throttle = createThrottle(everyMs)

  function write(host: string, node: NodeState): void {
    const { fault } = node
    const repeated = throttle(`${host} ${fault}`)
    if (repeated === null) node.later ??= setTimeout(() => catchUp(host, node), everyMs).unref()
    else {
      node.logged = fault
      if (fault === null) log.info({ network, host, repeated }, 'a node of the chain has recovered')
      else log.warn({ network, host, fault, repeated }, 'a node of the chain fails')
    }
  }

  function catchUp(host: string, node: NodeState): void {
    delete node.later
    if (node.fault !== node.logged) write(host, node)
  }

  return ({ host, fault }) => {
    const node = nodes.get(host) ?? { fault, logged: null }
    nodes.set(host, node)
    node.fault = fault
    write(host, node)
  }
}
