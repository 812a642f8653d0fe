import { describe, expect, setSystemTime, test } from 'bun:test'
import {
  areTrustSignalsDue,
  findTrustSignals,
  rebuildTrustSignals,
} from '../../../src/storage/settlement/trust.ts'
import { addTotals } from '../../support/totals.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

describe('trust signals', () => {
  test('are none before they were counted, and then of that night until the next', async () => {
    expect(await findTrustSignals(db.sql)).toBeNull()
    const none = { receiptsIssued: 0, mandatesAnchored: 0, invoicesSettled: 0 }
    const first = await rebuildTrustSignals(db.sql)
    expect(first).toEqual({ generatedAt: expect.any(String), metrics: none })
    await someHistory()
    expect(await findTrustSignals(db.sql)).toEqual(first)
    const next = await rebuildTrustSignals(db.sql)
    const metrics = { receiptsIssued: 2, mandatesAnchored: 1, invoicesSettled: 5 }
    expect(next).toEqual({ generatedAt: expect.any(String), metrics })
    expect(next.generatedAt >= first.generatedAt).toBe(true)
    expect(await findTrustSignals(db.sql)).toEqual(next)
  })

  test('are due where they were never counted and again from two o’clock UTC on, by PostgreSQL’s clock, and once counted no more', async () => {
    await earlyInAMinute()
    await db.sql`delete from trust_signals`
    expect(await areTrustSignalsDue(db.sql)).toBe(true)
    const hourMs = 3_600_000
    setSystemTime(new Date(Date.now() + 48 * hourMs))
    await rebuildTrustSignals(db.sql)
    setSystemTime()
    expect(await areTrustSignalsDue(db.sql)).toBe(false)
    const sinceTwoMs = (Date.now() - 2 * hourMs) % (24 * hourMs)
    for (const [ageMs, isDue] of [
      [Math.max(0, sinceTwoMs - 1_000), false],
      [sinceTwoMs + 60_000, true],
      [-hourMs, true],
    ] as const) {
      await db.sql`update trust_signals set generated_at = now() - ${ageMs} * interval '1 ms'`
      expect(await areTrustSignalsDue(db.sql)).toBe(isDue)
    }
    await rebuildTrustSignals(db.sql)
    expect(await areTrustSignalsDue(db.sql)).toBe(false)
  })
})

/**
 * Two receipts in force and one revoked; a mandate with two steps on chain and one with a pending
 * step; five settled invoices of two accounts.
 */
async function someHistory(): Promise<void> {
  const { sql } = db
  await sql`insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at, revoked_at)
    select 'drs_' || n, gen_random_uuid(), 'settlement', gen_random_uuid(), '', '[]', '', now(), case when n = 3 then now() end
    from generate_series(1, 3) as n`
  await sql`insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    select gen_random_uuid(), 'mandate', subject, sequence, '0x', 'x', state, now(), now()
    from (values ('mnd_1', 1, 'anchored'), ('mnd_1', 2, 'anchored'), ('mnd_2', 1, 'pending')) as row (subject, sequence, state)`
  await addTotals(sql, { count: 3 })
  await addTotals(sql, { currency: 'USD', country: 'US', rateBasisPoints: 0, count: 2 })
  await addTotals(sql, { kind: 'credit' })
}
