import { owedUsdcBase } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { addressKey, type Network } from '../../domain/network.ts'
import { type Found, type Incoming, lateMoneyMs } from '../../domain/settlement/candidate.ts'
import { columns, decode, type Row } from '../invoices/invoices.ts'
import { inText, toBytes } from '../postgres/chain-bytes.ts'
import { array, type Fragment, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { countingAmounts, type Place } from './counting-amounts.ts'

/** Transfers of one amount to one address, in a batch. */
export type Amount = Place & {
  readonly senders: readonly string[]
  /** How many there are: each pays at most one invoice. */
  readonly times: number
  /** The time of its earliest block. */
  readonly firstAtMs: number
}

/** What a batch of transfers refers to; `amounts` are the places of those that name no invoice. */
export type CandidateQuery = {
  readonly named: readonly string[]
  readonly addresses: readonly string[]
  readonly txHashes: readonly string[]
  readonly places: readonly Place[]
  readonly amounts: readonly Amount[]
}

/** The query for the invoices that transfers could pay. */
export function candidateQueryOf(incoming: readonly Incoming[]): CandidateQuery {
  const unnamed = incoming.filter(
    ({ namedInvoiceIds, heldAs }) => namedInvoiceIds.length === 0 && !heldAs,
  )
  const byPlace = (those: readonly Incoming[]) => [
    ...Map.groupBy(those, ({ to, usdcBase }) => `${to} ${usdcBase}`).values(),
  ]
  return {
    named: incoming.flatMap(({ namedInvoiceIds, looselyNamedIds = [] }) => [
      ...namedInvoiceIds,
      ...looselyNamedIds,
    ]),
    addresses: [...new Set(incoming.map(({ to }) => to))],
    txHashes: [...new Set(incoming.map(({ txHash }) => txHash))],
    places: byPlace(incoming).map(placeOf),
    amounts: byPlace(unnamed).map((same) => ({
      ...placeOf(same),
      senders: [...new Set(same.map(({ from }) => from))],
      times: same.length,
      firstAtMs: Math.min(...same.map(({ blockTimeMs }) => blockTimeMs)),
    })),
  }
}

function placeOf([one]: readonly Incoming[]): Place {
  return { payTo: one?.to ?? '', usdcBase: one?.usdcBase ?? 0n }
}

/** At most this many that have expired since a transfer are looked at, of each account. */
const mostExpiredSince = 1_000

/**
 * The invoices that a batch of transfers could pay, each with the claims on their transactions:
 * - those that are named, claimed, whose payers were asked for the amount, or whose own deposit
 *   address received a transfer,
 * - for each amount at an address, of every account, as many as there are transfers of it: the
 *   oldest open ones, and the oldest that name a sender; those that have expired since; and of
 *   those that had expired within `lateMoneyMs` the last two, as a single one may be paid; and one
 *   that was due the amount before a part payment.
 */
export async function candidates(
  sql: Sql,
  chain: Network,
  query: CandidateQuery,
): Promise<readonly Found[]> {
  const rows = await statement<
    (Row & { claims: readonly ClaimRow[]; asked: readonly AskedRow[] })[]
  >(sql)`
    with recursive ${saidInvoices(sql, chain, query)},
    slot as (
      select * from ${rowsOf(
        sql,
        query.amounts,
        {
          pay_to: ['text', ({ payTo }) => payTo],
          owed_base: ['bigint', ({ usdcBase }) => usdcBase],
          times: ['integer', ({ times }) => times],
          first_at: ['timestamptz', ({ firstAtMs }) => new Date(firstAtMs)],
        },
        'slot',
      )}
    ),
    ${owedAccounts(sql, chain)},
    fitting as (
      select found.id from account cross join lateral (
        (select id from invoices where ${ofAccount(sql, chain)} and state <> 'failed'
          order by created_at, id limit account.times)
        union all
        (select id from invoices where ${ofAccount(sql, chain)} and state = 'failed' and due_at >= account.first_at
          order by due_at limit ${mostExpiredSince})
        union all
        (select id from invoices where ${ofAccount(sql, chain)} and state = 'failed'
          and due_at > account.first_at - ${late}::interval and due_at < account.first_at
          order by due_at desc limit 2)
      ) as found
      union all
      select found.id from ${senderRows(sql, query)} join account using (pay_to, owed_base) cross join lateral (
        select id from invoices
        where payer is not null and state <> 'failed' and id not in (select id from said)
          and hashtextextended(chain || pay_to || payer, owed_base) = hashtextextended(${chain}::text || account.pay_to || sender.payer, account.owed_base)
          and (chain, pay_to, owed_base, payer) = (${chain}, account.pay_to, account.owed_base, sender.payer)
          and account_id = account.account_id
        order by created_at, id limit account.times
      ) as found
      union all
      select found.id from slot cross join lateral (
        select distinct on (account_id) id from invoices
        where owed_base <> due_base
          and hashtextextended(chain || pay_to, due_base / 10000) = hashtextextended(${chain}::text || slot.pay_to, slot.owed_base / 10000)
          and due_base = slot.owed_base and chain = ${chain} and pay_to = slot.pay_to and id not in (select id from said)
          and (state <> 'failed' or due_at > slot.first_at - ${late}::interval)
        order by account_id, state = 'failed', created_at
      ) as found
    )
    select ${columns(sql)}, coalesce(
      (select json_agg(json_build_object('txHash', encode(tx_hash, 'hex'), 'payer', encode(claimed.payer, 'hex'),
        'madeAtMs', extract(epoch from claimed.created_at) * 1000)) from claimed where invoice_id = invoices.id), '[]') as claims, coalesce(
      (select json_agg(json_build_object('usdcBase', usdc_base::text, 'askedAtMs', extract(epoch from asked_at) * 1000))
        from asked where invoice_id = invoices.id), '[]') as asked
    -- An array, not a join: the planner would guess too many, and read the whole table.
    from invoices where id = any(array(select id from said union all select id from fitting))`
  const found = rows.map((row) => ({
    invoice: decode(row),
    claims: row.claims.map((claim) => inText(chain, claim, 'txHash', 'payer')),
    asked: row.asked.map((one) => ({ ...one, usdcBase: BigInt(one.usdcBase) })),
  }))
  const counts = await countingAmong(sql, chain, found)
  return found.map(({ invoice, claims, asked }) => ({
    invoice,
    claims,
    asked: asked.map((one) => ({ ...one, countsForOthers: counts(invoice, one.usdcBase) })),
    countsForOthers: counts(invoice, owedUsdcBase(invoice)),
  }))
}

type Counted = {
  readonly invoice: Invoice
  readonly asked: readonly { readonly usdcBase: bigint }[]
}

/** Which amounts count against other accounts: all but where two accounts have the same one. */
async function countingAmong(sql: Sql, chain: Network, found: readonly Counted[]) {
  const places = found.flatMap(({ invoice, asked }) =>
    [owedUsdcBase(invoice) ?? [], ...asked.map(({ usdcBase }) => usdcBase)]
      .flat()
      .map((usdcBase) => ({
        payTo: addressKey(invoice.terms.payTo),
        usdcBase,
        accountId: invoice.accountId,
      })),
  )
  const bySlot = Map.groupBy(places, ({ payTo, usdcBase }) => `${payTo} ${usdcBase}`)
  const contested = [...bySlot.values()].filter(
    (same) => new Set(same.map(({ accountId }) => accountId)).size > 1,
  )
  const counting = await countingAmounts(sql, chain, contested.flat())
  const isContested = new Set(contested.flat().map(({ payTo, usdcBase }) => `${payTo} ${usdcBase}`))
  return ({ id, terms }: Invoice, usdcBase: bigint | null) =>
    !isContested.has(`${addressKey(terms.payTo)} ${usdcBase}`) || counting.has(`${id} ${usdcBase}`)
}

/** The CTEs `claimed`, `asked`, `said`: invoices named, claimed, asked for, or alone. */
function saidInvoices(sql: Sql, chain: Network, query: CandidateQuery) {
  const { named, addresses, txHashes, places } = query
  return sql`claimed as (
      select * from claims where made_by = 'claim' and chain = ${chain} and tx_hash = any(${array(txHashes.map(toBytes))}::bytea[])
    ),
    asked as (
      select asked_amounts.* from asked_amounts join ${rowsOf(sql, places, {
        pay_to: ['bytea', ({ payTo }) => toBytes(payTo)],
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

/**
 * The CTE `account`: whose invoices are owed the amount of a slot. A loose index scan: one
 * probe per account, however many invoices it has.
 */
function owedAccounts(sql: Sql, chain: Network) {
  const first = (of: Fragment, isExpired: Fragment, after: Fragment) =>
    sql`(select account_id from invoices where ${owed(sql, chain, of)} and ${isExpired} ${after} order by account_id limit 1)`
  const next = (of: Fragment, after = sql``) =>
    sql`least(${first(of, sql`state <> 'failed'`, after)}, ${first(of, sql`state = 'failed'`, after)})`
  return sql`probed as (
      select slot.*, ${next(sql`slot`)} as account_id from slot
      union all
      select pay_to, owed_base, times, first_at, ${next(sql`probed`, sql`and account_id > probed.account_id`)}
      from probed where account_id is not null
    ),
    account as (select * from probed where account_id is not null)`
}

// The index holds a hash; the other conditions tell apart what has the same hash.
function owed(sql: Sql, chain: Network, of: Fragment) {
  return sql`hashtextextended(chain || pay_to, owed_base / 10000) = hashtextextended(${chain}::text || ${of}.pay_to, ${of}.owed_base / 10000)
    and owed_base = ${of}.owed_base and chain = ${chain} and pay_to = ${of}.pay_to`
}

function ofAccount(sql: Sql, chain: Network) {
  return sql`${owed(sql, chain, sql`account`)} and account_id = account.account_id and id not in (select id from said)`
}

function senderRows(sql: Sql, { amounts }: CandidateQuery) {
  const senders = amounts.flatMap((amount) => amount.senders.map((payer) => ({ ...amount, payer })))
  return rowsOf(
    sql,
    senders,
    {
      pay_to: ['text', ({ payTo }) => payTo],
      owed_base: ['bigint', ({ usdcBase }) => usdcBase],
      payer: ['text', ({ payer }) => payer],
    },
    'sender',
  )
}

const late = `${lateMoneyMs} milliseconds`

type AskedRow = { readonly usdcBase: string; readonly askedAtMs: number }
/** Hash and payer in hex. */
type ClaimRow = { readonly txHash: string; readonly payer: string; readonly madeAtMs: number }
