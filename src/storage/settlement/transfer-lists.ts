import { toAmount, usdcScale } from '../../domain/money/money.ts'
import { type Network, payerOf } from '../../domain/network.ts'
import type { Listed, Place, Query, Shown } from '../../domain/settlement/transfer-list.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { type Fragment, type Sql, statement } from '../postgres/db.ts'
import { rowsOf } from '../postgres/rows.ts'
import { isClosed } from './counting-amounts.ts'
import { heldWithin } from './held.ts'
import { decode, type Row, type StoredTransfer } from './transfers.ts'
import { isUnexplained } from './uses.ts'

/** Counting takes longer the more transfers there are. */
const mostCounted = 100_000

/** One page of the matching transfers. A total above `counted` is an estimate. */
export async function listTransfers(
  sql: Sql,
  query: Query,
  counted = mostCounted,
): Promise<Listed> {
  const { after, limit, offset } = query
  const matching = matchingOf(sql, query, query.heldFor ? await heldAt(sql) : [])
  const behind = after
    ? sql`(created_at, chain, tx_hash, position) <
        (${after.createdAt}::timestamptz, ${after.chain}, ${toBytes(after.txHash)}, ${after.position})`
    : sql`true`
  const page = sql`select * from transfers where ${matching} and ${behind}
    order by created_at desc, chain desc, tx_hash desc, position desc limit ${limit + 1} offset ${offset}`
  // One statement: a caller waits no longer than one statement may take.
  const rows = await statement<((ShownRow | { chain: null }) & { total: number })[]>(sql)`
    select total, page.* from (
      select count(*)::integer as total from (select from transfers where ${matching} limit ${counted + 1}) as first
    ) as counted
    left join (${shownOf(sql, page)}) as page on true
    order by created_at desc, chain desc, tx_hash desc, position desc`
  const found = rows.flatMap((row) => (row.chain === null ? [] : [shown(row)]))
  const total = rows[0]?.total ?? 0
  return {
    transfers: found.slice(0, limit),
    total: total <= counted ? total : Math.max(total, await estimate(sql, matching)),
    hasMore: found.length > limit,
  }
}

const planningMs = 1_000

async function estimate(sql: Sql, matching: Fragment): Promise<number> {
  const [planned] = await statement<
    [{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }]
  >(sql, planningMs)`
    explain (format json) select from transfers where ${matching}`
  return planned['QUERY PLAN'][0].Plan['Plan Rows']
}

export async function findShown(
  sql: Sql,
  { chain, txHash, position }: Omit<Place, 'createdAt'>,
): Promise<Shown | undefined> {
  const named = sql`select * from transfers where chain = ${chain} and tx_hash = ${toBytes(txHash)} and position = ${position}`
  const rows = await statement<ShownRow[]>(sql)`${shownOf(sql, named)}`
  return rows.map(shown)[0]
}

/** The newest transfers of a sender that nothing accounts for. */
export async function unexplainedFrom(
  sql: Sql,
  { chain, from }: { readonly chain: Network; readonly from: string },
): Promise<readonly StoredTransfer[]> {
  const rows = await statement<Row[]>(sql)`select * from transfers
    where chain = ${chain} and from_address = ${toBytes(from)} and ${isUnexplained(sql)}
    order by created_at desc limit ${mostFromOne}`
  return rows.map(decode)
}

const mostFromOne = 20

/** All that nothing accounts for, recorded since then, oldest first. */
export async function* heldSince(sql: Sql, since: Date): AsyncGenerator<StoredTransfer> {
  let last = { at: since.toISOString(), chain: '', tx_hash: toBytes(''), position: -1 }
  for (;;) {
    const { at, chain, tx_hash: txHash, position } = last
    // As text: a Date would round it.
    const rows = await statement<(Row & { at: string })[]>(
      sql,
    )`select *, created_at::text as at from transfers
      where (created_at, chain, tx_hash, position) > (${at}::text::timestamptz, ${chain}, ${txHash}, ${position})
        and ${isUnexplained(sql)}
      order by created_at, chain, tx_hash, position limit ${heldAtOnce}`
    yield* rows.map(decode)
    const newest = rows.at(-1)
    if (!newest) return
    last = newest
  }
}

