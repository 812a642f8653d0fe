import { eventually } from '../support/wait.ts'
import type { Stage } from './stage.ts'

const patienceMs = 600_000

/** How long it takes from now until base is read up to this block, and what it holds counts as confirmed. */
export async function timeUntilRead({ topology }: Stage, block: number): Promise<number> {
  const startedMs = performance.now()
  const isRead = async () => {
    const rows = await topology.sql`
      select from cursors where chain = 'base' and next_block > ${block}`
    return rows.length === 1
  }
  await eventually(isRead, patienceMs)
  return performance.now() - startedMs
}
