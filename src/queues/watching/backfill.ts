import { type BlockRange, ChainError } from '../../chain/chain.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { loadCursor } from '../../storage/settlement/cursors.ts'
import { createWatcher, type WatcherOptions } from './watch.ts'

export type RangeRead = {
  readonly nextBlock: number
  /** The blocks of transfers new to the record. A step may read beyond the range. */
  readonly foundInBlocks: readonly number[]
  readonly changedInvoiceIds: ReadonlySet<string>
}

const mostFailures = 5
const restMs = 500

/**
 * Reads a range of blocks with a cursor of its own, any number of times, beside a running watcher.
 * Ends early where the chain ends or blocks take long to confirm. `onProgress` gets the next block
 * to read. Errors: `ChainError` when the nodes fail five times in a row.
 */
export async function readRange(
  sql: Sql,
  cursorName: string,
  range: BlockRange,
  options: Omit<WatcherOptions, 'sql' | 'cursorName' | 'startBlock' | 'onReread'>,
  onProgress: (nextBlock: number) => void = () => {},
): Promise<RangeRead> {
  const foundInBlocks: number[] = []
  const changedInvoiceIds = new Set<string>()
  const watcher = createWatcher({
    ...options,
    sql,
    cursorName,
    startBlock: range.from,
    onReread: async () => {},
    onCommitted(step) {
      foundInBlocks.push(...step.inserted.map(({ blockNumber }) => blockNumber))
      for (const { after } of step.changes) changedInvoiceIds.add(after.id)
      options.onCommitted(step)
    },
  })
  const reached = async () => (await loadCursor(sql, cursorName))?.nextBlock ?? range.from
  let nextBlock = await reached()
  for (let failures = 0; nextBlock <= range.to && failures < mostFailures; ) {
    onProgress(nextBlock)
    const stepped = await watcher.step().catch(onlyChainError)
    const before = nextBlock
    nextBlock = await reached()
    failures = nextBlock > before ? 0 : failures + 1
    if (stepped instanceof ChainError) {
      if (failures === mostFailures) throw stepped
    } else if (failures === 0 && !stepped.isAdvancing && stepped.head.number < range.to) break
    if (failures > 0) await Bun.sleep(restMs * failures)
  }
  onProgress(Math.min(nextBlock, range.to + 1))
  return { nextBlock, foundInBlocks, changedInvoiceIds }
}

function onlyChainError(error: unknown): ChainError {
  if (error instanceof ChainError) return error
  throw error
}
