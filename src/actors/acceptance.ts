import type { Network } from '../domain/network.ts'
import { shareRuns } from '../scheduling/cache.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { chainWatches } from '../storage/settlement/chain-watches.ts'

/** Whether payments on a chain would be seen: some process has read it in the last 5 minutes. */
export type Accepts = (chain: Network) => boolean

const readWithinMs = 300_000
const everyMs = 2_000

/** Judges by the database, which is read in the background: asking costs a caller nothing. */
export function createAcceptance(parts: {
  readonly sql: Sql
  readonly steadyMs: () => number
  readonly onFault: (error: unknown) => void
}) {
  const { sql, steadyMs, onFault } = parts
  let readAtMs: ReadonlyMap<Network, number> = new Map()
  const refresh = shareRuns(async () => {
    try {
      const watches = await chainWatches(sql, everyMs)
      readAtMs = new Map(
        watches.flatMap(({ chain, pollAgeMs }) =>
          pollAgeMs === null ? [] : [[chain, steadyMs() - pollAgeMs] as const],
        ),
      )
    } catch (error) {
      // What was read before grows old.
      onFault(error)
    }
  })
  const timer = setInterval(refresh, everyMs)
  void refresh()

  function accepts(chain: Network): boolean {
    const atMs = readAtMs.get(chain)
    return atMs !== undefined && steadyMs() - atMs < readWithinMs
  }

  return { accepts, close: () => clearInterval(timer) }
}
