import type { Days } from '../../domain/books/period.ts'
import type { SettledDay } from '../../domain/invoices/settled-days.ts'
import type { Total, TotalKind } from '../../domain/invoices/tax-summary.ts'
import { type Sql, statement, within } from '../postgres/db.ts'

export type Amount = { readonly invoiceCount: number; readonly usdcBase: bigint }

/** Sales and credit notes of each day in the order of time; days without any are left out. */
export async function settledDays(
  sql: Sql,
  accountId: string,
  days: Days,
): Promise<readonly SettledDay[]> {
  const rows = await statement<(Omit<SettledDay, BaseName> & Record<BaseName, string>)[]>(sql)`
    select day::text, ${sumsBy(sql, 'sale', 'invoiceCount', 'usdcBase')},
      ${sumsBy(sql, 'credit', 'creditNoteCount', 'creditedBase')}
    from tax_totals where ${ofDays(sql, accountId, days)} and kind in ('sale', 'credit') and document_count <> 0
    group by day order by day`
  return rows.map((row) => ({
    ...row,
    usdcBase: BigInt(row.usdcBase),
    creditedBase: BigInt(row.creditedBase),
  }))
}

type BaseName = 'usdcBase' | 'creditedBase'

function sumsBy(sql: Sql, kind: TotalKind, count: string, base: BaseName) {
  return sql`coalesce(sum(document_count) filter (where kind = ${kind}), 0)::integer as ${sql(count)},
    coalesce(sum(usdc_base) filter (where kind = ${kind}), 0)::text as ${sql(base)}`
}

type TotalRow = Omit<Total, 'netMinor' | 'taxMinor'> & { netMinor: string; taxMinor: string }

/** What counts in a period, by kind, currency, country, category and rate. */
export async function taxTotals(
  sql: Sql,
  accountId: string,
  days: Days,
): Promise<readonly Total[]> {
  const rows = await statement<TotalRow[]>(sql)`
    select kind, currency, country_code as "countryCode", category, rate_basis_points as "rateBasisPoints",
      sum(share_count)::integer as "shareCount", sum(document_count)::integer as "documentCount",
      sum(net_minor)::text as "netMinor", sum(tax_minor)::text as "taxMinor"
    from tax_totals where ${ofDays(sql, accountId, days)}
    group by kind, currency, country_code, category, rate_basis_points having sum(share_count) > 0`
  return rows.map((row) => ({
    ...row,
    netMinor: BigInt(row.netMinor),
    taxMinor: BigInt(row.taxMinor),
  }))
}

function ofDays(sql: Sql, accountId: string, { from, to }: Days) {
  return sql`account_id = ${accountId} ${from === null ? sql`` : sql`and day >= ${from}`}
    ${to === null ? sql`` : sql`and day < ${to}`}`
}

/** `open`: what is outstanding; `confirming`: paid but not yet final on chain. */
export async function underWay(
  sql: Sql,
  accountId: string,
): Promise<{ readonly open: Amount; readonly confirming: Amount }> {
  const rows = await within(() =>
    // Unprepared: a generic plan would read all invoices of a large account.
    sql.unsafe<{ isOpen: boolean; invoiceCount: number; usdcBase: string }[]>(underWayOf, [
      accountId,
    ]),
  )
  const of = (wanted: boolean): Amount => {
    const { invoiceCount, usdcBase } = rows.find(({ isOpen }) => isOpen === wanted) ?? nothing
    return { invoiceCount, usdcBase: BigInt(usdcBase) }
  }
  return { open: of(true), confirming: of(false) }
}

const nothing = { invoiceCount: 0, usdcBase: '0' }

const receivedBase = `coalesce((
  select sum((payment ->> 'usdcBase')::bigint)::bigint from json_array_elements(progress::json -> 'payments') as payment
), 0)`

// The condition matches an index. Payments are JSON, read only where any exist.
const underWayOf = `
  select "isOpen", count(*)::integer as "invoiceCount", sum(left_base)::text as "usdcBase"
  from (
    select true as "isOpen", due_base - case when progress like '%"payments":[%' then ${receivedBase} else 0 end as left_base
    from invoices where account_id = $1 and owed_base = due_base and state <> 'failed'
    union all
    select state <> 'paid', due_base - case when state = 'paid' then 0 else ${receivedBase} end
    from credited_invoices as credited join invoices on id = invoice_id where credited.account_id = $1
  ) as under_way
  group by 1`
