import type { Network } from '../../domain/network.ts'
import { type Sent, sentKey } from '../../domain/x402/traces.ts'
import { type InBytes, inText, toBytes } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import { type Columns, rowsOf } from '../postgres/rows.ts'

/**
 * The parts of transactions that can each be used for one thing only: what one sender sent in a
 * transaction; on Solana all of it, because every signer agrees to all of it. Sorted against
 * deadlocks.
 */
export function partsOf(chain: Network, sent: readonly Sent[]): readonly Sent[] {
  const parts = sent.map(({ txHash, from }) => ({ txHash, from: chain === 'solana' ? '' : from }))
  const byKey = new Map(parts.map((part) => [sentKey(part), part]))
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part)
}

/**
 * Records that parts of transactions pay invoices. Returns a row for each part that has no other
 * use.
 */
export function payInvoices(sql: Sql, chain: Network, parts: readonly Sent[]) {
  return sql`
    insert into transaction_uses (chain, tx_hash, from_address, kind)
    select ${chain}, tx_hash, from_address, 'invoice' from ${payingRows(sql, parts)}
    on conflict (chain, tx_hash, from_address) do update set kind = excluded.kind where transaction_uses.kind = excluded.kind
    returning 1`
}

/** The keys of parts that were x402 payments or are being sent as such. */
export async function usedForX402(
  sql: Sql,
  chain: Network,
  sent: readonly Sent[],
): Promise<ReadonlySet<string>> {
  const rows = await statement<InBytes<Sent, 'txHash' | 'from'>[]>(sql)`
    select paying.tx_hash as "txHash", paying.from_address as "from" from ${payingRows(sql, sent)}
    join transaction_uses as used on used.tx_hash = paying.tx_hash
      and used.from_address = ${senderOn(sql, sql`used.chain`, sql`paying.from_address`)}
    where used.chain = ${chain} and used.kind = 'x402'`
  return new Set(rows.map((row) => sentKey(inText(chain, row, 'txHash', 'from'))))
}

function isUsedForX402(sql: Sql) {
  return sql`exists (
    select from transaction_uses as used where used.chain = transfers.chain and used.tx_hash = transfers.tx_hash
      and used.from_address = ${senderOn(sql, sql`transfers.chain`, sql`transfers.from_address`)} and used.kind = 'x402'
  )`
}

/** Whether neither an invoice nor an x402 sale accounts for a row of `transfers`. */
export function isUnexplained(sql: Sql) {
  return sql`held_as is not null and not is_sale and state <> 'reverted' and not ${isUsedForX402(sql)}`
}

/**
 * Marks confirmed transfers that were x402 payments, so that unexplained ones are found without
 * reading them. It reads all that are not marked, which may take long.
 */
export async function markSales(sql: Sql): Promise<void> {
  await statement(sql)`update transfers set is_sale = true
    where held_as is not null and not is_sale and state = 'confirmed' and ${isUsedForX402(sql)}`
}

/** The sender in the key of a use. */
export function senderOn(sql: Sql, chain: Fragment, from: Fragment) {
  return sql`case ${chain} when 'solana' then ''::bytea else ${from} end`
}

function payingRows(sql: Sql, sent: readonly Sent[]) {
  const columns: Columns<Sent> = {
    tx_hash: ['bytea', ({ txHash }) => toBytes(txHash)],
    from_address: ['bytea', ({ from }) => toBytes(from)],
  }
  return rowsOf(sql, sent, columns, 'paying')
}
