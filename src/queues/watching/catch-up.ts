import { ChainError } from '../../chain/chain.ts'
import type { Network } from '../../domain/network.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { noteWatch, type Watched } from '../../storage/settlement/chain-watches.ts'
import type { Stepped, Watcher } from './watch.ts'

const logEveryMs = 5_000

type ProgressLog = { info(line: object, message: string): void }

type Options = {
  readonly network: Network
  readonly log: ProgressLog
  readonly steadyMs: () => number
  /** Called at the chain's head. */
  readonly onCaughtUp?: () => Promise<void>
}

/**
 * Runs steps until the chain's head is reached, and logs progress if that takes more than one.
 * Errors: those of a step and of `onCaughtUp`, then the first `failure` of a committed step.
 */
export function createCatchUp(
  watcher: Watcher,
  { network, log, steadyMs, onCaughtUp }: Options,
): () => Promise<void> {
  let run: { readonly fromBlock: number; readonly sinceMs: number; loggedMs: number } | null = null

  function logProgress({ isAdvancing, fromBlock, nextBlock, head }: Stepped): void {
    const nowMs = steadyMs()
    if (run === null && !isAdvancing) return
    run ??= { fromBlock, sinceMs: nowMs, loggedMs: Number.NEGATIVE_INFINITY }
    const blocks = nextBlock - run.fromBlock
    if (!isAdvancing) {
      const seconds = Math.round((nowMs - run.sinceMs) / 1_000)
      log.info({ network, blocks, seconds, nextBlock }, 'caught up')
      run = null
    } else if (nowMs - run.loggedMs >= logEveryMs) {
      const percent = Math.floor((100 * blocks) / (head.number + 1 - run.fromBlock))
      log.info({ network, nextBlock, headBlock: head.number, percent }, 'catching up')
      run.loggedMs = nowMs
    }
  }

  return async () => {
    let failure: unknown = null
    for (let isAdvancing = true; isAdvancing; ) {
      const stepped = await watcher.step()
      logProgress(stepped)
      failure ??= stepped.failure
      isAdvancing = stepped.isAdvancing
    }
    await onCaughtUp?.()
    // Last: neither newer blocks nor purchases wait for old ones that may fail for long.
    if (failure !== null) throw failure
  }
}

/** A chain makes many steps a second while catching up. */
const noteEveryMs = 1_000

/**
 * Stores the progress and faults of a watcher's steps; a failure to do so is ignored. The first
 * step that has caught up is always stored, as overdue invoices wait for it.
 */
export function notingProgress(
  { step }: Watcher,
  {
    sql,
    network,
    steadyMs,
    notes = () => [],
  }: { sql: Sql; network: Network; steadyMs: () => number; notes?: () => readonly string[] },
): Watcher {
  let noted: { said: string; isCaughtUp: boolean; atMs: number } | null = null

  async function note(watched: Watched): Promise<void> {
    const { fault = null, caughtUpAt = null } = watched
    const isCaughtUp = caughtUpAt !== null
    const said = `${fault} ${notes().join()}`
    const isNews = noted?.said !== said || (isCaughtUp && !noted.isCaughtUp)
    if (noted && !isNews && steadyMs() - noted.atMs < noteEveryMs) return
    noted = { said, isCaughtUp, atMs: steadyMs() }
    await noteWatch(sql, network, watched, notes()).catch(() => {})
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
