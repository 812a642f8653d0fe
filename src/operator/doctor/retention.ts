import type { Config } from '../../config/config.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { oldestRows } from '../../storage/postgres/retention.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Pruning runs every ten minutes and has a backlog after a pause. */
const graceMs = 2 * hourMs
const timeoutMs = 3_000

export async function retentionFindings(config: Config, sql: Sql): Promise<readonly Finding[]> {
  const { deliveriesMs, idempotencyKeysMs } = await oldestRows(sql, timeoutMs)
  const { deliveriesKeptDays } = config
  return [
    idempotencyKeysMs !== null && idempotencyKeysMs > dayMs + graceMs
      ? problem(
          'retention of idempotency keys',
          `the oldest is ${Math.floor(idempotencyKeysMs / hourMs)} hours old; they should be kept for 24`,
          'is a worker running? Workers remove them',
        )
      : ok('retention of idempotency keys', '24 hours'),
    // Only a note: pending deliveries are kept, however old.
    deliveriesMs !== null && deliveriesMs > deliveriesKeptDays * dayMs + graceMs
      ? note(
          'retention of deliveries',
          `the oldest is ${Math.floor(deliveriesMs / dayMs)} days old; those not pending should be kept for ${deliveriesKeptDays}`,
        )
      : ok('retention of deliveries', `${deliveriesKeptDays} days`),
  ]
}
