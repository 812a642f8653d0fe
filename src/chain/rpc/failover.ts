import { ChainError, type ChainFault, OutOfTime } from '../chain.ts'
import { type Deadline, deadlineIn, deadlineMs, halfWayTo } from './deadline.ts'
import { TooFast } from './fault.ts'
import {
  afterAnswer,
  afterFailure,
  type Health,
  healthy,
  inAskingOrder,
  inTurn,
  isNodeFault,
} from './health.ts'
import type { NamedNode } from './proven.ts'

/** Called with the fault when a node starts to fail or lag, and with null when it recovers. */
export type NodeWatch = (node: { readonly host: string; readonly fault: ChainFault | null }) => void

type About = {
  readonly kind?: string
  readonly turn?: number | undefined
  readonly mayAskLess?: boolean
}

export function createFailover(named: readonly NamedNode[], onNode: NodeWatch = () => {}) {
  const nodes = named.map((node): KeptNode => ({ node, health: healthy, needsAllTime: new Set() }))

  /**
   * Has one conversation with one node, and starts it anew at the next node where it fails. A node
   * gets half of the time, unless no healthy one follows or half was too short last time.
   * `mayAskLess`: a refused range is reported at once.
   */
  async function atOneNode<Result>(
    converse: (node: NamedNode, deadline: Deadline) => Promise<Result>,
    deadline = deadlineIn(deadlineMs),
    { kind = 'other', turn = 0, mayAskLess = false }: About = {},
  ): Promise<Result> {
    let first: ChainError | undefined
    const cutShort: KeptNode[] = []
    const willing = [...inAskingOrder(inTurn(nodes, turn), performance.now())]
    if (willing.length === 0)
      throw new ChainError('rate_limited', 'every node has asked to be left alone for a while')
    for (const [at, kept] of willing.entries()) {
      if (deadline.aborted) break
      const askedAtMs = performance.now()
      const isLast = willing.slice(at + 1).every((one) => one.health.restsUntilMs > askedAtMs)
      const until = isLast || kept.needsAllTime.delete(kind) ? deadline : halfWayTo(deadline)
      const hadAllTime = !isLast && until === deadline
      try {
        const result = await converse(kept.node, until)
        if (hadAllTime) kept.needsAllTime.add(kind)
        update(kept, afterAnswer(kept.health, kind, performance.now()))
        return result
      } catch (thrown) {
        const error = asChainError(thrown)
        if (until.aborted && !deadline.aborted) cutShort.push(kept)
        if (error.fault === 'range_refused' && mayAskLess) throw error
        if (deadline.aborted && first === undefined) break
        first ??= error
        const isTooFast = error instanceof TooFast
        // Asked again after the others, at the pace it accepts.
        if (isTooFast) willing.push(kept)
        if (!isNodeFault(error) || (isTooFast && nodes.length === 1)) continue
        const at = { kind, askedAtMs, nowMs: performance.now(), random: Math.random() }
        update(kept, afterFailure(kept.health, error, at))
      }
    }
    for (const kept of cutShort) kept.needsAllTime.add(kind)
    throw first ?? new OutOfTime()
  }

  function update(kept: KeptNode, health: Health): void {
    const hasTurned = kept.health.fault !== health.fault
    kept.health = health
    if (hasTurned) onNode({ host: kept.node.host, fault: health.fault })
  }

  return atOneNode
}

export function asChainError(thrown: unknown): ChainError {
  if (thrown instanceof ChainError) return thrown
  return new ChainError('invalid_answer', `the answer cannot be read: ${thrown}`)
}

type KeptNode = {
  readonly node: NamedNode
  health: Health
  /** Kinds of conversation for which half of the time was too short at every node. */
  readonly needsAllTime: Set<string>
}
