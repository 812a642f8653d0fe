import {
  type Block,
  type BlockRange,
  ChainError,
  type ReadOptions,
  type Recorded,
} from '../chain.ts'
import type { Deadline } from './deadline.ts'
import type { Call } from './json-rpc.ts'
import type { RpcNode } from './node.ts'

export type OneNode = {
  read<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline?: Deadline,
  ): Promise<Result>
}
export type NamedNode = OneNode & Pick<RpcNode, 'host' | 'recheckChain' | 'mostCalls'>

/** Has the node name its chain together with each answer. */
export function proven(node: NamedNode): OneNode {
  return {
    read(calls, understand, deadline) {
      node.recheckChain()
      return node.read(calls, understand, deadline)
    },
  }
}

/** Has the node name its chain with each answer, or once at the end if it takes no batches. */
export async function provenConversation<Result>(
  node: NamedNode,
  converse: (node: OneNode) => Promise<Result>,
  deadline: Deadline,
): Promise<Result> {
  let isShown = true
  const result = await converse({
    read(...asked) {
      if (node.mostCalls() > 1) return proven(node).read(...asked)
      isShown = false
      return node.read(...asked)
    },
  })
  if (isShown) return result
  return proven(node).read([], () => result, deadline)
}

/** Asks again, with proof of the chain, where the hash is not the expected one. */
export async function provenUnless(
  expectedHash: string | undefined,
  node: NamedNode,
  ask: () => Promise<Block>,
): Promise<Block> {
  const block = await ask()
  if (expectedHash === undefined || block.hash === expectedHash) return block
  node.recheckChain()
  return ask()
}

/** Rejects where `node` leaves out a recorded transfer although its block is still in the chain. */
export async function refuseLeftOut(
  node: NamedNode,
  { range, recorded = [] }: { readonly range: BlockRange } & Pick<ReadOptions, 'recorded'>,
  isShown: (transfer: Recorded) => boolean,
  blockAt: (number: number) => Promise<Block>,
): Promise<void> {
  const isLost = (one: Recorded) =>
    one.blockNumber >= range.from && one.blockNumber <= range.to && !isShown(one)
  const lost = new Map(recorded.filter(isLost).map((one) => [one.blockHash, one]))
  for (const { blockNumber, blockHash, txHash } of lost.values()) {
    if ((await blockAt(blockNumber)).hash !== blockHash) continue
    const omission = `${node.host} left out ${txHash} of block ${blockNumber}`
    throw new ChainError('invalid_answer', omission)
  }
}

/** The first answer that `isEnough`, or else the first that is not null. */
export async function knownToAny(
  rpc: OneNode,
  call: Call,
  isEnough: (answer: unknown) => boolean,
): Promise<unknown> {
  let known: unknown
  const enough = rpc.read([call], ([answer]) => {
    known ??= answer
    if (answer !== null && isEnough(answer)) return answer
    throw new ChainError('lagging', `the node knows nothing, or not enough, of ${call.method}`)
  })
  return enough.catch((error) => {
    if (known === undefined) throw error
    return known
  })
}
