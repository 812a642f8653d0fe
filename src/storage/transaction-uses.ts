import type { Network } from '../domain/network.ts'
import { array, type Sql, within } from './db.ts'

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

/** Those of the transactions that were x402 payments, or are being sent as such. */
export async function boughtBy(
  sql: Sql,
  network: Network,
  txHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await within(
    () => sql<{ txHash: string }[]>`select tx_hash as "txHash" from transaction_uses
      where chain = ${network} and tx_hash = any(${array(txHashes)}::text[]) and kind = 'x402'`,
  )
  return new Set(rows.map(({ txHash }) => txHash))
}

/** A condition on a row of `transfers`: that its transaction is one of these. */
export function hasBought(sql: Sql) {
  return sql`exists (
    select from transaction_uses as used where used.chain = transfers.chain and used.tx_hash = transfers.tx_hash and used.kind = 'x402'
  )`
}
