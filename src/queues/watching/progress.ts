import { ChainError } from '../../chain/chain.ts'
import type { Network } from '../../domain/network.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { noteWatch, type Watched } from '../../storage/settlement/chain-watches.ts'
import type { Watcher } from './watch.ts'

/** A chain makes many steps a second while catching up. */
const noteEveryMs = 1_000

/**
 * Stores the progress and faults of a watcher's steps; a failure to do so is ignored. The first
 * step that has caught up is always stored, as overdue invoices wait for it.
 */
export function notingProgress(
  { step }: Watcher,
  { sql, network, steadyMs }: { sql: Sql; network: Network; steadyMs: () => number },
): Watcher {
  let noted: { fault: string | null; isCaughtUp: boolean; atMs: number } | null = null

  async function note(watched: Watched): Promise<void> {
    const { fault = null, caughtUpAt = null } = watched
    const isCaughtUp = caughtUpAt !== null
    const isNews = noted?.fault !== fault || (isCaughtUp && !noted.isCaughtUp)
    if (noted && !isNews && steadyMs() - noted.atMs < noteEveryMs) return
    noted = { fault, isCaughtUp, atMs: steadyMs() }
    await noteWatch(sql, network, watched).catch(() => {})
  }

  return {
    async step() {
      try {
        const stepped = await step()
        const { head, caughtUpAt, failure } = stepped
        const progress = { head, caughtUpAt }
        await note(failure === null ? progress : { ...progress, fault: faultOf(failure) })
        return stepped
      } catch (error) {
        await note({ fault: faultOf(error) })
        throw error
      }
    },
  }
}

function faultOf(error: unknown): string | null {
  return error instanceof ChainError ? error.fault : null
}
