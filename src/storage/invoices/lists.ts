import {
  type Listed,
  type ListFilter,
  type ListQuery,
  type Placed,
  placeOf,
  type Search,
  wantsAll,
  type YearCount,
} from '../../domain/invoices/list.ts'
import { networks } from '../../domain/network.ts'
import { inDays } from '../books/days.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { array, type Sql, statement } from '../postgres/db.ts'
import type { Database } from '../postgres/pools.ts'
import { columns, decode, type Row } from './invoices.ts'

/** One page of an account's invoices, newest first, and the number of all matches. */
export function list(sql: Sql, accountId: string, query: ListQuery): Promise<Listed> {
  return wantsAll(query) ? listAll(sql, accountId, query) : listMatching(sql, accountId, query)
}

/**
 * All matching invoices, a statement for each page, without those created meanwhile. Those of a
 * period are in the order of settlement, the latest first.
 */
export async function* pages(
  { list, listFurther }: Pick<Database, 'list' | 'listFurther'>,
  accountId: string,
  filter: ListFilter,
): AsyncGenerator<readonly Placed[], void> {
  const read = filter.settled === null ? page : settledPage
  let last: Placed | null = null
  for (;;) {
    const query = { ...filter, after: last, offset: 0, limit: exportedPerPage }
    const inTurn: Database['list'] = last === null ? list : listFurther
    const invoices: readonly Placed[] = await inTurn(accountId, (sql) =>
      read(sql, accountId, query),
    )
    yield invoices
    last = invoices.at(-1) ?? null
    if (invoices.length < exportedPerPage) return
  }
}

const exportedPerPage = 500

// Places have no gaps, so the counters give the total and the start of each page.
async function listAll(sql: Sql, accountId: string, query: ListQuery): Promise<Listed> {
  const counting = countByYear(sql, accountId)
  const after = query.offset === 0 ? query.after : placeOf(await counting, query.offset)
  const [invoices, counts] = await Promise.all([
    page(sql, accountId, { ...query, after, offset: 0, limit: query.limit + 1 }),
    counting,
  ])
  return listed(
    invoices,
    counts.reduce((sum, { count }) => sum + count, 0),
    query.limit,
  )
}

/** One statement: a search for buyers reads what it searches once. */
async function listMatching(sql: Sql, accountId: string, query: ListQuery): Promise<Listed> {
  const { limit } = query
  const rows = await statement<((Row | { id: null }) & { total: number })[]>(sql)`
    ${hitsOf(sql, accountId, query)}
    select total, page.* from (
      select count(*)::integer as total from invoices where ${matching(sql, accountId, query)}
    ) as counted
    left join (${pageOf(sql, accountId, { ...query, limit: limit + 1 })}) as page on true
    order by year desc, place desc`
  const invoices = rows.flatMap((row) => (row.id === null ? [] : [decode(row)]))
  return listed(invoices, rows[0]?.total ?? 0, limit)
}

/** `found` holds one invoice more than the page if more follow. */
function listed(found: readonly Placed[], total: number, limit: number): Listed {
  return { invoices: found.slice(0, limit), total, hasMore: found.length > limit }
}

function countByYear(sql: Sql, accountId: string): Promise<readonly YearCount[]> {
  return statement<YearCount[]>(sql)`
    select year, last_sale + last_purchase as count from invoice_numbers where account_id = ${accountId} order by year desc`
}

async function page(sql: Sql, accountId: string, query: ListQuery): Promise<readonly Placed[]> {
  const rows = await statement<Row[]>(
    sql,
  )`${hitsOf(sql, accountId, query)} ${pageOf(sql, accountId, query)}`
  return rows.map(decode)
}

