import type { Sql } from '../../src/storage/db.ts'

/**
 * Lets time pass for the budgets there are: all that has been counted was so much earlier, and so is the end of it. Whoever has a budget in
 * memory finds that it has changed.
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
