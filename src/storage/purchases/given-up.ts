import {
  ago,
  clock,
  type Fragment,
  isRefusal,
  type Sql,
  uniqueViolation,
  within,
} from '../postgres/db.ts'
import type { Attempt } from './attempts.ts'
import {
  attemptLimitMs,
  decode,
  isGivenUp,
  isUnpaid,
  isWaiting,
  type Purchase,
  type Row,
} from './purchases.ts'

/** Purchases that are given up: for another payment, by their account, or because time is over. */

/**
 * What gives way to an attempt:
 * - `quote`: this one, whose invoice must be voided
 * - `busy`: one has given way to another attempt with the same payment, just now
 * - `none`: nothing
 */
export type Way =
  | { readonly kind: 'quote'; readonly quote: Purchase }
  | { readonly kind: 'busy' | 'none' }

/**
 * Gives up the quote that the attempt would have paid, had its payment been of the same option of
 * the 402: the one that the caller names, else the newest under the same mandate that is for the
 * same agent or for none, and that holds at least `leastBase` of USDC. Only one that was sent and
 * that waits for a payment, be it after others that were not taken, gives way, and only one to each
 * payment.
 */
export async function giveWay(sql: Sql, attempt: Attempt, leastBase: bigint): Promise<Way> {
  const { accountId, payment } = attempt
  // Stored in the column of the payment, whose unique index then lets one copy of it win.
  const wayFor = `way for ${payment.key}`
  try {
    // A copy of this payment may be giving up the only quote there is. The second try waits for it,
    // so that the query below sees what it did.
    const quote =
      (await giveUpFor(sql, attempt, { wayFor, leastBase, ifLocked: sql`skip locked` })) ??
      (await giveUpFor(sql, attempt, { wayFor, leastBase, ifLocked: sql`` }))
    if (quote) return { kind: 'quote', quote }
  } catch (error) {
    if (!isRefusal(error, uniqueViolation)) throw error
  }
  const [recent] = await within(
    () => sql`
    select 1 from purchases where account_id = ${accountId} and proof = ${wayFor}
      and updated_at > ${ago(sql, attemptLimitMs)}`,
  )
  return { kind: recent ? 'busy' : 'none' }
}

type Giving = {
  readonly wayFor: string
  readonly leastBase: bigint
  /** What to do about those that other attempts are taking or giving up. */
  readonly ifLocked: Fragment
}

async function giveUpFor(
  sql: Sql,
  { accountId, resource, agentId, mandateId, invoiceId }: Attempt,
  { wayFor, leastBase, ifLocked }: Giving,
): Promise<Purchase | null> {
  const isMeant =
    invoiceId === null
      ? sql`mandate_id = ${mandateId} and (agent_id is null or agent_id is not distinct from ${agentId}::text)`
      : sql`invoice_id = ${invoiceId} and (${mandateId}::text is null or mandate_id = ${mandateId})`
  const [row] = await within(
    () => sql<Row[]>`
    with chosen as (
      select invoice_id from purchases
      where account_id = ${accountId} and resource = ${resource} and ${isWaiting(sql)} and ${isMeant}
        and usdc_base >= ${leastBase}::bigint and not ${isGivenUp(sql)}
        and exists (select from invoices where id = invoice_id and invoices.state = 'sent')
      order by invoice_id desc limit 1 for update ${ifLocked}
    )
    update purchases set state = case when mandate_id is null then state else 'lapsed' end, proof = ${wayFor},
      released_at = case when mandate_id is null then ${clock(sql)} end, updated_at = ${clock(sql)}
    from chosen where purchases.invoice_id = chosen.invoice_id
    returning purchases.*`,
  )
  return row ? decode(row) : null
}

/**
 * How long an invoice under a mandate waits for payment; until then its amount counts against the
 * mandate.
 */
const unpaidLimitMs = 3_600_000

/**
 * Lapses purchases under mandates that were not paid in time, and returns the invoices that must be
 * voided: those of all that have lapsed, and those without a mandate that gave way to another
 * payment, whose attempt has died since. Nothing can pay them any more. They are returned again
 * until `markReleased`. The times are those of PostgreSQL's clock, as processes' clocks may differ.
 */
export async function lapseUnpaid(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await within(
    () => sql<{ id: string }[]>`
    with lapsed as (
      update purchases set state = 'lapsed', updated_at = ${clock(sql)} where invoice_id in (
        select invoice_id from purchases where mandate_id is not null and released_at is null and (
          state = 'lapsed' or state in ('quoted', 'refused') and updated_at < ${ago(sql, unpaidLimitMs)}
        )
        order by updated_at limit ${limit} for update skip locked
      )
      returning invoice_id
    ), gave_way as (
      select invoice_id from purchases where ${gaveWay(sql)} order by updated_at limit ${limit}
    )
    select invoice_id as id from lapsed union all select invoice_id from gave_way`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Whether a purchase without a mandate gave way to a payment, copies of which need not be told so
 * any more.
 */
function gaveWay(sql: Sql) {
  return sql`mandate_id is null and proof like 'way for %' and updated_at < ${ago(sql, attemptLimitMs)}`
}

/** How long after a payment's time is over the chain may take to tell what became of it. */
const tellingDays = 1

/**
 * Gives up the purchase behind an invoice that its account wants to void: no payment can be
 * forwarded for it any more. One that is not recorded yet is recorded as given up. Without a
 * mandate, a payment that was not taken is free for another invoice, and one that may have been
 * taken is still looked for. False where the invoice must stay, as a payment of it has been taken
 * or may yet be: then the purchase stays what it is, and its payment is still looked for.
 */
export async function giveUp(sql: Sql, invoiceId: string): Promise<boolean> {
  const isOver = sql`greatest(forwarded_at, valid_before) < now() - make_interval(days => ${tellingDays})`
  // An invoice to which a named transaction is credited is not voided, whatever its age. A purchase
  // with a position has a transfer that the chain has shown and that is being credited.
  const [row] = await within(
    () => sql<[{ is_free: boolean }]>`
    with free as (
      update purchases set state = case when mandate_id is null then state else 'lapsed' end,
        released_at = case when mandate_id is null then ${clock(sql)} else released_at end,
        proof = case when mandate_id is null and ${isWaiting(sql)} then null else proof end
      where invoice_id = ${invoiceId} and ${isUnpaid(sql)} and (
        ${isWaiting(sql)} or state in ('forwarding', 'unknown', 'paid') and ${isOver} and position is null
      )
      returning 1
    ),
    -- Whoever has just made the invoice finds this, and forwards nothing for it.
    unrecorded as (
      insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, state, released_at, created_at, updated_at)
      select id, account_id, '', chain, pay_to, due_base, 'lapsed', ${clock(sql)}, ${clock(sql)}, ${clock(sql)} from invoices
      where id = ${invoiceId} and not exists (select from purchases where invoice_id = ${invoiceId})
      on conflict (invoice_id) do nothing
      returning 1
    )
    select exists (select from free) or exists (select from unrecorded) as is_free`,
  )
  return row.is_free
}

/**
 * Records that the invoice of a purchase that has been given up is void, so that the mandate has
 * got back the amount bound by it.
 */
export async function markReleased(sql: Sql, invoiceId: string): Promise<void> {
  await within(
    () => sql`
    update purchases set released_at = ${clock(sql)}, proof = case when ${gaveWay(sql)} then null else proof end
    where invoice_id = ${invoiceId}`,
  )
}
