import { eventually } from '../support/wait.ts'
import type { Stage } from './stage.ts'

const patienceMs = 600_000

/**
 * The milliseconds from now until base is read up to `block` and payments there count as confirmed.
 */
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
