import type { InvoiceChain } from '../../domain/network.ts'
import { ago, array, type Fragment, type Sql, within } from '../postgres/db.ts'
import { attemptLimitMs, decode, type Purchase, type Row } from './purchases.ts'

/** The purchases whose payment is looked for on chain, or could be taken back there. */

/**
 * Purchases on a chain whose payment is not settled and that are due to be looked at, one of each
 * account first, so that the many hopeless ones of one account do not hold up the others'. Those
 * named as `looked`, and attempts under way that need not have died yet, are left out.
 *
 * `updated_at` of an open purchase is when it is due. Each look makes it due again after an eighth
 * of its age: a payment that never comes costs few looks. One that the chain cannot be asked about
 * and that counts for good, having neither a transaction nor a nonce or message, is due no more.
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
  const rows = await within(
    () => sql<Row[]>`
    with due as (
      select invoice_id, updated_at, row_number() over (partition by account_id order by updated_at) as turn
      from purchases where ${isDue}
    )
    update purchases set updated_at = case
      when tx_hash is null and nonce is null and message is null and (state = 'paid' or chain <> 'solana') then 'infinity'
      else ${dueNext(sql)}
    end
    where invoice_id in (
      select invoice_id from purchases
      where invoice_id in (select invoice_id from due order by turn, updated_at limit ${limit}) and ${isDue}
      for update skip locked
    )
    returning *`,
  )
  return rows.map(decode)
}

function dueNext(sql: Sql): Fragment {
  return sql`now() + greatest(now() - forwarded_at, interval '1 second') / 8`
}

/**
 * Makes open purchases due now that a wrong clock has put off: their next look is much further away
 * than their age says. So are those due no more that have a message: a process of an earlier
 * version knows of none. Returns how many. It reads all open purchases: it must be called seldom.
 */
export async function bringForward(sql: Sql): Promise<number> {
  const rows = await within(
    () => sql`
    update purchases set updated_at = now() where invoice_id in (
      select invoice_id from purchases
      where state in ('forwarding', 'unknown', 'paid')
        and (updated_at < 'infinity' or message is not null)
        -- Much further: another process may have looked at it since this statement began.
        and updated_at > ${dueNext(sql)} + interval '1 minute'
      for update skip locked
    )
    returning 1`,
  )
  return rows.length
}

/** For how long a purchase is looked at of which only its invoice knows the block. */
const reorgDays = 7

/**
 * A settled purchase and the block of its payment. `isOpen` when its invoice is not settled any
 * more.
 */
export type Settled = {
  readonly purchase: Purchase
  readonly blockNumber: number
  readonly isOpen: boolean
}

/** The purchases that are settled by a payment in block `block` or later. */
export async function settledSince(
  sql: Sql,
  chain: InvoiceChain,
  block: number,
): Promise<readonly Settled[]> {
  const settled = sql`chain = ${chain} and state = 'settled'`
  const rows = await within(
    () => sql<(Row & { block: bigint; is_open: boolean })[]>`
    with known as (
      select * from purchases where ${settled} and settled_in >= ${block}
    ), unknown as (
      select * from purchases where ${settled} and settled_in is null and updated_at > now() - make_interval(days => ${reorgDays})
    )
    select known.*, settled_in as block, invoices.state in ('draft', 'sent', 'paid') as is_open
    from known join invoices on invoices.id = invoice_id
    union all
    select unknown.*, in_invoice, invoices.state in ('draft', 'sent', 'paid')
    from unknown join invoices on invoices.id = invoice_id
      cross join lateral coalesce((invoices.progress::json -> 'settlement' ->> 'blockNumber')::bigint, ${block}) as in_invoice
    where in_invoice >= ${block}`,
  )
  return rows.map((row) => ({
    purchase: decode(row),
    blockNumber: Number(row.block),
    isOpen: row.is_open,
  }))
}
