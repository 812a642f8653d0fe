import { beforeAll, expect, test } from 'bun:test'
import { receivedSince } from '../../../src/storage/settlement/balance-checks.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

beforeAll(async () => {
  // A wallet that everybody pays, and an address that was paid once, long ago.
  await database.sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    select 'base', int4send(n), 0, n, '', now(), '\\xaa', case n when 7 then '\\xcc' else '\\xbb'::bytea end, 2,
      case when n % 100 = 0 then 'reverted' else 'confirmed' end, 'unmatched', now()
    from generate_series(1, 20000) as n`
  await database.sql`vacuum analyze transfers`
})
test('what was received since each address agreed is summed without a look at what came before, however long ago another one agreed', async () => {
  const read = await rowsRead(database, 'transfers', async (sql) => {
    const since = [
      { address: '0xbb', block: 19_890 },
      { address: '0xcc', block: 6 },
      { address: '0xdd', block: 0 },
    ]
    const received = await receivedSince(sql, 'base', since, 19_990)
    expect([...received]).toEqual([
      ['0xbb', 2n * 99n],
      ['0xcc', 2n],
    ])
  })
  expect(read).toBeLessThan(200)
})
