import { type AskNode, errorOf, perCall } from './rpc-faults.ts'
import type { Fault, RpcAnswer, RpcCall } from './rpc-relay.ts'

/** Like a node whose newest block or slot is `newest`: beyond that it knows nothing. */
export function behindAt(newest: number): Fault {
  return perCall((call, ask) => {
    const answer = answers[call.method]
    return answer ? answer(call, ask, newest) : ask(call)
  })
}

type Answer = (call: RpcCall, ask: AskNode, newest: number) => RpcAnswer | Promise<RpcAnswer>

const answers: Readonly<Record<string, Answer>> = {
  eth_getBlockByNumber(call, ask, newest) {
    const [tag, isWhole] = call.params
    if (tag !== 'latest' && tag !== 'finalized') {
      return Number(tag) > newest ? { id: call.id, result: null } : ask(call)
    }
    return ask({ ...call, params: [`0x${newest.toString(16)}`, isWhole] })
  },
  // Providers answer with the logs they have, without an error.
  async eth_getLogs(call, ask, newest) {
    const [filter] = call.params as [{ fromBlock: string; toBlock: string }]
    if (Number(filter.fromBlock) > newest) return { id: call.id, result: [] }
    const toBlock = `0x${Math.min(Number(filter.toBlock), newest).toString(16)}`
    return ask({ ...call, params: [{ ...filter, toBlock }] })
  },
  eth_getBlockByHash: withinSight(({ number }) => number),
  eth_getTransactionByHash: withinSight(({ blockNumber }) => blockNumber),
  eth_getTransactionReceipt: withinSight(({ blockNumber }) => blockNumber),
  eth_call(call, ask, newest) {
    const [transaction, tag] = call.params
    if (tag === 'latest') return ask({ ...call, params: [transaction, `0x${newest.toString(16)}`] })
    return Number(tag) > newest ? errorOf(call.id, -32000, 'header not found') : ask(call)
  },
  async getSlot(call, ask, newest) {
    const { result } = await ask(call)
    return { id: call.id, result: Math.min(Number(result), newest) }
  },
  async getBlocks(call, ask, newest) {
    const [from, to, options] = call.params
    return ask({ ...call, params: [from, Math.min(Number(to), newest), options] })
  },
  getTransaction: withinSight(({ slot }) => slot),
  getBlock(call, ask, newest) {
    const slot = Number(call.params[0])
    if (slot <= newest) return ask(call)
    return errorOf(call.id, -32004, `Block not available for slot ${slot}`)
  },
  async getSignaturesForAddress(call, ask, newest) {
    const [, { minContextSlot = 0 }] = call.params as [string, { minContextSlot?: number }]
    if (minContextSlot > newest) {
      return errorOf(call.id, -32016, 'Minimum context slot has not been reached')
    }
    const { result } = await ask(call)
    const listed = result as readonly { slot: number }[]
    return { id: call.id, result: listed.filter(({ slot }) => slot <= newest) }
  },
}

/** `null` if what was found is beyond `newest`. */
function withinSight(blockOf: (found: Found) => string | number | null | undefined): Answer {
  return async (call, ask, newest) => {
    const answer = await ask(call)
    const found = answer.result as Found | null
    return found && Number(blockOf(found)) > newest ? { ...answer, result: null } : answer
  }
}

type Found = {
  readonly number?: string
  readonly blockNumber?: string | null
  readonly slot?: number
}
