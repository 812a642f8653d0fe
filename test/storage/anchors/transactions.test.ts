import { expect, test } from 'bun:test'
import { open } from '../../../src/storage/anchors/transactions.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })

test('of transactions that the chain has lost, the next hundred are looked after, besides all that are not deep', async () => {
  const sender = { chainId: 8453, address: '0xaa' }
  await database.sql`
    insert into anchor_transactions (id, chain_id, sender, contract, nonce, state, tx_hashes, signed_bytes, max_fee_per_gas,
      max_priority_fee_per_gas, created_at, updated_at, block_number, block_hash)
    select gen_random_uuid(), ${sender.chainId}, '\\xaa', '\\xcc', nonce,
      case nonce when 400 then 'mined' when 401 then 'broadcast' else 'deep' end,
      array[int8send(nonce)], '', 1, 1, now(), now(), nonce, int8send(nonce)
    from generate_series(0, 401) as nonce`
  const nonces = async (chainNonce: number) =>
    (await open(database.sql, sender, chainNonce)).map(({ nonce }) => nonce)
  const lost = Array.from({ length: 100 }, (_, at) => 50 + at)
  expect(await nonces(50)).toEqual([...lost, 400, 401])
  expect(await nonces(398)).toEqual([398, 399, 400, 401])
  expect(await nonces(401)).toEqual([400, 401])
})