const heldAtOnce = 200

type ShownRow = Row & { readonly key_id: string | null; readonly created_at: Date }

/** Transfers, with the key id of the operator who assigned them. */
function shownOf(sql: Sql, transfers: Fragment): Fragment {
  return sql`select found.*, key_id from (${transfers}) as found
    left join lateral (
      select key_id from claims
      where found.matched_by = 'operator' and claims.chain = found.chain and claims.tx_hash = found.tx_hash
        and claims.payer = found.from_address and claims.invoice_id = found.invoice_id and claims.usdc_base = found.usdc_base
      -- A reorganisation may have moved it since.
      order by claims.position <> found.position limit 1
    ) as said on true`
}

function matchingOf(
  sql: Sql,
  { status, chain, heldFor }: Query,
  held: readonly HeldAt[],
): Fragment {
  const byStatus = {
    held: isUnexplained(sql),
    unmatched: isUnexplained(sql),
    ambiguous: sql`held_as = 'ambiguous' and state <> 'reverted'`,
    matched: sql`invoice_id is not null and state <> 'reverted'`,
  }
  const fits = heldFor ? fitting(sql, heldFor, held) : sql`true`
  return sql`${status === null ? sql`true` : byStatus[status]} and ${chain === null ? sql`true` : sql`chain = ${chain}`} and ${fits}`
}

type HeldAt = { readonly chain: Network; readonly to: Buffer }

/** Where transfers are held. */
function heldAt(sql: Sql): Promise<readonly HeldAt[]> {
  return statement<HeldAt[]>(sql)`
    select distinct chain, to_address as "to" from transfers where held_as is not null and not is_used`
}

/** Whether a held transfer fits what an open invoice of the account is due, or has asked for. */
function fitting(sql: Sql, accountId: string, held: readonly HeldAt[]): Fragment {
  // PostgreSQL does not write base58.
  const places = rowsOf(
    sql,
    held,
    {
      on_chain: ['text', ({ chain }) => chain],
      address: ['bytea', ({ to }) => to],
      pay_to: ['text', ({ chain, to }) => toText(chain, to)],
    },
    'place',
  )
  const inTime = sql`account_id = ${accountId} and created_at < transfers.block_time + ${heldWithin}::interval`
  const due = sql`hashtextextended(chain || invoices.pay_to, owed_base / 10000) = hashtextextended(on_chain || place.pay_to, usdc_base / 10000)
    and (chain, invoices.pay_to, owed_base) = (on_chain, place.pay_to, usdc_base) and invoices.${inTime}`
  return sql`(
    exists (
      select from ${places} where (on_chain, address) = (transfers.chain, to_address) and (
        exists (select from invoices where ${due} and state <> 'failed') or exists (select from invoices where ${due} and state = 'failed')
      )
    ) or exists (
      select from asked_amounts as asked join invoices on id = asked.invoice_id
      where (asked.chain, asked.pay_to, asked.usdc_base) = (transfers.chain, to_address, transfers.usdc_base)
        and invoices.${inTime} and not ${isClosed(sql)}
    )
  )`
}

function shown(row: ShownRow): Shown {
  const transfer = decode(row)
  const { chain, txHash, position, blockNumber, from, to, state, credit, heldAs } = transfer
  return {
    chain,
    txHash,
    position,
    blockNumber,
    blockTime: row.block_time.toISOString(),
    from: payerOf(from),
    to,
    amount: toAmount(transfer.usdcBase, usdcScale),
    status: heldAs ?? 'matched',
    state,
    invoiceId: credit?.invoiceId ?? null,
    matchedBy: credit?.matchedBy ?? null,
    assignedBy: row.key_id,
    createdAt: row.created_at.toISOString(),
  }
}
