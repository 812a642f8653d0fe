import { ChainError, type ChainFault, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, halfWayTo } from './deadline.ts'
import { TooFast } from './fault.ts'
import {
  afterAnswer,
  afterFailure,
  type Health,
  healthiestFirst,
  healthy,
  isNodeFault,
} from './health.ts'
import type { NamedNode } from './proven.ts'

/** Called with the fault when a node starts to fail or lag, and with null when it recovers. */
export type NodeWatch = (node: { readonly host: string; readonly fault: ChainFault | null }) => void

type ConversationOptions = {
  readonly kind?: string
  readonly turn?: number | undefined
  readonly mayNarrow?: boolean
}

export function createFailover(named: readonly NamedNode[], onNode: NodeWatch = () => {}) {
  const nodes = named.map((node): NodeState => ({ node, health: healthy }))

  /**
   * Has one conversation with one node, and starts it anew at the next node where it fails. A node
   * gets half of the time, unless no healthy one follows. `mayNarrow`: a refused range is reported
   * at once.
   */
  async function atOneNode<Result>(
    converse: (node: NamedNode, deadline: Deadline) => Promise<Result>,
    deadline = deadlineIn(deadlineMs),
    { kind = 'other', turn = 0, mayNarrow = false }: ConversationOptions = {},
  ): Promise<Result> {
    let first: ChainError | undefined
    const start = turn % nodes.length
    const inTurn = [...nodes.slice(start), ...nodes.slice(0, start)]
    const candidates = [...healthiestFirst(inTurn, performance.now())]
    if (candidates.length === 0)
      throw new ChainError('rate_limited', 'every node has asked to be left alone for a while')
    for (const [at, state] of candidates.entries()) {
      if (deadline.aborted) break
      const askedAtMs = performance.now()
      const isLast = candidates.slice(at + 1).every((one) => one.health.restsUntilMs > askedAtMs)
      try {
        const result = await converse(state.node, isLast ? deadline : halfWayTo(deadline))
        update(state, afterAnswer(state.health, kind, performance.now()))
        return result
      } catch (thrown) {
        const error = asChainError(thrown)
        if (error.fault === 'range_refused' && mayNarrow) throw error
        if (deadline.aborted && first === undefined) break
        first ??= error
        // Asked again after the others, at the pace it accepts.
        if (error instanceof TooFast) candidates.push(state)
        noteFailure(state, error, { kind, askedAtMs })
      }
    }
    throw first ?? new OutOfTime()
  }

  /** Has a conversation with every node; those that rest are not asked. */
  function atEachNode<Result>(
    converse: (node: NamedNode, deadline: Deadline) => Promise<Result>,
    kind: string,
  ): Promise<readonly { readonly host: string; readonly answer: Result | ChainError }[]> {
    const atOne = async (state: NodeState) => {
      const askedAtMs = performance.now()
      if (state.health.restsUntilMs > askedAtMs)
        return new ChainError('unreachable', `${state.node.host} rests after a failure`)
      try {
        const result = await converse(state.node, deadlineIn(deadlineMs))
        update(state, afterAnswer(state.health, kind, performance.now()))
        return result
      } catch (thrown) {
        const error = asChainError(thrown)
        noteFailure(state, error, { kind, askedAtMs })
        return error
      }
    }
    const hosts = nodes.map(({ node }) => node.host)
    const each = nodes.map(async (state, at) => {
      const { host } = state.node
      // Several keys of one provider are several nodes.
      const name = hosts.indexOf(host) === at ? host : `${host} (${at + 1})`
      return { host: name, answer: await atOne(state) }
    })
    return Promise.all(each)
  }

  function noteFailure(
    state: NodeState,
    error: ChainError,
    asked: { readonly kind: string; readonly askedAtMs: number },
  ): void {
    const isTooFast = error instanceof TooFast
    if (!isNodeFault(error) || (isTooFast && nodes.length === 1)) return
    const at = { ...asked, nowMs: performance.now(), random: Math.random() }
    update(state, afterFailure(state.health, error, at))
  }

  function update(state: NodeState, health: Health): void {
    const hasChanged = state.health.fault !== health.fault
    state.health = health
    if (hasChanged) onNode({ host: state.node.host, fault: health.fault })
  }

  return { atOneNode, atEachNode }
}

export function asChainError(thrown: unknown): ChainError {
  if (thrown instanceof ChainError) return thrown
  return new ChainError('invalid_answer', `the answer cannot be read: ${thrown}`)
}

type NodeState = { readonly node: NamedNode; health: Health }
