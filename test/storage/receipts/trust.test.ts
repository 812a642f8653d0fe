import { describe, expect, setSystemTime, test } from 'bun:test'
import {
  areTrustSignalsDue,
  findTrustSignals,
  rebuildTrustSignals,
} from '../../../src/storage/receipts/trust.ts'
import { addTotals } from '../../support/totals.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })

describe('trust signals', () => {
  test('are none before they were counted, and then of that night until the next; receipts and mandates are the final ones on chain', async () => {
    expect(await findTrustSignals(db.sql)).toBeNull()
    const none = { receiptsIssued: 0, mandatesAnchored: 0, invoicesSettled: 0 }
    const first = await rebuildTrustSignals(db.sql)
    expect(first).toEqual({ generatedAt: expect.any(String), metrics: none, anchors: [] })
    await someHistory()
    expect(await findTrustSignals(db.sql)).toEqual(first)
    const next = await rebuildTrustSignals(db.sql)
    const metrics = { receiptsIssued: 11, mandatesAnchored: 2, invoicesSettled: 5 }
    const by = { chainId: 8453, contract: '0xc0' }
    const anchors = [
      { ...by, sender: '0x0b', blockNumber: 5, receipts: 5, mandates: 2 },
      { ...by, sender: '0x0a', blockNumber: 11, receipts: 6, mandates: 1 },
    ]
    expect(next).toEqual({ generatedAt: expect.any(String), metrics, anchors })
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
 * Of sender 0x0a, final: batches of 4 and of 3, one receipt revoked, two states of a mandate; a
 * batch in a block that another transaction may share, which is not final; and one that is not
 * mined. Of 0x0b, all final: a batch of 5, and two mandates, of which one is the same. Five settled
 * invoices of two accounts.
 */
async function someHistory(): Promise<void> {
  const { sql } = db
  await sql`
    with made (sender, nonce, state, block) as (values ('\\x0a'::bytea, 0, 'deep', 10), ('\\x0a'::bytea, 1, 'deep', 11), ('\\x0a'::bytea, 2, 'failed', null),
      ('\\x0a'::bytea, 3, 'deep', 12), ('\\x0a'::bytea, 4, 'mined', 12), ('\\x0a'::bytea, 5, 'signed', null), ('\\x0b'::bytea, 0, 'deep', 5)),
    transactions as (
      insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes, max_fee_per_gas,
        max_priority_fee_per_gas, block_number, created_at, updated_at)
      select gen_random_uuid(), 8453, sender, '\\xc0', nonce, state, '{}', '', 1, 1, block, now(), now() from made
      returning *
    )
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, transaction_id, chain_id, contract, block_number,
      created_at, updated_at)
    select gen_random_uuid(), kind, gen_random_uuid(), 0, hash, label, case when block_number is null then 'sent' else 'anchored' end,
      id, 8453, '\\xc0', block_number, now(), now()
    from transactions join (values
      ('\\x0a'::bytea, 0, 'batch', '\\x01'::bytea, '4'), ('\\x0a'::bytea, 0, 'mandate', '\\x02'::bytea, 'proposed'), ('\\x0a'::bytea, 1, 'mandate', '\\x02'::bytea, 'expired'),
      ('\\x0a'::bytea, 1, 'batch', '\\x03'::bytea, '3'), ('\\x0a'::bytea, 1, 'revocation', '\\x04'::bytea, ''), ('\\x0a'::bytea, 3, 'batch', '\\x05'::bytea, '9'),
      ('\\x0a'::bytea, 4, 'revocation', '\\x06'::bytea, ''), ('\\x0a'::bytea, 5, 'batch', '\\x07'::bytea, '9'),
      ('\\x0b'::bytea, 0, 'batch', '\\x08'::bytea, '5'), ('\\x0b'::bytea, 0, 'mandate', '\\x02'::bytea, 'proposed'), ('\\x0b'::bytea, 0, 'mandate', '\\x09'::bytea, 'proposed')
    ) as event (sender, nonce, kind, hash, label) using (sender, nonce)`
  await addTotals(sql, { count: 3 })
  await addTotals(sql, { currency: 'USD', country: 'US', rateBasisPoints: 0, count: 2 })
  await addTotals(sql, { kind: 'credit' })
}
