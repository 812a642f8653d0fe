import type { Answer, Transfer } from '../../chain/chain.ts'

/** The transfers of blocks up to `to`, which `last` describes. */
export type BlocksRead = Answer & { readonly to: number }

/** Blocks before `from` were finished earlier; those up to `confirmedTo` are confirmed. */
type Limits = { readonly from: number; readonly confirmedTo: number }

/** What one statement writes in reasonable time, as a rule. A block is never divided. */
const mostTransfers = 2_000
/** After so many portions in a row a larger one is tried: the database may have been away. */
const portionsToGrow = 4

/** Divides what was read into portions that PostgreSQL can commit in time. */
export function createPortions() {
  let most = mostTransfers
  let inRow = 0

  /** The part to commit now, and what is left; null: nothing. */
  function split(
    read: BlocksRead,
    limits: Limits,
  ): { portion: BlocksRead; rest: BlocksRead | null } {
    const { transfers } = read
    if (transfers.length <= most) return { portion: read, rest: null }
    const ends = endsOf(transfers, limits)
    const end = ends.find((at) => at >= most) ?? ends.at(-1) ?? 0
    const last = transfers[end - 1]
    if (!last) return { portion: read, rest: null }
    const { blockNumber: number, blockHash: hash, blockTimeMs: timestampMs } = last
    const block = { number, hash, timestampMs }
    return {
      portion: { to: number, last: block, transfers: transfers.slice(0, end) },
      rest: { ...read, transfers: transfers.slice(end) },
    }
  }

  /** Records that a portion was committed and there is more. */
  function committed(): void {
    if (++inRow < portionsToGrow) return
    inRow = 0
    most = Math.min(mostTransfers, 2 * most)
  }

  /**
   * Makes portions smaller, as committing these transfers took too long. Returns whether they
   * cannot be divided.
   */
  function shrink(transfers: readonly Transfer[], limits: Limits): boolean {
    if (transfers.length < 2) return false
    inRow = 0
    most = Math.min(most, Math.ceil(transfers.length / 2))
    return endsOf(transfers, limits).length === 0
  }

  return { split, committed, shrink }
}

/**
 * Where transfers can be divided: between two blocks. Only confirmed blocks are split off: the next
 * step reads unconfirmed ones again anyway.
 */
function endsOf(transfers: readonly Transfer[], { from, confirmedTo }: Limits): readonly number[] {
  const ends = transfers.keys().filter((at) => {
    const before = transfers[at - 1]?.blockNumber ?? 0
    const isBetweenBlocks = before < (transfers[at]?.blockNumber ?? 0)
    return isBetweenBlocks && before >= from && before <= confirmedTo
  })
  return [...ends]
}