/** The page behind `after` in the order of settlement. */
async function settledPage(
  sql: Sql,
  accountId: string,
  { after, limit, ...filter }: ListFilter & { after: Placed | null; limit: number },
): Promise<readonly Placed[]> {
  const settledAt = after?.progress.settlement?.settledAt ?? null
  const behind = after
    ? sql`and (settled_at, year, place) < (${settledAt}::timestamptz, ${after.year}, ${after.place})`
    : sql``
  const rows = await statement<Row[]>(sql)`
    ${hitsOf(sql, accountId, filter)}
    select ${columns(sql)} from invoices where ${matching(sql, accountId, filter)} and settled_at is not null ${behind}
    order by settled_at desc, year desc, place desc limit ${limit}`
  return rows.map(decode)
}

function pageOf(sql: Sql, accountId: string, query: ListQuery) {
  const { after, offset, limit } = query
  const behind = after ? sql`and (year, place) < (${after.year}, ${after.place})` : sql``
  return sql`
    select ${columns(sql)} from invoices where ${matching(sql, accountId, query)} ${behind}
    order by year desc, place desc limit ${limit} offset ${offset}`
}

function matching(sql: Sql, accountId: string, filter: ListFilter) {
  return sql`account_id = ${accountId}
    ${filter.states ? sql`and state = any(${array(filter.states)}::text[])` : sql``}
    ${filter.createdFrom ? createdFrom(sql, filter.createdFrom) : sql``}
    ${filter.createdBefore ? createdBefore(sql, filter.createdBefore) : sql``}
    ${filter.settled ? inDays(sql, 'settled_at', filter.settled) : sql``}
    ${filter.kind === null ? sql`` : sql`and is_purchase = ${filter.kind === 'purchase'}`}
    ${filter.agentId === null ? sql`` : sql`and agent_id = ${filter.agentId}`}
    ${filter.search ? sql`and ${found(sql, accountId, filter.search)}` : sql``}`
}

// The year narrows the index. Places of a year are not in order of time: clocks may differ.

function createdFrom(sql: Sql, at: Date) {
  return sql`and created_at >= ${at} and year >= ${at.getUTCFullYear()}::integer`
}

function createdBefore(sql: Sql, at: Date) {
  const last = new Date(at.getTime() - 1)
  return sql`and created_at < ${at} and year <= ${last.getUTCFullYear()}::integer`
}

// Buyers are in no index, which would slow down every creation.
const searchedForBuyers = 10_000

function found(sql: Sql, accountId: string, search: Search) {
  switch (search.kind) {
    case 'number':
      return numbered(sql, accountId, search)
    case 'id':
      return sql`id = ${search.id}`
    case 'hash':
      return sql`id in (
        select invoice_id from transfers
        where chain = any(${array(networks)}::text[]) and tx_hash = ${toBytes(search.hash)} and state <> 'reverted'
        union all
        select invoice_id from purchases
        where account_id = ${accountId} and chain = any(${array(networks)}::text[]) and tx_hash = ${toBytes(search.hash)}
          and position is not null
      )`
    case 'buyer':
      return sql`id in (select id from hits)`
  }
}

/** Those whose number is their place are found by that: most accounts have no others. */
function numbered(sql: Sql, accountId: string, search: Extract<Search, { kind: 'number' }>) {
  const { series, year, number } = search
  const meant = sql`account_id = ${accountId} and number = ${number}
    ${year === null ? sql`` : sql`and year = ${year}`}
    ${series === null ? sql`` : sql`and is_purchase = ${series === 'purchase'}`}`
  return sql`id in (
    select id from invoices where ${meant} and place = ${number}
    union all select id from invoices where ${meant} and number <> place
  )`
}

/** The CTE `hits` of a search for buyers. */
function hitsOf(sql: Sql, accountId: string, { search }: ListFilter) {
  if (search?.kind !== 'buyer') return sql``
  const { part } = search
  return sql`
    with hits as (
      select id from (
        select id, terms::json -> 'buyer' as buyer, case when is_purchase then terms::json #>> '{seller,name}' end as host
        from invoices where account_id = ${accountId}
        order by year desc, place desc limit ${searchedForBuyers}
      ) as newest
      where strpos(lower(buyer ->> 'name'), lower(${part})) > 0
        or strpos(lower(buyer ->> 'email'), lower(${part})) > 0 or strpos(host, lower(${part})) > 0
    )`
}
