import { beforeAll, expect, test } from 'bun:test'
import { filledDeposits } from '../../../src/storage/invoices/payment-addresses.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { useWorld } from '../../support/world.ts'

const deposits = 2_000

const { database, sql } = useWorld({ service: 'none' })

/** Deposit addresses of which every other has received 3 and 4, and many transfers to a wallet. */
beforeAll(async () => {
  await sql`
    insert into payment_addresses (chain, address, invoice_id, derivation_index)
    select 'base', int4send(n), gen_random_uuid(), n from generate_series(0, ${deposits - 1}) as n`
  await sql`insert into payment_addresses (chain, address) values ('base', '\\xaa')`
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    select 'base', int4send(n), part, n, '', now(), '\\xaa',
      case when n < ${deposits} then int4send(n) else '\\xaa' end, 3 + part,
      case when n = 6 then 'seen' when n = 8 and part = 1 then 'reverted' else 'confirmed' end, 'unmatched', now()
    from generate_series(0, 20000, 2) as n, generate_series(0, 1) as part`
  await sql`vacuum analyze transfers, payment_addresses`
})
test('deposit addresses that received money are listed by their index, with the sum of what is confirmed', async () => {
  const found = await filledDeposits(sql, { from: 3, limit: 3 })
  expect(found).toEqual(
    [4, 8, 10].map((index) => ({
      index,
      chain: 'base',
      address: `0x${index.toString(16).padStart(8, '0')}`,
      invoiceId: expect.any(String),
      receivedUsdcBase: index === 8 ? 3n : 7n,
    })),
  )
  expect(await filledDeposits(sql, { from: deposits - 3, limit: 50 })).toHaveLength(1)
})

test('a page of them reads the transfers to the addresses it looks at, however many there are', async () => {
  const read = await rowsRead(database, 'transfers', async (sql) => {
    expect(await filledDeposits(sql, { from: 100, limit: 50 })).toHaveLength(50)
  })
  expect(read).toBeLessThan(250)
})
