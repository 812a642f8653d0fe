import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readBacklog } from '../../src/storage/backlog.ts'
import { connect, type Sql } from '../../src/storage/db.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const hourMs = 3_600_000

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await testDatabase()
  // One connection: statistics are per connection until it reports them.
  sql = connect(database.url, { max: 1, name: 'test' })
  await sql`
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    select gen_random_uuid(), 'receipt', n::text, 1, '', '',
      case n when 1 then 'pending' when 2 then 'sent' else 'anchored' end, now() - n * interval '1 hour', now()
    from generate_series(1, 20000) as n`
  await sql`vacuum analyze anchors`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('what waits to be anchored is counted without reading what is anchored', async () => {
  const before = await wholeReads()
  const { anchors } = await readBacklog(sql, 2_000)
  expect(anchors?.count).toBe(2)
  expect(anchors?.oldestAgeMs).toBeWithin(2 * hourMs, 3 * hourMs)
  expect(await wholeReads()).toBe(before)
})

test('a part that cannot be read takes no other with it', async () => {
  await sql`alter table outbox rename to elsewhere`
  const nothing = { count: 0, oldestAgeMs: 0 }
  expect(await readBacklog(sql, 2_000)).toEqual({
    outbox: null,
    deliveries: nothing,
    anchors: { count: 2, oldestAgeMs: expect.any(Number) },
    heldTransfers: nothing,
  })
})

async function wholeReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ scans: number }[]>`
    select seq_scan::integer as scans from pg_stat_user_tables where relname = 'anchors'`
  return row?.scans ?? Number.NaN
}
