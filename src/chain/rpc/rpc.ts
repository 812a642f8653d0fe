import { ChainError } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs } from './deadline.ts'
import { createFailover, type NodeWatch } from './failover.ts'
import { type Call, isOfManyBlocks } from './json-rpc.ts'
import { createNode, type Identity, type RpcNode } from './node.ts'
import { type NamedNode, proven } from './proven.ts'

export type Rpc = ReturnType<typeof createRpc>

/** Rejects with `ChainError`. `expectedChainId` null: whichever chain the first node names. */
export function createRpc({
  urls,
  expectedChainId,
  identity = evmIdentity,
  fetchTimeoutMs = 4_000,
  onNode,
}: {
  readonly urls: readonly string[]
  readonly expectedChainId: number | string | null
  readonly identity?: Identity
  readonly fetchTimeoutMs?: number | undefined
  readonly onNode?: NodeWatch | undefined
}) {
  let expected = expectedChainId
  // The same URL twice is one node.
  const distinct = new Set(urls.map((url) => URL.parse(url)?.href ?? url))
  const nodes = [...distinct].map((url) =>
    named(createNode(url, identity, refuseOther, fetchTimeoutMs)),
  )
  const { atOneNode, atEachNode } = createFailover(nodes, onNode)

  function refuseOther(served: number | string, host: string): void {
    expected ??= served
    if (served === expected) return
    throw new ChainError('wrong_chain', `${host} serves chain ${served}, not ${expected}`)
  }

  /** All results are from one node; one failed call fails all. */
  function ask(calls: readonly Call[], deadline?: Deadline): Promise<readonly unknown[]> {
    return read(calls, (answers) => answers, deadline)
  }

  /** What `understand` makes of one node's results; where it throws, the next URL is tried. */
  function read<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline = deadlineIn(deadlineMs),
  ): Promise<Result> {
    const about = { kind: kindOf(calls), mayNarrow: calls.some(isOfManyBlocks) }
    return atOneNode((node, until) => node.read(calls, understand, until), deadline, about)
  }

  /** `read`, with proof of the chain, for conclusions from what is missing. */
  function readProven<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline = deadlineIn(deadlineMs),
    kind = kindOf(calls),
  ): Promise<Result> {
    const converse = (node: NamedNode, until: Deadline) =>
      proven(node).read(calls, understand, until)
    return atOneNode(converse, deadline, { kind })
  }

  async function chainId(): Promise<number> {
    if (expected === null) await ask([])
    return Number(expected)
  }

  function mostCalls(): number {
    return Math.min(...nodes.map((node) => node.mostCalls()))
  }

  return { ask, read, readProven, atOneNode, atEachNode, chainId, mostCalls, urls: nodes.length }
}

function named({ host, ask, recheckChain, mostCalls }: RpcNode): NamedNode {
  return {
    host,
    recheckChain,
    mostCalls,
    async read(calls, understand, deadline = deadlineIn(deadlineMs)) {
      return understand(await ask(calls, deadline))
    },
  }
}

function kindOf(calls: readonly Call[]): string {
  return [...new Set(calls.map(({ method }) => method))].join()
}

const evmIdentity: Identity = { method: 'eth_chainId', read: Number }
