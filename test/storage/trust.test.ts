import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findTrustSignals, rebuildTrustSignals } from '../../src/storage/trust.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const firstNight = new Date('2026-05-01T02:00:00.000Z')
const nextNight = new Date('2026-05-02T02:00:00.000Z')

describe('trust signals', () => {
  test('are none before they were counted, and then of that night until the next', async () => {
    expect(await findTrustSignals(db.sql)).toBeNull()
    const none = { receiptsIssued: 0, mandatesAnchored: 0, invoicesSettled: 0 }
    const first = { generatedAt: firstNight.toISOString(), metrics: none }
    expect(await rebuildTrustSignals(db.sql, firstNight)).toEqual(first)
    await someHistory()
    expect(await findTrustSignals(db.sql)).toEqual(first)
    const next = {
      generatedAt: nextNight.toISOString(),
      metrics: { receiptsIssued: 2, mandatesAnchored: 1, invoicesSettled: 5 },
    }
    expect(await rebuildTrustSignals(db.sql, nextNight)).toEqual(next)
    expect(await findTrustSignals(db.sql)).toEqual(next)
  })
})

/**
 * Two receipts in force and one revoked; a mandate with two steps on chain and one with a pending
 * step; five settled invoices of two accounts.
 */
async function someHistory(): Promise<void> {
  const { sql } = db
  await sql`insert into receipts (id, account_id, kind, subject_id, preimage, hash, issued_at, revoked_at)
    select 'drs_' || n, gen_random_uuid(), 'settlement', gen_random_uuid(), '{}', '0x', now(), case when n = 3 then now() end
    from generate_series(1, 3) as n`
  await sql`insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    select gen_random_uuid(), 'mandate', subject, sequence, '0x', 'x', state, now(), now()
    from (values ('mnd_1', 1, 'anchored'), ('mnd_1', 2, 'anchored'), ('mnd_2', 1, 'pending')) as row (subject, sequence, state)`
  await sql`insert into tax_totals values (gen_random_uuid(), 'EUR', 2, 'DE', 1900, 3, 1000, 190),
    (gen_random_uuid(), 'USD', 2, 'US', 0, 2, 1000, 0)`
}
