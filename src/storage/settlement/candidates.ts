import type { Invoice } from '../../domain/invoices/invoice.ts'
import type { Network } from '../../domain/network.ts'
import {
  type Claim,
  clockSkewMs,
  type Incoming,
  lateMoneyMs,
} from '../../domain/settlement/candidate.ts'
import { columns, decode, type Row } from '../invoices/invoices.ts'
import { array, columnOf, type Fragment, patienceOf, type Sql, within } from '../postgres/db.ts'

/** Transfers of one amount to one address, each with the time of its block. */
export type Amount = {
  readonly to: string
  readonly usdcBase: bigint
  readonly transfers: readonly { readonly from: string; readonly blockTimeMs: number }[]
}

/**
 * What a batch of transfers refers to: the invoices named, the receiving addresses, the
 * transactions, and the amounts of the transfers that name no invoice.
 */
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

/** An invoice that a transfer could pay, with the claims made for it. */
export type CandidateInvoice = { readonly invoice: Invoice; readonly claims: readonly Claim[] }

/**
 * How many invoices that have expired since a transfer's block are searched for those made before
 * it: of each account, in the order of their due dates. All the blocks of a batch share `inAll`.
 * No more than this, or than there are transfers of the amount, are found of overdue ones that have
 * yet to expire.
 */
const mostExpiredSince = { atOnce: 1_000, inAll: 50_000 }

/**
 * The invoices that a batch of transfers could pay, each with the claims made for it on their
 * transactions:
 * - invoices the transfers name,
 * - invoices whose own deposit address received a transfer,
 * - invoices for which a transfer is claimed,
 * - for each amount at an address, of every account:
 *   - the oldest payable invoices, open and expired,
 *   - the oldest that name a sender as their payer, open and expired,
 *   - the oldest that were open at the time of a transfer and have expired since, and the oldest of
 *     these that name a sender,
 *   - some that had expired within `lateMoneyMs` before a transfer.
 *
 * Of each of the last four kinds there are as many as there are transfers of that amount, not
 * counting invoices present because they are named, claimed or alone at their address: each
 * transfer pays at most one of them. What is overdue at the last transfer and has yet to expire
 * does not count as open: what is older than the open ones found is found besides.
 */
