import { shareRuns } from '../../scheduling/cache.ts'
import { type Sql, statement } from './db.ts'

/** What requests and workers write to. */
const tables = [
  'invoices',
  'invoice_numbers',
  'idempotency_keys',
  'events',
  'outbox',
  'budgets',
  'budget_reservations',
  'mandates',
  'purchases',
  'x402_payments',
  'transfers',
  'cursors',
  'delivery_batches',
  'receipts',
]
/** An answer that finds writes blocked again does not wait for the whole deadline. */
const blockedWaitMs = 2_000
/** However often they ask, callers cause few writes. */
const freshMs = 250

/**
 * Creates a check for the reason why writes fail or exceed their deadline; null while they succeed.
 * Concurrent checks share one write, which changes nothing.
 */
export function createWriteCheck(sql: Sql): () => Promise<string | null> {
  let problem: string | null = null
  let succeededMs = Number.NEGATIVE_INFINITY
  const check = shareRuns(async () => {
    problem = await commitNothing(sql).then(
      () => {
        succeededMs = performance.now()
        return null
      },
      () => 'writes to the database fail or take longer than their deadline',
    )
  })
  return async () => {
    if (problem === null && performance.now() - succeededMs < freshMs) return null
    await Promise.race([check(), ...(problem === null ? [] : [Bun.sleep(blockedWaitMs)])])
    return problem
  }
}

/**
 * Takes the locks of writes and commits a message in the write-ahead log, which waits for the disk
 * and for a synchronous standby as a write does.
 */
async function commitNothing(sql: Sql): Promise<void> {
  const locks = tables.map((table, at) => `locked_${at} as (delete from ${table} where false)`)
  await statement(
    sql,
  )`with ${sql.unsafe(locks.join(', '))} select pg_logical_emit_message(true, 'quittance', '')`
}
