import type { Answer, BlockRange, Chain, ReadOptions, Recipients } from '../../chain/chain.ts'
import { createRangeReader } from '../../chain/rpc/ranges.ts'
import { registry } from '../../domain/registry.ts'
import type { Cursor } from '../../storage/settlement/cursors.ts'
import { refuseMovedChain } from './checkpoints.ts'

export type Question = { readonly recipients: Recipients } & ReadOptions

type Rescanned = { readonly answers: readonly Answer[]; readonly failure: unknown }

const everyMs = 30_000
/** After one that was not committed; doubles each time. */
const firstRetryMs = 1_000

/**
 * Reads the last `rereadBlocks` blocks again now and then, each time from another URL: what a node
 * leaves out it may leave out for long.
 */
export function createRescans({
  chain,
  maxRangeBlocks,
  steadyMs,
}: {
  readonly chain: Chain
  readonly maxRangeBlocks: number
  readonly steadyMs: () => number
}) {
  /** One for each URL, as their limits may differ. */
  const readers = Array.from({ length: chain.urls }, () => rangesOf(chain, maxRangeBlocks))
  let dueMs = Number.NEGATIVE_INFINITY
  let retryMs = firstRetryMs
  let turn = 0

  function startIfDue(): boolean {
    const isDue = steadyMs() >= dueMs
    if (isDue) turn++
    return isDue
  }

  /**
   * Until it is committed it is due again soon, since another worker may be faster, but ever later:
   * a node that fails at it must not hold up newer blocks.
   */
  function ended(): void {
    dueMs = steadyMs() + retryMs
    retryMs = Math.min(everyMs, 2 * retryMs)
  }

  function committed(): void {
    dueMs = steadyMs() + everyMs
    retryMs = firstRetryMs
  }

  function startOf({ checkpoints }: Cursor, from: number): number {
    const firstRead = checkpoints[0]?.number ?? from
    return Math.min(from, Math.max(firstRead, from - registry[chain.network].rereadBlocks))
  }

  /** No answers where a part failed: newer blocks must not wait for what may fail for long. */
  async function read(range: BlockRange, question: Question): Promise<Rescanned> {
    if (range.to < range.from) return { answers: [], failure: null }
    try {
      const reader = readers[turn % chain.urls] as (typeof readers)[number]
      const { answers, failure } = await reader.read(range, { ...question, turn })
      if (failure !== null) throw failure
      // Each may come from another node, which follows a branch that the chain has left.
      const checked = chain.urls > 1 ? answers : answers.slice(-1)
      for (const { last } of checked) await refuseMovedChain(chain, last)
      return { answers, failure: null }
    } catch (failure) {
      return { answers: [], failure }
    }
  }

  return { startIfDue, ended, committed, startOf, read }
}

export function rangesOf(chain: Chain, maxRangeBlocks: number) {
  const ask = (range: BlockRange, { recipients, ...look }: Question) =>
    chain.transfers(range, recipients, look)
  return createRangeReader(ask, maxRangeBlocks)
}
