import type { Network } from '../../domain/network.ts'
import type { Rival } from '../../domain/purchases/evidence.ts'
import { attemptLimitMs, type Purchase } from '../../domain/purchases/purchase.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { ago, array, clock, type Fragment, type Sql, statement } from '../postgres/db.ts'
import { decode, type Row } from './purchases.ts'

/**
 * Due purchases on a chain whose payment is not settled, one of each account first, without those
 * in `looked` and attempts under way.
 *
 * `updated_at` of an open purchase is when it is due: at once while the chain shows its transfer,
 * else after an eighth of its age. Without a transaction, nonce or message the chain cannot be
 * asked: it is never due again.
 */
export async function nextOpen(
  sql: Sql,
  chain: Network,
  limit: number,
  looked: readonly string[],
): Promise<readonly Purchase[]> {
  const isDue = sql`chain = ${chain} and updated_at <= now() and (
    state in ('unknown', 'paid') or state = 'forwarding' and forwarded_at < ${ago(sql, attemptLimitMs)}
  ) and invoice_id <> all(${array(looked)}::uuid[])`
  const rows = await statement<Row[]>(sql)`
    with due as (
      select invoice_id, updated_at, row_number() over (partition by account_id order by updated_at) as turn
      from purchases where ${isDue}
    )
    update purchases set updated_at = case
      when tx_hash is null and nonce is null and message is null then 'infinity'
      when position is not null then now()
      else ${dueNext(sql)}
    end
    where invoice_id in (
      select invoice_id from purchases
      where invoice_id in (select invoice_id from due order by turn, updated_at limit ${limit}) and ${isDue}
      for update skip locked
    )
    returning *, ${clock(sql)} as read_at`
  return rows.map(decode)
}

function dueNext(sql: Sql): Fragment {
  return sql`now() + greatest(now() - forwarded_at, interval '1 second') / 8`
}

/**
 * Makes open purchases due now that a wrong clock has put off. Returns how many. It reads all open
 * purchases.
 */
export async function bringForward(sql: Sql): Promise<number> {
  const rows = await statement(sql)`
    update purchases set updated_at = now() where invoice_id in (
      select invoice_id from purchases
      where state in ('forwarding', 'unknown', 'paid') and updated_at < 'infinity'
        -- Another process may have looked at it since this statement began.
        and updated_at > ${dueNext(sql)} + interval '1 minute'
      for update skip locked
    )
    returning 1`
  return rows.length
}

/**
 * Other purchases of the account with a transfer of this transaction, or one of these payment keys.
 */
export async function findRivals(
  sql: Sql,
  { invoiceId, accountId, requirements }: Purchase,
  { txHash, keys }: { readonly txHash: string; readonly keys: readonly string[] },
): Promise<readonly Rival[]> {
  const rows = await statement<Pick<Row, 'state' | 'tx_hash' | 'position' | 'payment_key'>[]>(sql)`
    select state, tx_hash, position, payment_key from purchases
    where account_id = ${accountId} and invoice_id <> ${invoiceId} and (
      chain = ${requirements.network} and tx_hash = ${toBytes(txHash)} and position is not null
      or payment_key = any(${array(keys)}::text[])
    )`
  return rows.map((row) => ({
    state: row.state,
    position: row.tx_hash?.equals(toBytes(txHash)) ? row.position : null,
    key: row.payment_key,
  }))
}

/** Purchases settled by a payment in `block` or later. */
export async function settledSince(
  sql: Sql,
  chain: Network,
  block: number,
): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases
    where chain = ${chain} and state = 'settled' and settled_in >= ${block}`
  return rows.map(decode)
}

/** How long an unpaid invoice counts against its mandate, and how long one without waits. */
const boundLimitMs = 3_600_000
const unboundLimitMs = 86_400_000

/** Purchases that were not paid in time, by PostgreSQL's clock. */
export async function findUnpaid(sql: Sql, limit: number): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    (select *, ${clock(sql)} as read_at from purchases
    where mandate_id is not null and abandoned_at is null and state in ('quoted', 'refused')
      and updated_at < ${ago(sql, boundLimitMs)}
    order by updated_at limit ${limit})
    union all
    (select *, ${clock(sql)} as read_at from purchases
    where mandate_id is null and abandoned_at is null and state in ('quoted', 'refused', 'expired')
      and updated_at < ${ago(sql, unboundLimitMs)}
    order by updated_at limit ${limit})`
  return rows.map(decode)
}

/** Abandoned purchases whose invoices are still to be voided. */
export async function findVoidPending(sql: Sql, limit: number): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases where is_void_pending order by updated_at limit ${limit}`
  return rows.map(decode)
}
