import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { listTransfers } from '../../../src/storage/settlement/transfer-lists.ts'
import { claimSettled } from '../../../src/storage/x402/payments.ts'
import { newClaim } from '../../support/paywall.ts'
import { rowsRead as rowsReadBy } from '../../support/rows-read.ts'
import { useWorld } from '../../support/world.ts'

const count = 20_000

const { database } = useWorld({ service: 'none' })
let sql: Sql

beforeAll(async () => {
  // One connection: statistics are per connection until it reports them.
  sql = connect(database.url, { max: 1, name: 'test' })
  // The count of all rows might use the same index, which would hide how much a page reads.
  await sql`set enable_indexonlyscan = off`
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    select 'base', int4send(n), 0, n, '', now(), '\\xaa', '\\xbb', n, 'confirmed', 'unmatched',
      timestamptz '2026-01-01' + (n / 20) * interval '1 second'
    from generate_series(1, ${count}) as n`
  await sql`vacuum analyze transfers`
})
afterAll(async () => {
  await sql.end()
})

test.each([0, 5_000])(
  'a page behind %i transfers is read in the order of their age, and nothing is read and sorted beyond it',
  async (offset) => {
    const before = await rowsReadByAge()
    const query = { status: null, chain: null, after: null, limit: 50, offset }
    const { total, transfers } = await listTransfers(sql, query)
    expect([total, transfers.length]).toEqual([count, 50])
    expect(transfers[0]?.blockNumber).toBeWithin(count - offset - 20, count - offset + 1)
    expect((await rowsReadByAge()) - before).toBeWithin(50, offset + 500)
  },
)

test.each([{ chain: null }, { chain: 'base' }, { status: 'unmatched' }] as const)(
  'a total beyond what is counted is an estimate, for which no more is read: %o',
  async (filter) => {
    const query = { status: null, chain: null, after: null, limit: 1, offset: 0, ...filter }
    const before = await rowsRead()
    const { total } = await listTransfers(sql, query, 1_000)
    expect((await rowsRead()) - before).toBeLessThan(3_000)
    expect(total).toBeWithin(count * 0.9, count * 1.1)
    expect((await listTransfers(sql, query, count)).total).toBe(count)
  },
)

test('a page and its total have the time of one statement together', async () => {
  // Every reading of transfers lasts 600 ms.
  await sql`create schema slow`
  await sql`create view slow.transfers as select transfers.* from public.transfers, pg_sleep(0.6)`
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=slow,public')
  const slow = connect(url.href, { max: 1, name: 'slow' })
  const query = { status: null, chain: null, after: null, limit: 1, offset: 0 } as const
  try {
    expect((await listTransfers(slow, query)).total).toBe(count)
    await slow`set statement_timeout = '1s'`
    const refusal = await listTransfers(slow, query).catch((error) => error)
    expect(refusal).toMatchObject({ reason: 'unavailable' })
  } finally {
    await slow.end()
  }
})

test('a page behind the last transfer is empty, and tells their number', async () => {
  const query = { status: null, chain: null, after: null, limit: 1, offset: count } as const
  expect(await listTransfers(sql, query)).toEqual({ transfers: [], total: count, hasMore: false })
})

test('what something was sold for by x402 is not unmatched', async () => {
  const unmatched = { status: 'unmatched', chain: null, after: null, limit: 1, offset: 0 } as const
  const sale = { key: '0x1', network: 'base', payer: '0xaa', txHash: '0x00000001' } as const
  await claimSettled(sql, newClaim(sale), { txHash: sale.txHash, position: 0 })
  expect((await listTransfers(sql, unmatched)).total).toBe(count - 1)
  expect((await listTransfers(sql, { ...unmatched, status: null })).total).toBe(count)
})

test('what is unmatched is not searched for, one by one, in what was ever paid', async () => {
  await sql`
    insert into transfer_uses (chain, tx_hash, position, kind, account_id, subject_id)
    select 'base', int8send(n), 0, case when n <= 50 then 'sale' else 'invoice' end, gen_random_uuid(), gen_random_uuid() from generate_series(1, 50000) as n`
  await sql`vacuum analyze transfer_uses`
  const read = await rowsReadBy(database, 'transfer_uses', (sql) =>
    listTransfers(sql, { status: 'unmatched', chain: null, after: null, limit: 50, offset: 0 }),
  )
  expect(read).toBeLessThan(1_000)
})

/** From the table, by whatever path. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ read: number }[]>`
    select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'transfers'`
  return row?.read ?? 0
}

async function rowsReadByAge(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ read: number }[]>`
    select idx_tup_read::integer as read from pg_stat_user_indexes where indexrelname = 'transfers_age'`
  return row?.read ?? 0
}
