import type { Network } from '../../domain/network.ts'
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
