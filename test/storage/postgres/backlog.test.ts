import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readBacklog } from '../../../src/storage/postgres/backlog.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { markUsed } from '../../../src/storage/settlement/uses.ts'
import { updateWebhook } from '../../../src/storage/webhooks/webhooks.ts'
import { anAccount, aWebhook } from '../../support/webhooks.ts'
import { useWorld } from '../../support/world.ts'

const hourMs = 3_600_000
// What is not read in time is null, which would tell of the machine's load only.
const limitMs = 30_000

const { database } = useWorld({ service: 'none' })
let sql: Sql

beforeAll(async () => {
  // One connection: statistics are per connection until it reports them.
  sql = connect(database.url, { max: 1, name: 'test' })
  await sql`
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    select gen_random_uuid(), 'batch', n::text, 0, '', '1',
      case n when 1 then 'pending' when 2 then 'sent' else 'anchored' end, now() - n * interval '1 hour', now()
    from generate_series(1, 20000) as n`
  await sql`
    insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at, revoked_at, batch_id, batch_index)
    select 'drs_' || n, gen_random_uuid(), 'settlement', gen_random_uuid(), '', '[]', '', now() - n * interval '1 hour',
      case when n = 2 then now() end, case when n > 2 then gen_random_uuid() end, 0
    from generate_series(1, 20000) as n`
  await sql`vacuum analyze anchors, receipts`
  // Nothing accounts for the newest two; the third was taken back, the others are sales.
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    select 'base', int4send(n), 0, n, '', now(), '\\xaa', '\\xbb', n, case n when 3 then 'reverted' else 'confirmed' end, 'unmatched',
      now() - n * interval '1 hour'
    from generate_series(1, 20000) as n`
  await sql`
    insert into transfer_uses (chain, tx_hash, position, kind, account_id, subject_id)
    select chain, tx_hash, position, 'sale', gen_random_uuid(), gen_random_uuid() from transfers where block_number > 3`
  await sql`vacuum analyze transfers, transfer_uses`
})
afterAll(async () => {
  await sql.end()
})

test('what waits to be anchored is counted without reading what is anchored', async () => {
  const before = await wholeReads()
  const { anchors } = await readBacklog(sql, limitMs)
  // Two events, and a receipt that has no place in a batch.
  expect(anchors?.count).toBe(3)
  expect(anchors?.oldestAgeMs).toBeWithin(2 * hourMs, 3 * hourMs)
  expect(await wholeReads()).toBe(before)
})

test('held is what neither an invoice nor a sale accounts for, found without reading the sales once they are marked', async () => {
  const held = { count: 2, oldestAgeMs: expect.closeTo(2 * hourMs, -5) }
  expect((await readBacklog(sql, limitMs)).heldTransfers).toEqual(held)
  await markUsed(sql)
  await sql`vacuum analyze transfers`
  const before = await transfersRead()
  expect((await readBacklog(sql, limitMs)).heldTransfers).toEqual(held)
  expect((await transfersRead()) - before).toBeLessThan(100)
})

test('what is due is counted where it can be delivered: not to a webhook that is paused', async () => {
  const account = await anAccount(sql)
  const [one, paused] = [await aWebhook(sql, account), await aWebhook(sql, account)]
  for (const [{ id }, hours] of [[one, 2] as const, [paused, 50] as const])
    await sql`
      insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, due_at)
      values (${id}, '{0}', array[gen_random_uuid()], '{1}', now(), now() - ${hours} * interval '1 hour')`
  await updateWebhook(
    sql,
    account,
    paused.id,
    { url: null, events: null, active: false },
    new Date(),
  )
  const { deliveries } = await readBacklog(sql, limitMs)
  expect(deliveries).toEqual({ count: 1, oldestAgeMs: expect.closeTo(2 * hourMs, -5) })
  await sql`truncate delivery_batches`
})

test('a part that cannot be read takes no other with it', async () => {
  await sql`alter table outbox rename to elsewhere`
  const nothing = { count: 0, oldestAgeMs: 0 }
  expect(await readBacklog(sql, limitMs)).toEqual({
    outbox: null,
    deliveries: nothing,
    anchors: { count: 3, oldestAgeMs: expect.any(Number) },
    heldTransfers: { count: 2, oldestAgeMs: expect.any(Number) },
  })
})

async function wholeReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ scans: number }[]>`
    select sum(seq_scan)::integer as scans from pg_stat_user_tables where relname in ('anchors', 'receipts')`
  return row?.scans ?? Number.NaN
}

async function transfersRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ read: number }[]>`
    select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'transfers'`
  return row?.read ?? Number.NaN
}
