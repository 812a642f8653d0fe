import type { Network } from '../domain/network.ts'
import { array, type Sql } from './db.ts'

/**
 * The part of a statement that notes of transactions that they pay invoices; a row for each that pays, or paid, nothing else. Text hashes in
 * order, so that two statements wait for each other in the same one.
 */
export function payInvoices(sql: Sql, chain: Network, txHashes: readonly string[]) {
  return sql`
    insert into transaction_uses (chain, tx_hash, kind)
    select ${chain}, tx_hash, 'invoice' from unnest(${array(txHashes.toSorted())}::text[]) as paying (tx_hash)
    on conflict (chain, tx_hash) do update set kind = excluded.kind where transaction_uses.kind = excluded.kind
    returning 1`
}
