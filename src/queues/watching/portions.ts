import type { Answer, Transfer } from '../../chain/chain.ts'

/** `last` describes block `to`. */
export type BlocksRead = Answer & { readonly to: number }

/** Blocks before `from` are finished. */
type Limits = { readonly from: number; readonly confirmedTo: number }

/** What one statement writes in reasonable time. A block is never divided. */
const mostTransfers = 2_000
/** Then larger ones are tried: the database may have been away. */
const portionsToGrow = 4

export function createPortions() {
  let most = mostTransfers
  let inRow = 0

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

  /** To be called when a portion was committed and there is more. */
  function committed(): void {
    if (++inRow < portionsToGrow) return
    inRow = 0
    most = Math.min(mostTransfers, 2 * most)
  }

  /** Committing these transfers took too long. True: they cannot be divided. */
  function shrink(transfers: readonly Transfer[], limits: Limits): boolean {
    if (transfers.length < 2) return false
    inRow = 0
    most = Math.min(most, Math.ceil(transfers.length / 2))
    return endsOf(transfers, limits).length === 0
  }

  return { split, committed, shrink }
}

/** Between two confirmed blocks: the next step reads unconfirmed ones again anyway. */
function endsOf(transfers: readonly Transfer[], { from, confirmedTo }: Limits): readonly number[] {
  const ends = transfers.keys().filter((at) => {
    const before = transfers[at - 1]?.blockNumber ?? 0
    const isBetweenBlocks = before < (transfers[at]?.blockNumber ?? 0)
    return isBetweenBlocks && before >= from && before <= confirmedTo
  })
  return [...ends]
}
