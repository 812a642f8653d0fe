import { type Chain, ChainError, type ChainFault } from '../../src/chain/chain.ts'
import { startRpcRelay } from '../support/rpc-relay.ts'
import { troubles } from './conformance-faults.ts'
import type { Subject } from './subject.ts'

const passing: readonly ChainFault[] = ['unreachable', 'invalid_answer']
const mostTries = 5
// More requests than any operation makes, so that the second attempt succeeds.
const failingOneIn = 7

/**
 * The chain behind a node that fails one request in seven, each time in another way. Failed calls
 * are repeated, as the watcher does.
 */
export async function inTrouble(start: () => Promise<Subject>): Promise<Subject> {
  const subject = await start()
  const relay = startRpcRelay(subject.nodeUrl)
  const ways = troubles.filter(([fault]) => passing.includes(fault)).map(([, , fault]) => fault)
  let asked = 0
  relay.misbehave(async (request, forward) => {
    const isFailing = ++asked % failingOneIn === 0
    const way = isFailing ? ways[(asked / failingOneIn) % ways.length] : undefined
    return way ? way(request, forward) : Response.json(await forward(request))
  })
  return {
    ...subject,
    chain: persistent(subject.chainAt([relay.url])),
    async stop() {
      await relay.stop()
      await subject.stop()
    },
  }
}

function persistent(chain: Chain): Chain {
  async function untilAnswered<Result>(ask: () => Promise<Result>, tries = 1): Promise<Result> {
    try {
      return await ask()
    } catch (error) {
      const isPassing = error instanceof ChainError && passing.includes(error.fault)
      if (!isPassing || tries === mostTries) throw error
      return untilAnswered(ask, tries + 1)
    }
  }
  return {
    network: chain.network,
    mostAddresses: chain.mostAddresses,
    urls: chain.urls,
    head: () => untilAnswered(chain.head),
    finalizedNumber: () => untilAnswered(chain.finalizedNumber),
    transfers: (...asked) => untilAnswered(() => chain.transfers(...asked)),
    block: (...asked) => untilAnswered(() => chain.block(...asked)),
  }
}
