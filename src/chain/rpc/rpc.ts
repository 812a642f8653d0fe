import { type Block, ChainError, type ChainFault, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, halfWayTo } from './deadline.ts'
import { TooFast } from './fault.ts'
import {
  afterAnswer,
  afterFailure,
  type Health,
  healthy,
  inAskingOrder,
  inTurn,
  isOfNode,
} from './health.ts'
import { type Call, createNode, type Identity, isOfManyBlocks, type RpcNode } from './node.ts'

/** JSON-RPC over the operator's URLs of one chain. Rejects with `ChainError` and nothing else. */
export type Rpc = {
  /**
   * The results of `calls` in order, all from one node; one failed call fails all. If a node fails,
   * the next URL is tried, until `deadline`.
   */
  ask(calls: readonly Call[], deadline?: Deadline): Promise<readonly unknown[]>
  /**
   * What `understand` makes of the results of `calls`, all from one node; where it throws, the next
   * URL is tried as well.
   */
  read<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline?: Deadline,
  ): Promise<Result>
  /**
   * `read`, of a node that shows together with its answers which chain it serves: where something
   * follows from what is not there, as on another chain nothing is. Its `kind` is that of
   * `atOneNode`, the methods called by default.
   */
  readProven<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline?: Deadline,
    kind?: string,
  ): Promise<Result>
  /**
   * The result of a conversation of several questions, all with one node; where it fails, it starts
   * anew with the next URL. A node that failed conversations of a `kind` is well again once it
   * stands one of them. The URL preferred is the first one, or the one `turn` places after it; one
   * that failed is preferred in fewer of its turns. `converse` gets the deadline of this attempt:
   * where another URL is well, half of the time is left for that, unless the last conversation of
   * this kind that was cut short so had no result elsewhere either. Who `mayAskLess` is told where
   * a node refuses a range as too long; for others the next URL is tried.
   */
  atOneNode<Result>(
    converse: (node: NamedNode, deadline: Deadline) => Promise<Result>,
    deadline?: Deadline,
    about?: About,
  ): Promise<Result>
  /** Id of the EVM chain the nodes serve: the expected one, or the one the first node named. */
  chainId(): Promise<number>
  /** The most calls that every node takes in one request, as far as is known. */
  mostCalls(): number
}

type About = {
  readonly kind?: string
  readonly turn?: number | undefined
  readonly mayAskLess?: boolean
}

/** One of the nodes, always as the same object; `read` rejects where it fails. */
export type OneNode = Pick<Rpc, 'read'>
export type NamedNode = OneNode & Pick<RpcNode, 'host' | 'doubt' | 'mostCalls'>

/**
 * Called when a node starts to fail or to lag, with the reason, and with `fault` null when it
 * recovers.
 */
export type NodeWatch = (node: { readonly host: string; readonly fault: ChainFault | null }) => void

/**
 * With `expectedChainId` null, the chain the first node names is expected of all. `fetchTimeoutMs`
 * bounds one request to one URL and leaves time for the next when a node is silent. A node that
 * takes short batches only answers one question by several requests.
 */
