import { afterAll, beforeAll, expect, test } from 'bun:test'
import { filledDeposits } from '../../../src/storage/invoices/payment-addresses.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'

const deposits = 2_000

let database: TestDatabase
let sql: Sql

/** Deposit addresses of which every other has received 3 and 4, and many transfers to a wallet. */
beforeAll(async () => {
  database = await testDatabase()
  // One connection: statistics are per connection until it reports them.
  sql = connect(database.url, { max: 1, name: 'test' })
  await sql`
    insert into payment_addresses (chain, address, invoice_id, derivation_index)
    select 'base', '0x' || n, gen_random_uuid(), n from generate_series(0, ${deposits - 1}) as n`
  await sql`insert into payment_addresses (chain, address) values ('base', '0xwallet')`
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    select 'base', '0x' || n, part, n, '0x', now(), '0xaa',
      case when n < ${deposits} then '0x' || n else '0xwallet' end, 3 + part,
      case when n = 6 then 'seen' when n = 8 and part = 1 then 'reverted' else 'confirmed' end, 'unmatched', now()
    from generate_series(0, 20000, 2) as n, generate_series(0, 1) as part`
  await sql`vacuum analyze transfers, payment_addresses`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('deposit addresses that received money are listed by their index, with the sum of what is confirmed', async () => {
  const found = await filledDeposits(sql, { from: 3, limit: 3 })
  expect(found).toEqual(
    [4, 8, 10].map((index) => ({
      index,
      chain: 'base',
      address: `0x${index}`,
      invoiceId: expect.any(String),
      receivedUsdcBase: index === 8 ? 3n : 7n,
    })),
  )
  expect(await filledDeposits(sql, { from: deposits - 3, limit: 50 })).toHaveLength(1)
})

test('a page of them reads the transfers to the addresses it looks at, however many there are', async () => {
  const before = await transfersRead()
  expect(await filledDeposits(sql, { from: 100, limit: 50 })).toHaveLength(50)
  expect((await transfersRead()) - before).toBe(100)
})

/** From the table, by whatever path. */
async function transfersRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`
  const [row] = await sql<{ read: number }[]>`
    select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_user_tables where relname = 'transfers'`
  return row?.read ?? 0
}
