import { addressKey, type Network } from '../../src/domain/network.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'

/**
 * Records a payment address as the first invoice paid there would, without an invoice: it is
 * watched from now on. Repeating it changes nothing.
 */
export async function rememberPaymentAddress(
  sql: Sql,
  chain: Network,
  address: string,
): Promise<void> {
  await sql`
    insert into payment_addresses (chain, address) values (${chain}, ${addressKey(address)}) on conflict do nothing`
}
