import type { Network } from '../../src/domain/network.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'

/** As the first invoice paid there would; it is watched from now on. */
export async function rememberPaymentAddress(
  sql: Sql,
  chain: Network,
  address: string,
): Promise<void> {
  await sql`
    insert into payment_addresses (chain, address) values (${chain}, ${toBytes(address)}) on conflict do nothing`
}
