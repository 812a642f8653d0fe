import type { Invoice } from '../domain/invoice.ts'
import { type Claim, lateMoneyMs } from '../domain/matching.ts'
import type { Network } from '../domain/network.ts'
import { array, type Fragment, type Sql, within } from './db.ts'
import { columns, decode, type Row } from './invoices.ts'

/** Transfers of one amount to one address. `senders` has one entry per transfer. */
export type Amount = {
  readonly to: string
  readonly usdcBase: bigint
  readonly senders: readonly string[]
  /** The times of the first and the last of their blocks. */
  readonly firstMs: number
  readonly lastMs: number
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

/** An invoice that a transfer could pay, with the claims made for it. */
export type CandidateInvoice = { readonly invoice: Invoice; readonly claims: readonly Claim[] }

/** How many expired invoices of an account are searched for one whose due date is not long past. */
const newestExpired = 100

/**
 * The invoices that a batch of transfers could pay, each with the claims made for it on their
 * transactions:
 * - invoices the transfers name,
 * - invoices whose own deposit address received a transfer,
 * - invoices for which a transfer is claimed,
 * - for each amount at an address, the oldest payable invoices of every account, open and expired,
 * - those of every account that have expired within `lateMoneyMs` before the transfers,
 * - the oldest that name a sender as their payer, open and expired.
 *
 * Of each of the last three kinds there are as many as there are transfers of that amount, not
 * counting invoices present for another reason: each transfer pays at most one of them.
 */
export async function candidates(
  sql: Sql,
  chain: Network,
  { named, addresses, txHashes, amounts }: CandidateQuery,
): Promise<readonly CandidateInvoice[]> {
  const senders = amounts.flatMap((amount) =>
    amount.senders.map((sender) => ({ ...amount, sender })),
  )
  const rows = await within(
    () => sql<(Row & { claims: readonly ClaimRow[] })[]>`
    with recursive slot as (
      select * from unnest(
        ${array(amounts.map(({ to }) => to))}::text[], ${array(amounts.map(({ usdcBase }) => usdcBase))}::bigint[],
        ${array(amounts.map(({ senders }) => senders.length))}::integer[],
        ${array(amounts.map(({ firstMs }) => new Date(firstMs - lateMoneyMs).toISOString()))}::timestamptz[],
        ${array(amounts.map(({ lastMs }) => new Date(lastMs + 1_000).toISOString()))}::timestamptz[]
      ) as slot (pay_to, due_base, times, due_after, created_before)
    ),
    -- A loose index scan: one probe per account, however many invoices it has open.
    account as (
      select slot.*, (${firstAccount(sql, chain, sql`slot`, sql``)}) as account_id from slot
      union all
      select account.pay_to, account.due_base, account.times, account.due_after, account.created_before,
        (${firstAccount(sql, chain, sql`account`, sql`and open.account_id > account.account_id`)})
      from account where account.account_id is not null
    ),
    sender as (
      select payer, pay_to, due_base, count(*) as times from unnest(
        ${array(senders.map(({ sender }) => sender))}::text[], ${array(senders.map(({ to }) => to))}::text[],
        ${array(senders.map(({ usdcBase }) => usdcBase))}::bigint[]
      ) as sender (payer, pay_to, due_base) group by payer, pay_to, due_base
    ),
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
    kind (is_late) as (values (false), (true)),
    due as (
      select oldest.id from account cross join kind
      cross join lateral (
        select id from invoices
        where payable and chain = ${chain} and pay_to = account.pay_to and due_base = account.due_base
          and account_id = account.account_id and (state = 'failed') = is_late and id not in (select id from said)
        order by created_at, id limit account.times
      ) as oldest
    ),
    -- Those created last are searched, as they mostly are the last to be due: an account may have any number of expired invoices.
    recent as (
      select late.id from account
      cross join lateral (
        select id from (
          select id, due_at from invoices
          where payable and chain = ${chain} and pay_to = account.pay_to and due_base = account.due_base
            and account_id = account.account_id and (state = 'failed') = true and created_at < account.created_before
            and id not in (select id from said)
          order by created_at desc limit account.times + ${newestExpired}::integer
        ) as newest
        where due_at > account.due_after limit account.times
      ) as late
    ),
    expected as (
      select oldest.id from sender cross join kind
      cross join lateral (
        select id from invoices
        where payable and chain = ${chain} and payer = sender.payer and pay_to = sender.pay_to and due_base = sender.due_base
          and (state = 'failed') = is_late and id not in (select id from said union all select id from due)
        order by created_at, id limit sender.times
      ) as oldest
    )
    select ${columns(sql)}, coalesce(
      (select json_agg(json_build_object('txHash', tx_hash, 'payer', claimed.payer, 'madeBy', made_by,
        'madeAtMs', extract(epoch from claimed.created_at) * 1000, 'usdcBase', usdc_base::text)) from claimed where invoice_id = invoices.id), '[]') as claims
    -- An array, not a join: nobody can guess how many these are, and a guess too high reads the whole table.
    from invoices where id = any(array(select id from said union all select id from due union all select id from recent union all select id from expected))`,
  )
  return rows.map((row) => ({ invoice: decode(row), claims: row.claims.map(decodeClaim) }))
}

type ClaimRow = Omit<Claim, 'usdcBase'> & { readonly usdcBase: string | null }

function decodeClaim({ usdcBase, ...claim }: ClaimRow): Claim {
  return { ...claim, usdcBase: usdcBase === null ? null : BigInt(usdcBase) }
}

function firstAccount(sql: Sql, chain: Network, of: Fragment, further: Fragment) {
  return sql`select open.account_id from invoices as open
    where open.payable and open.chain = ${chain} and open.pay_to = ${of}.pay_to
      and open.due_base = ${of}.due_base ${further}
    order by open.account_id limit 1`
}
