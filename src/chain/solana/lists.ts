import { type BlockRange, ChainError } from '../chain.ts'
import type { Call } from '../rpc/json-rpc.ts'
import type { RpcNode } from '../rpc/node.ts'

/** No node lists more slots at once; some providers' list far fewer. */
const mostSlots = 500_000
const mostParts = 40
/** How often a longer list is tried than a node answered before. */
const trialEveryMs = 600_000

export function listCall({ from, to }: BlockRange, commitment: string): Call {
  return { method: 'getBlocks', params: [from, to, { commitment }] }
}

type Ask = RpcNode['ask']

/** Asks for each `listCall` in as many parts as the node needs, found by trying. */
export function askingListsInParts(ask: Ask): Ask {
  let most = mostSlots
  let triedMoreAtMs = Number.NEGATIVE_INFINITY

  function learn(slots: number): void {
    most = slots
    triedMoreAtMs = performance.now()
  }

  return async (calls, deadline) => {
    const longest = Math.max(0, ...calls.map(slotsIn))
    if (longest > most && performance.now() - triedMoreAtMs > trialEveryMs) learn(mostSlots)
    for (;;) {
      const asked = Math.min(longest, most)
      const parts = calls.map((call) => partsOf(call, most))
      if (parts.some(({ length }) => length > mostParts))
        throw new ChainError('range_refused', `of ${longest} slots, the node lists ${most} at once`)
      try {
        const answers = [...(await ask(parts.flat(), deadline))]
        return parts.map(({ length }) => joined(answers.splice(0, length)))
      } catch (error) {
        const isRefused = error instanceof ChainError && error.fault === 'range_refused'
        if (!isRefused || asked <= 1) throw error
        learn(Math.min(most, Math.ceil(asked / 2)))
      }
    }
  }
}

function joined(answers: readonly unknown[]): unknown {
  return answers.length === 1 ? answers[0] : answers.flat()
}

function slotsIn({ method, params }: Call): number {
  if (method !== 'getBlocks') return 0
  const [first, last] = params as [number, number]
  return last - first + 1
}

function partsOf(call: Call, slots: number): readonly Call[] {
  if (slotsIn(call) <= slots) return [call]
  const [first, last, options] = call.params as [number, number, unknown]
  return Array.from({ length: Math.ceil(slotsIn(call) / slots) }, (_, at) => {
    const from = first + at * slots
    return { ...call, params: [from, Math.min(last, from + slots - 1), options] }
  })
}