export function createRpc(options: {
  readonly urls: readonly string[]
  readonly expectedChainId: number | string | null
  readonly identity?: Identity
  /** Wraps what asks one node, of each node. */
  readonly askingOf?: (ask: RpcNode['ask']) => RpcNode['ask']
  readonly fetchTimeoutMs?: number | undefined
  readonly onNode?: NodeWatch | undefined
}): Rpc {
  const { identity = evmIdentity, askingOf = (ask) => ask, fetchTimeoutMs = 4_000 } = options
  let expected = options.expectedChainId
  const nodes: KeptNode[] = options.urls.map((url) => {
    const node = createNode(url, identity, refuseOther, fetchTimeoutMs)
    return {
      ...oneNode({ ...node, ask: askingOf(node.ask) }),
      health: healthy,
      needsAll: new Set(),
    }
  })

  function refuseOther(served: number | string, host: string): void {
    expected ??= served
    if (served === expected) return
    throw new ChainError('wrong_chain', `${host} serves chain ${served}, not ${expected}`)
  }

  function oneNode({ host, ask, doubt, mostCalls }: RpcNode): NamedNode {
    return {
      host,
      doubt,
      mostCalls,
      async read(calls, understand, deadline = deadlineIn(deadlineMs)) {
        return understand(await ask(calls, deadline))
      },
    }
  }

  async function atOneNode<Result>(
    converse: (node: NamedNode, deadline: Deadline) => Promise<Result>,
    deadline = deadlineIn(deadlineMs),
    { kind = 'other', turn = 0, mayAskLess = false }: About = {},
  ): Promise<Result> {
    let first: ChainError | undefined
    const cutShort: KeptNode[] = []
    const willing = [...inAskingOrder(inTurn(nodes, turn), performance.now())]
    if (willing.length === 0) {
      throw new ChainError('rate_limited', 'every node has asked to be left alone for a while')
    }
    for (const [at, node] of willing.entries()) {
      if (deadline.aborted) break
      const askedAtMs = performance.now()
      // A slow node answers each question in time, and yet not all of them.
      const isLast = willing.slice(at + 1).every((one) => one.health.restsUntilMs > askedAtMs)
      const until = isLast || node.needsAll.delete(kind) ? deadline : halfWayTo(deadline)
      const hadAll = !isLast && until === deadline
      try {
        const result = await converse(node, until)
        if (hadAll) node.needsAll.add(kind)
        keep(node, afterAnswer(node.health, kind, performance.now()))
        return result
      } catch (thrown) {
        const error = asChainError(thrown)
        if (until.aborted && !deadline.aborted) cutShort.push(node)
        if (error.fault === 'range_refused' && mayAskLess) throw error
        if (deadline.aborted && first === undefined) break
        first ??= error
        const isTooFast = error instanceof TooFast
        // It comes again after the others, with as little at a time as it takes.
        if (isTooFast) willing.push(node)
        if (!isOfNode(error) || (isTooFast && nodes.length === 1)) continue
        const [nowMs, random] = [performance.now(), Math.random()]
        keep(node, afterFailure(node.health, error, { kind, askedAtMs, nowMs, random }))
      }
    }
    for (const node of cutShort) node.needsAll.add(kind)
    // There is time for one question at one node. Here the questions before it had used the time
    // up, so the range holds too much.
    throw first ?? new OutOfTime()
  }

  function read<Result>(
    calls: readonly Call[],
    understand: (answers: readonly unknown[]) => Result,
    deadline = deadlineIn(deadlineMs),
  ): Promise<Result> {
    const about = { kind: kindOf(calls), mayAskLess: calls.some(isOfManyBlocks) }
    return atOneNode((node, until) => node.read(calls, understand, until), deadline, about)
  }

  function ask(calls: readonly Call[], deadline?: Deadline): Promise<readonly unknown[]> {
    return read(calls, (answers) => answers, deadline)
  }

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

  function keep(node: KeptNode, health: Health): void {
    const hasTurned = node.health.fault !== health.fault
    node.health = health
    if (hasTurned) options.onNode?.({ host: node.host, fault: health.fault })
  }

  async function chainId(): Promise<number> {
    if (expected === null) await ask([])
    return Number(expected)
  }

  function mostCalls(): number {
    return Math.min(...nodes.map((node) => node.mostCalls()))
  }

  return { ask, read, readProven, atOneNode, chainId, mostCalls }
}

/**
 * What the first node that knows it, and whose answer `isEnough`, answers to `call`. Where there is
 * none, the first answer of those that know it; null where no node does. Rejects only if no node
 * answers.
 */
export async function knownToAny(
  rpc: Rpc,
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

/** `node`, which shows together with each of its answers which chain it serves. */
export function proven(node: NamedNode): OneNode {
  return {
    read(calls, understand, deadline) {
      node.doubt()
      return node.read(calls, understand, deadline)
    },
  }
}

/**
 * A conversation with `node`, which shows which chain it serves: together with each of its answers
 * or, where it takes no lists of calls and each time would be one more request, after the last one.
 */
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

/**
 * The block that `ask` reads from `node`. Where its hash is another than expected, it is asked for
 * again, and the node shows together with it which chain it serves.
 */
export async function provenUnless(
  expectedHash: string | undefined,
  node: NamedNode,
  ask: () => Promise<Block>,
): Promise<Block> {
  const block = await ask()
  if (expectedHash === undefined || block.hash === expectedHash) return block
  node.doubt()
  return ask()
}

/**
 * Anything thrown, as a `ChainError`; another error means that an answer could not be read, which
 * is an `invalid_answer`.
 */
export function asChainError(thrown: unknown): ChainError {
  if (thrown instanceof ChainError) return thrown
  return new ChainError('invalid_answer', `the answer cannot be read: ${thrown}`)
}

function kindOf(calls: readonly Call[]): string {
  return [...new Set(calls.map(({ method }) => method))].join()
}

type KeptNode = NamedNode & {
  health: Health
  /** Kinds of conversation that its share of the time ended, and that no other node stood. */
  readonly needsAll: Set<string>
}

const evmIdentity: Identity = { method: 'eth_chainId', read: Number }
