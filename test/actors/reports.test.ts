import { expect, test } from 'bun:test'
import { createReports } from '../../src/actors/reports.ts'
import { builtIn } from '../../src/domain/money/tax-rates.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

test('missing figures are counted once for all concurrent callers', async () => {
  const { trustSignals } = createReports({
    sql: db.sql,
    taxTable: builtIn,
    now: () => new Date(),
    steadyMs: () => performance.now(),
  })
  const asked = await db.sql.begin(async (sql) => {
    await sql`lock table anchors in access exclusive mode`
    const waiting = async () => {
      const rows = await sql`
        select from pg_locks join pg_database on oid = database
        where datname = current_database() and not granted`
      return rows.count
    }
    const answers = Promise.all([1, 2, 3, 4, 5].map(trustSignals))
    await eventually(async () => (await waiting()) > 0)
    await Bun.sleep(200)
    expect(await waiting()).toBe(1)
    return { answers }
  })
  expect(new Set(await asked.answers).size).toBe(1)
})
