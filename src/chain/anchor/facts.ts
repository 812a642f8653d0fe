import type { Anchor, AnchorFacts } from '../../domain/receipts/bundle.ts'
import { isRevoked, readAnchor } from '../../verify/chain.ts'
import { type Ask, NodeError } from '../../verify/node.ts'
import { ChainError } from '../chain.ts'
import { isRefusal } from '../rpc/fault.ts'
import { knownToAny } from '../rpc/proven.ts'
import { createRpc } from '../rpc/rpc.ts'

/** Searches of more parts are left to the verifier's own node. */
const mostLogCalls = 20

/**
 * Asks a node of the anchor chain what a verifier would, for pages that may not. Without
 * `eth_getLogs` where the node did not search all blocks since. Rejects with `ChainError`.
 */
export function anchorFactsFrom(rpcUrls: readonly string[]) {
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: null })
  return async (hash: string, anchor: Anchor): Promise<AnchorFacts> => {
    const facts: Record<string, unknown> = {}
    const logs: unknown[] = []
    let logCalls = 0

    const ask: Ask = async (method, params) => {
      const call = { method, params }
      if (method !== 'eth_getLogs') {
        // Many nodes forget old transactions, and then answer as if there had been none.
        facts[method] = await knownToAny(rpc, call, () => true)
        return facts[method]
      }
      if (++logCalls > mostLogCalls) throw new NodeError('too many blocks for this page')
      const [found] = await rpc.ask([call]).catch(refusing)
      logs.push(...(found as unknown[]))
      return found
    }

    const anchored = await readAnchor(ask, anchor)
    if (typeof anchored === 'string') return facts
    return isRevoked(ask, hash, anchor, anchored.sender).then(
      () => ({ ...facts, eth_getLogs: logs }),
      () => facts,
    )
  }
}

function refusing(error: unknown): never {
  const isOfRange = error instanceof ChainError && error.fault === 'range_refused'
  throw new NodeError((error as Error).message, isOfRange || isRefusal(error))
}
