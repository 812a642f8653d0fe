import type { InvoiceChain } from '../../domain/network.ts'
import type { Rival } from '../../domain/purchases/evidence.ts'
import { attemptLimitMs, type Purchase } from '../../domain/purchases/purchase.ts'
import { ago, array, clock, type Fragment, type Sql, statement } from '../postgres/db.ts'
import { decode, type Row } from './purchases.ts'

/** Purchases whose payment is looked for on chain, or whose invoice is to be voided. */

/**
 * Purchases on a chain whose payment is not settled and that are due to be looked at, one of each
 * account first, so that the many hopeless ones of one account do not hold up the others'. Those
 * named as `looked`, and attempts under way that need not have died yet, are left out.
 *
 * `updated_at` of an open purchase is when it is due: at once while the chain shows its transfer,
 * else after an eighth of its age, so a payment that never comes costs few looks. One about which
 * the chain cannot be asked, having neither a transaction nor a nonce or message, is due no more.
 */
export async function nextOpen(
  sql: Sql,
  chain: InvoiceChain,
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
 * Makes open purchases due now that a wrong clock has put off: their next look is much further away
 * than their age says. Returns how many. It reads all open purchases: it must be called seldom.
 */
export async function bringForward(sql: Sql): Promise<number> {
  const rows = await statement(sql)`
    update purchases set updated_at = now() where invoice_id in (
      select invoice_id from purchases
      where state in ('forwarding', 'unknown', 'paid') and updated_at < 'infinity'
        -- Much further: another process may have looked at it since this statement began.
        and updated_at > ${dueNext(sql)} + interval '1 minute'
      for update skip locked
    )
    returning 1`
  return rows.length
}

/**
 * The other purchases of the account that hold a transfer of this transaction, or whose payment has
 * one of these keys.
 */
export async function findRivals(
  sql: Sql,
  { invoiceId, accountId, requirements }: Purchase,
  { txHash, keys }: { readonly txHash: string; readonly keys: readonly string[] },
): Promise<readonly Rival[]> {
  const rows = await statement<Pick<Row, 'state' | 'tx_hash' | 'position' | 'payment_key'>[]>(sql)`
    select state, tx_hash, position, payment_key from purchases
    where account_id = ${accountId} and invoice_id <> ${invoiceId} and (
      chain = ${requirements.network} and tx_hash = ${txHash} and position is not null
      or payment_key = any(${array(keys)}::text[])
    )`
  return rows.map((row) => ({
    state: row.state,
    position: row.tx_hash === txHash ? row.position : null,
    key: row.payment_key,
  }))
}

/** The purchases that are settled by a payment in block `block` or later. */
export async function settledSince(
  sql: Sql,
  chain: InvoiceChain,
  block: number,
): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases
    where chain = ${chain} and state = 'settled' and settled_in >= ${block}`
  return rows.map(decode)
}

/**
 * How long an invoice under a mandate waits for payment; until then its amount counts against it.
 */
const unpaidLimitMs = 3_600_000

/** Purchases under mandates that nobody has paid in time, by PostgreSQL's clock. */
export async function findUnpaid(sql: Sql, limit: number): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases
    where mandate_id is not null and abandoned_at is null and state in ('quoted', 'refused')
      and updated_at < ${ago(sql, unpaidLimitMs)}
    order by updated_at limit ${limit}`
  return rows.map(decode)
}

/** Purchases that were given up, and whose invoices are still to be voided. */
export async function findVoidPending(sql: Sql, limit: number): Promise<readonly Purchase[]> {
  const rows = await statement<Row[]>(sql)`
    select *, ${clock(sql)} as read_at from purchases where is_void_pending order by updated_at limit ${limit}`
  return rows.map(decode)
}
