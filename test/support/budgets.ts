import { type Budgets, createBudgets } from '../../src/actors/budgets.ts'
import { createOnce } from '../../src/actors/once.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'

/** The budget actors of a process, whose clock is `ahead.ms` ahead; `readSql` is for reads. */
export function budgetActors(sql: Sql, { ahead = { ms: 0 }, readSql = sql } = {}): Budgets {
  return createBudgets({
    sql: readSql,
    lanes: [sql, sql],
    metrics: { batches: (_, flush) => flush },
    live: { touched() {} },
    once: createOnce(sql),
    now: () => new Date(Date.now() + ahead.ms),
    newId: () => Bun.randomUUIDv7(),
  })
}

/**
 * Moves every budget `ms` milliseconds into the past. The row version rises, so a process that
 * holds the budget in memory notices.
 */
export async function passTime(sql: Sql, ms: number): Promise<void> {
  const time = sql`${ms} * interval '1 millisecond'`
  await sql`update budget_reservations set expires_at = expires_at - ${time}`
  for (const { account_id, agent_id, holds } of await sql`select * from budgets`) {
    const earlier = JSON.parse(holds).map((hold: { expiresAt: string }) => ({
      ...hold,
      expiresAt: new Date(Date.parse(hold.expiresAt) - ms).toISOString(),
    }))
    await sql`
      update budgets set version = version + 1, period_start = period_start - ${time}, period_end = period_end - ${time},
        holds = ${JSON.stringify(earlier)}
      where account_id = ${account_id} and agent_id = ${agent_id}`
  }
}
