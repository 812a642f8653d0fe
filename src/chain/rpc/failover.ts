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

/** Called when a node starts to fail or to lag, with the fault, and with null when it recovers. */
export type NodeWatch = (node: { readonly host: string; readonly fault: ChainFault | null }) => void

type About = {
  readonly kind?: string
  readonly turn?: number | undefined
  readonly mayAskLess?: boolean
}

/** Creates what asks one of several nodes, and the next one where that fails. */
export function createFailover(named: readonly NamedNode[], onNode: NodeWatch = () => {}) {
  const nodes = named.map((node): KeptNode => ({ node, health: healthy, needsAllTime: new Set() }))

  /**
   * The result of a conversation of several questions, all with one node; where it fails, it starts
   * anew with the next node. It starts with the first node, or the one `turn` places after it;
   * failed nodes start fewer of their turns. A node that failed a `kind` of conversation is healthy
   * again once it completes one. `converse` gets a deadline of its own: half of the time is left
   * for other healthy nodes, unless none of them completed this kind last time either. With
   * `mayAskLess` a refused range is reported at once; otherwise the next node is tried.
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
      // A slow node may answer each question in time, and yet not all of them.
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
        // It is asked again after the others, at the pace that it takes.
        if (isTooFast) willing.push(kept)
        if (!isNodeFault(error) || (isTooFast && nodes.length === 1)) continue
        const at = { kind, askedAtMs, nowMs: performance.now(), random: Math.random() }
        update(kept, afterFailure(kept.health, error, at))
      }
    }
    for (const kept of cutShort) kept.needsAllTime.add(kind)
    // There is time for one question at one node, so the range holds too much.
    throw first ?? new OutOfTime()
  }

  function update(kept: KeptNode, health: Health): void {
    const hasTurned = kept.health.fault !== health.fault
    kept.health = health
    if (hasTurned) onNode({ host: kept.node.host, fault: health.fault })
  }

  return atOneNode
}

/** Anything thrown, as a `ChainError`; another error means that an answer could not be read. */
export function asChainError(thrown: unknown): ChainError {
  if (thrown instanceof ChainError) return thrown
  return new ChainError('invalid_answer', `the answer cannot be read: ${thrown}`)
}

type KeptNode = {
  readonly node: NamedNode
  health: Health
  /** Kinds of conversation that half of the time was too short for, at this and all other nodes. */
  readonly needsAllTime: Set<string>
}
