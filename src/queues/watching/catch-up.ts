import type { Network } from '../../domain/network.ts'
import type { Stepped, Watcher } from './watch.ts'

/** How often progress is logged: catching up on hours takes a while, and operators watch it. */
const logEveryMs = 5_000

type ProgressLog = { info(line: object, message: string): void }

type Options = {
  readonly network: Network
  readonly log: ProgressLog
  readonly steadyMs: () => number
  /** Called each time that the head is reached. */
  readonly onCaughtUp?: () => Promise<void>
}

/**
 * Creates a function that runs steps until the chain's head is reached. If that takes more than one
 * step, progress is logged, across as many calls as it takes: a node may fail on the way. Errors:
 * those of a step and of `onCaughtUp`, and then the first failure of a step that was committed.
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
    // Last: old blocks may fail for long, and neither newer ones nor purchases wait for them.
    if (failure !== null) throw failure
  }
}
