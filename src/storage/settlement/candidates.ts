import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Asked,
  type Claim,
  clockSkewMs,
  type Incoming,
  lateMoneyMs,
} from '../../domain/settlement/candidate.ts'
import { columns, decode, type Row } from '../invoices/invoices.ts'
import { inText, toBytes } from '../postgres/chain-bytes.ts'
import { array, type Fragment, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'

/** Transfers of one amount to one address, each with the time of its block. */
export type Amount = {
  readonly to: string
  readonly usdcBase: bigint
  readonly transfers: readonly { readonly from: string; readonly blockTimeMs: number }[]
}

/** What a batch of transfers refers to; `amounts` are of those that name no invoice. */
export type CandidateQuery = {
  readonly named: readonly string[]
  readonly addresses: readonly string[]
  readonly txHashes: readonly string[]
  readonly amounts: readonly Amount[]
}

/** The query for the invoices that transfers could pay. */
export function candidateQueryOf(incoming: readonly Incoming[]): CandidateQuery {
  const unnamed = incoming.filter(
    ({ namedInvoiceIds, heldAs }) => namedInvoiceIds.length === 0 && !heldAs,
  )
  const byAmount = Map.groupBy(unnamed, ({ to, usdcBase }) => `${to} ${usdcBase}`)
  return {
    named: incoming.flatMap(({ namedInvoiceIds }) => namedInvoiceIds),
    addresses: [...new Set(incoming.map(({ to }) => to))],
    txHashes: [...new Set(incoming.map(({ txHash }) => txHash))],
    amounts: [...byAmount.values()].map((same) => ({
      to: same[0]?.to ?? '',
      usdcBase: same[0]?.usdcBase ?? 0n,
      transfers: same.map(({ from, blockTimeMs }) => ({ from, blockTimeMs })),
    })),
  }
}

/** An invoice that a transfer could pay, the claims made for it, and what payers were asked. */
export type CandidateInvoice = {
  readonly invoice: Invoice
  readonly claims: readonly Claim[]
  readonly asked: readonly Asked[]
}

/**
 * How many invoices that have expired since a transfer's block are searched, of each account, by
 * due date. All blocks of a batch share `inAll`. Overdue ones yet to expire have the same limits.
 */
const mostExpiredSince = { atOnce: 1_000, inAll: 50_000 }

/**
 * The invoices that a batch of transfers could pay, each with the claims on their transactions:
 * - invoices that are named, claimed, whose payers were asked for the amount, or whose own deposit
 *   address received a transfer,
 * - for each amount at an address, of every account:
 *   - the oldest payable invoices, open and expired,
 *   - the oldest that name a sender as their payer, open and expired,
 *   - the oldest that were open at the time of a transfer and have expired since, and the oldest of
 *     these that name a sender,
 *   - some that had expired within `lateMoneyMs` before a transfer.
 *
 * There are as many of each kind as transfers of that amount, because each transfer pays at most
 * one. Invoices that are overdue at the last transfer and yet to expire are found besides.
 */
export async function candidates(
  sql: Sql,
  chain: Network,
  query: CandidateQuery,
): Promise<readonly CandidateInvoice[]> {
  const moments = query.amounts.flatMap((amount) => each(amount, (one) => one.blockTimeMs))
  const { atOnce, inAll } = mostExpiredSince
  const searched = sql`${Math.min(atOnce, Math.ceil(inAll / moments.length))}::integer`
  const rows = await statement<
    (Row & { claims: readonly ClaimRow[]; asked: readonly AskedRow[] })[]
  >(sql)`
    with recursive ${paidAmounts(sql, query, moments)},
    ${owedAccounts(sql, chain)},
    ${namedInvoices(sql, chain, query)},
    kind (has_expired, is_waiting) as (values (false, false), (false, true), (true, false)),
    due as (
      select oldest.id from account cross join kind cross join lateral (
        ${oldest(sql, sql`account`, owed(sql, chain, sql`account`), searched)}
      ) as oldest
    ),
    expected as (
      select oldest.id from expecting cross join kind cross join lateral (
        ${oldest(sql, sql`expecting`, expectedOf(sql, chain, sql`expecting`), searched)}
      ) as oldest
    ),
    ${expiredSince(sql, chain, searched)},
    ${expiredBefore(sql, chain)}
    select ${columns(sql)}, coalesce(
      (select json_agg(json_build_object('txHash', encode(tx_hash, 'hex'), 'payer', encode(claimed.payer, 'hex'), 'madeBy', made_by,
        'madeAtMs', extract(epoch from claimed.created_at) * 1000, 'usdcBase', usdc_base::text)) from claimed where invoice_id = invoices.id), '[]') as claims, coalesce(
      (select json_agg(json_build_object('usdcBase', usdc_base::text, 'askedAtMs', extract(epoch from asked_at) * 1000))
        from asked where invoice_id = invoices.id), '[]') as asked
    -- An array, not a join: the planner would guess too many, and read the whole table.
    from invoices where id = any(array(
      select id from said union all select id from due union all select id from expected
      union all select id from open_then union all select id from recent
    ))`
  return rows.map((row) => ({
    invoice: decode(row),
    claims: row.claims.map((claim) => decodeClaim(chain, claim)),
    asked: row.asked.map(({ usdcBase, askedAtMs }) => ({ usdcBase: BigInt(usdcBase), askedAtMs })),
  }))
}

type Found<T> = Amount & { readonly read: T }

/** What `read` finds in the transfers of an amount, each once, with the amount. */
function each<T>(amount: Amount, read: (transfer: Amount['transfers'][number]) => T): Found<T>[] {
  return [...new Set(amount.transfers.map(read))].map((found) => ({ ...amount, read: found }))
}

/** The CTEs `moment` (amount and block time), `slot` (amount) and `sender` (amount and sender). */
function paidAmounts(sql: Sql, { amounts }: CandidateQuery, moments: readonly Found<number>[]) {
  const senders = amounts.flatMap((amount) => each(amount, ({ from }) => from))
  const momentRows = rowsOf(
    sql,
    moments,
    {
      pay_to: ['text', ({ to }) => to],
      due_base: ['bigint', ({ usdcBase }) => usdcBase],
      times: ['integer', ({ transfers }) => transfers.length],
      at: ['timestamptz', ({ read }) => new Date(read)],
    },
    'moment',
  )
  const senderRows = rowsOf(
    sql,
    senders,
    {
      pay_to: ['text', ({ to }) => to],
      due_base: ['bigint', ({ usdcBase }) => usdcBase],
      payer: ['text', ({ read }) => read],
    },
    'sender',
  )
  return sql`moment as (select * from ${momentRows}),
    slot as (
      select pay_to, due_base, times, min(at) as first_at, max(at) as last_at from moment group by pay_to, due_base, times
    ),
    sender as (select payer, slot.* from ${senderRows} join slot using (pay_to, due_base))`
}

/**
 * The CTEs `account`, which payable invoices of a slot belong to, and `expecting`, where these name
 * a sender. A loose index scan: one probe per account, however many invoices it has.
 */
function owedAccounts(sql: Sql, chain: Network) {
  const first = (where: Fragment, after = sql``) =>
    sql`select account_id from invoices where ${where} ${after} order by account_id limit 1`
  return sql`probed as (
      select slot.*, (${first(owed(sql, chain, sql`slot`))}) as account_id from slot
      union all
      select pay_to, due_base, times, first_at, last_at,
        (${first(owed(sql, chain, sql`probed`), sql`and account_id > probed.account_id`)})
      from probed where account_id is not null
    ),
    account as (select * from probed where account_id is not null),
    probed_for_sender as (
      select sender.*, (${first(expectedOf(sql, chain, sql`sender`))}) as account_id from sender
      union all
      select payer, pay_to, due_base, times, first_at, last_at,
        (${first(expectedOf(sql, chain, sql`probed_for_sender`), sql`and account_id > probed_for_sender.account_id`)})
      from probed_for_sender where account_id is not null
    ),
    expecting as (select * from probed_for_sender where account_id is not null)`
}

/** The CTEs `claimed`, `asked`, `said`: invoices named, claimed, asked for, or alone. */
function namedInvoices(sql: Sql, chain: Network, query: CandidateQuery) {
  const { named, addresses, txHashes, amounts } = query
  return sql`claimed as (
      select * from claims where chain = ${chain} and tx_hash = any(${array(txHashes.map(toBytes))}::bytea[])
    ),
    asked as (
      select asked_amounts.* from asked_amounts join ${rowsOf(sql, amounts, {
        pay_to: ['bytea', ({ to }) => toBytes(to)],
        usdc_base: ['bigint', ({ usdcBase }) => usdcBase],
      })} using (pay_to, usdc_base) where chain = ${chain}
    ),
    said as (
      select * from unnest(${array(named)}::uuid[]) as named (id)
      union
      select invoice_id from claimed
      union
      select invoice_id from asked
      union
      select invoice_id from payment_addresses
      where chain = ${chain} and address = any(${array(addresses.map(toBytes))}::bytea[]) and invoice_id is not null
    )`
}

// The indexes hold hashes; the other conditions tell apart what has the same hash.

function owed(sql: Sql, chain: Network, of: Fragment) {
  return sql`payable
    and hashtextextended(chain || pay_to, due_base) = hashtextextended(${chain}::text || ${of}.pay_to, ${of}.due_base)
    and chain = ${chain} and pay_to = ${of}.pay_to and due_base = ${of}.due_base`
}

function expectedOf(sql: Sql, chain: Network, of: Fragment) {
  return sql`payable
    and hashtextextended(chain || pay_to || payer, due_base) = hashtextextended(${chain}::text || ${of}.pay_to || ${of}.payer, ${of}.due_base)
    and chain = ${chain} and pay_to = ${of}.pay_to and due_base = ${of}.due_base and payer = ${of}.payer`
}

/**
 * Of an account and a `kind`: the oldest expired, the oldest open, or those yet to expire that are
 * older than the last of these.
 */
function oldest(sql: Sql, of: Fragment, fitting: Fragment, searched: Fragment) {
  const ofKind = sql`${fitting} and account_id = ${of}.account_id and (state = 'failed') = has_expired and id not in (select id from said)`
  const isOverdue = sql`not has_expired and coalesce(due_at < ${of}.last_at, false)`
  return sql`select id from invoices
    where ${ofKind} and (${isOverdue}) = is_waiting and created_at <= case when is_waiting then coalesce((
      select created_at from invoices where ${ofKind} and not (${isOverdue}) order by created_at, id offset ${of}.times - 1 limit 1
    ), 'infinity') else 'infinity' end
    order by created_at, id limit case when is_waiting then greatest(${searched}, ${of}.times) else ${of}.times end`
}

/**
 * The CTEs `since`, of an account the first to have expired since the first transfer, and
 * `open_then`, those open at a transfer. Transfers are looked at one by one only where `since` has
 * more invoices than there are transfers.
 */
function expiredSince(sql: Sql, chain: Network, searched: Fragment) {
  const ofAccount = sql`${owed(sql, chain, sql`account`)} and account_id = account.account_id and state = 'failed'`
  return sql`since as (
      select account.*, expired.* from account cross join lateral (
        select count(*) > least(account.times, ${searched}) as are_many,
          array_agg(id) filter (where created_at < account.last_at + ${madeWithin}::interval) as ids
        from (
          select id, created_at from invoices
          where ${ofAccount} and due_at >= account.first_at and id not in (select id from said)
          order by due_at limit least(account.times, ${searched}) + 1
        ) as expired
      ) as expired
    ),
    open_then as (
      select unnest(ids) as id from since where not are_many
      union all
      select chosen.id from since as account join moment using (pay_to, due_base, times)
      cross join lateral (
        select id,
          row_number() over (order by created_at, id) as turn,
          row_number() over (partition by payer order by created_at, id) as turn_with_payer,
          payer in (select payer from sender where pay_to = account.pay_to and due_base = account.due_base) as is_expected
        from (
          select id, payer, created_at from invoices
          where ${ofAccount} and due_at >= moment.at and id not in (select id from said)
          order by due_at limit ${searched}
        ) as expired_since
        where created_at < moment.at + ${madeWithin}::interval
      ) as chosen
      where are_many and (turn <= account.times or (is_expected and turn_with_payer <= account.times))
    )`
}

/**
 * The CTE `recent`. Each transfer counts what was due in the time before it: the first due within
 * that of the last transfer count for most transfers; of those due earlier, the last due.
 */
function expiredBefore(sql: Sql, chain: Network) {
  const ofAccount = sql`${owed(sql, chain, sql`account`)} and account_id = account.account_id and state = 'failed'
    and id not in (select id from said)`
  return sql`recent as (
      select late.id from account cross join lateral (
        (select id from invoices
        where ${ofAccount} and due_at > account.last_at - ${late}::interval and due_at < account.last_at
        order by due_at limit account.times)
        union all
        (select id from invoices
        where ${ofAccount} and due_at > account.first_at - ${late}::interval and due_at <= account.last_at - ${late}::interval
        order by due_at desc limit account.times)
      ) as late
    )`
}

const late = `${lateMoneyMs} milliseconds`
const madeWithin = `${1_000 + clockSkewMs} milliseconds`

type AskedRow = { readonly usdcBase: string; readonly askedAtMs: number }
/** Hash and payer in hex. */
type ClaimRow = Omit<Claim, 'usdcBase'> & { readonly usdcBase: string | null }

function decodeClaim(chain: Network, claim: ClaimRow): Claim {
  const usdcBase = claim.usdcBase === null ? null : BigInt(claim.usdcBase)
  return { ...inText(chain, claim, 'txHash', 'payer'), usdcBase }
}
