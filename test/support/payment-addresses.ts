import { addressKey, type Network } from '../../src/domain/network.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'

/** As the first invoice paid there would; it is watched from now on. */
export async function rememberPaymentAddress(
  sql: Sql,
  chain: Network,
  address: string,
): Promise<void> {
  await sql`
    insert into payment_addresses (chain, address) values (${chain}, ${addressKey(address)}) on conflict do nothing`
}