export async function candidates(
  sql: Sql,
  chain: Network,
  { named, addresses, txHashes, amounts }: CandidateQuery,
): Promise<readonly CandidateInvoice[]> {
  const moments = amounts.flatMap((amount) => each(amount, ({ blockTimeMs }) => blockTimeMs))
  const { atOnce, inAll } = mostExpiredSince
  const searched = Math.min(atOnce, Math.ceil(inAll / moments.length))
  const moment = columnOf(moments)
  const sender = columnOf(amounts.flatMap((amount) => each(amount, ({ from }) => from)))
  // The indexes hold hashes: two things with the same hash are told apart by the rest.
  const owed = (of: Fragment) => sql`payable
    and hashtextextended(chain || pay_to, due_base) = hashtextextended(${chain}::text || ${of}.pay_to, ${of}.due_base)
    and chain = ${chain} and pay_to = ${of}.pay_to and due_base = ${of}.due_base`
  const expectedOf = (of: Fragment) => sql`payable
    and hashtextextended(chain || pay_to || payer, due_base) = hashtextextended(${chain}::text || ${of}.pay_to || ${of}.payer, ${of}.due_base)
    and chain = ${chain} and pay_to = ${of}.pay_to and due_base = ${of}.due_base and payer = ${of}.payer`
  // Of an account: the oldest that have expired, the oldest that are open, and what has yet to
  // expire and is older than the last of these.
  const oldest = (of: Fragment, fitting: Fragment) => {
    const ofKind = sql`${fitting} and account_id = ${of}.account_id and (state = 'failed') = has_expired and id not in (select id from said)`
    const isOverdue = sql`not has_expired and coalesce(due_at < ${of}.last_at, false)`
    return sql`
        select id from invoices
        where ${ofKind} and (${isOverdue}) = is_waiting and created_at <= case when is_waiting then coalesce((
          select created_at from invoices where ${ofKind} and not (${isOverdue}) order by created_at, id offset ${of}.times - 1 limit 1
        ), 'infinity') else 'infinity' end
        order by created_at, id limit case when is_waiting then greatest(${searched}::integer, ${of}.times) else ${of}.times end`
  }
  // A loose index scan: one probe per account, however many invoices it has.
  const firstAccount = (where: Fragment, after = sql``) =>
    sql`select account_id from invoices where ${where} ${after} order by account_id limit 1`
  const rows = await within(
    () => sql<(Row & { claims: readonly ClaimRow[] })[]>`
    with recursive moment as (
      select * from unnest(
        ${moment(({ to }) => to)}::text[], ${moment(({ usdcBase }) => usdcBase)}::bigint[],
        ${moment(({ transfers }) => transfers.length)}::integer[],
        ${moment(({ read }) => new Date(read).toISOString())}::timestamptz[]
      ) as moment (pay_to, due_base, times, at)
    ),
    slot as (
      select pay_to, due_base, times, min(at) as first_at, max(at) as last_at from moment group by pay_to, due_base, times
    ),
    sender as (
      select payer, slot.* from unnest(
        ${sender(({ to }) => to)}::text[], ${sender(({ usdcBase }) => usdcBase)}::bigint[], ${sender(({ read }) => read)}::text[]
      ) as sender (pay_to, due_base, payer) join slot using (pay_to, due_base)
    ),
    probed as (
      select slot.*, (${firstAccount(owed(sql`slot`))}) as account_id from slot
      union all
      select pay_to, due_base, times, first_at, last_at,
        (${firstAccount(owed(sql`probed`), sql`and account_id > probed.account_id`)})
      from probed where account_id is not null
    ),
    account as (select * from probed where account_id is not null),
    -- The accounts that expect a sender.
    probed_for_sender as (
      select sender.*, (${firstAccount(expectedOf(sql`sender`))}) as account_id from sender
      union all
      select payer, pay_to, due_base, times, first_at, last_at,
        (${firstAccount(expectedOf(sql`probed_for_sender`), sql`and account_id > probed_for_sender.account_id`)})
      from probed_for_sender where account_id is not null
    ),
    expecting as (select * from probed_for_sender where account_id is not null),
    claimed as (
      select * from claims where chain = ${chain} and tx_hash = any(${array(txHashes)}::text[])
    ),
    said as (
      select * from unnest(${array(named)}::uuid[]) as named (id)
      union
      select invoice_id from claimed
      union
      select invoice_id from payment_addresses
      where chain = ${chain} and address = any(${array(addresses)}::text[]) and invoice_id is not null
    ),
    kind (has_expired, is_waiting) as (values (false, false), (false, true), (true, false)),
    due as (
      select oldest.id from account cross join kind cross join lateral (${oldest(sql`account`, owed(sql`account`))}) as oldest
    ),
    expected as (
      select oldest.id from expecting cross join kind cross join lateral (${oldest(sql`expecting`, expectedOf(sql`expecting`))}) as oldest
    ),
    -- Of an account: the first to have expired since the first transfer, and whether there are more.
    since as (
      select account.*, expired.* from account cross join lateral (
        select count(*) > least(account.times, ${searched}::integer) as are_many,
          array_agg(id) filter (where created_at < account.last_at + ${madeWithin}::interval) as ids
        from (
          select id, created_at from invoices
          where ${owed(sql`account`)} and account_id = account.account_id and state = 'failed' and due_at >= account.first_at
            and id not in (select id from said)
          order by due_at limit least(account.times, ${searched}::integer) + 1
        ) as expired
      ) as expired
    ),
    -- Where these are no more than the transfers, each of them is among the oldest: no transfer is looked at by itself.
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
          where ${owed(sql`account`)} and account_id = account.account_id and state = 'failed' and due_at >= moment.at
            and id not in (select id from said)
          order by due_at limit ${searched}::integer
        ) as expired_since
        where created_at < moment.at + ${madeWithin}::interval
      ) as chosen
      where are_many and (turn <= account.times or (is_expected and turn_with_payer <= account.times))
    ),
    -- Each transfer counts what was due in the time before it. Of what was due in that of the last one, the first due count for the most
    -- transfers; of what was due earlier, the last due.
    recent as (
      select late.id from account
      cross join lateral (
        (select id from invoices
        where ${owed(sql`account`)} and account_id = account.account_id and state = 'failed'
          and due_at > account.last_at - ${late}::interval and due_at < account.last_at and id not in (select id from said)
        order by due_at limit account.times)
        union all
        (select id from invoices
        where ${owed(sql`account`)} and account_id = account.account_id and state = 'failed'
          and due_at > account.first_at - ${late}::interval and due_at <= account.last_at - ${late}::interval and id not in (select id from said)
        order by due_at desc limit account.times)
      ) as late
    )
    select ${columns(sql)}, coalesce(
      (select json_agg(json_build_object('txHash', tx_hash, 'payer', claimed.payer, 'madeBy', made_by,
        'madeAtMs', extract(epoch from claimed.created_at) * 1000, 'usdcBase', usdc_base::text)) from claimed where invoice_id = invoices.id), '[]') as claims
    -- An array, not a join: nobody can guess how many these are, and a guess too high reads the whole table.
    from invoices where id = any(array(
      select id from said union all select id from due union all select id from expected
      union all select id from open_then union all select id from recent
    ))`,
    patienceOf(sql),
  )
  return rows.map((row) => ({ invoice: decode(row), claims: row.claims.map(decodeClaim) }))
}

const late = `${lateMoneyMs} milliseconds`
const madeWithin = `${1_000 + clockSkewMs} milliseconds`

/** What `read` finds in the transfers of an amount, each once, with the amount. */
function each<T>(amount: Amount, read: (transfer: Amount['transfers'][number]) => T) {
  return [...new Set(amount.transfers.map(read))].map((found) => ({ ...amount, read: found }))
}

type ClaimRow = Omit<Claim, 'usdcBase'> & { readonly usdcBase: string | null }

function decodeClaim({ usdcBase, ...claim }: ClaimRow): Claim {
  return { ...claim, usdcBase: usdcBase === null ? null : BigInt(usdcBase) }
}
