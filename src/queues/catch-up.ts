import type { Network } from '../domain/network.ts'
import type { Watcher } from './watch.ts'

/** A chain that is hours behind takes a while; people want to see it move. */
const tellEveryMs = 5_000

type ProgressLog = { info(line: object, message: string): void }

/** Steps until the chain's head is reached. Where that is more than one step away, the log tells how far it is. */
export async function catchUp(
  watcher: Watcher,
  { network, log, steadyMs }: { network: Network; log: ProgressLog; steadyMs: () => number },
): Promise<void> {
  const startedMs = steadyMs()
  let firstBlock: number | null = null
  let toldMs = Number.NEGATIVE_INFINITY
  for (;;) {
    const { isAdvancing, fromBlock, nextBlock, headBlock } = await watcher.step()
    if (!isAdvancing && firstBlock === null) return
    firstBlock ??= fromBlock
    const seconds = (steadyMs() - startedMs) / 1_000
    const blocks = nextBlock - firstBlock
    if (!isAdvancing) {
      log.info({ network, blocks, nextBlock, seconds: rounded(seconds) }, 'caught up')
      return
    }
    if (steadyMs() - toldMs < tellEveryMs) continue
    toldMs = steadyMs()
    const percent = Math.floor((100 * blocks) / (headBlock + 1 - firstBlock))
    const blocksPerSecond = Math.round(blocks / Math.max(seconds, 0.001))
    log.info({ network, nextBlock, headBlock, percent, blocksPerSecond }, 'catching up')
  }
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
