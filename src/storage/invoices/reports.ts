import type { SettledDay } from '../../domain/invoices/settled-days.ts'
import type { Total } from '../../domain/invoices/tax-summary.ts'
import { type Sql, statement, within } from '../postgres/db.ts'

export type Amount = { readonly invoiceCount: number; readonly usdcBase: bigint }

/** Sales settled on each day from `first` on; days without any are left out. */
export async function settledDays(
  sql: Sql,
  accountId: string,
  first: string,
): Promise<readonly SettledDay[]> {
  const rows = await statement<{ day: string; invoiceCount: number; usdcBase: string }[]>(sql)`
    select day::text, invoice_count::integer as "invoiceCount", usdc_base as "usdcBase"
    from settled_days where account_id = ${accountId} and day >= ${first} and invoice_count > 0 order by day`
  return rows.map((row) => ({ ...row, usdcBase: BigInt(row.usdcBase) }))
}

type TotalRow = Omit<Total, 'subtotalUnits' | 'taxUnits' | 'invoiceCount'> & {
  invoiceCount: bigint
  subtotalUnits: string
  taxUnits: string
}

/** Settled and completed invoices by currency, country, rate and whether they are purchases. */
export async function taxTotals(sql: Sql, accountId: string): Promise<readonly Total[]> {
  const rows = await statement<TotalRow[]>(sql)`
    select currency, scale, country_code as "countryCode", rate_basis_points as "rateBasisPoints",
      invoice_count as "invoiceCount", subtotal_units as "subtotalUnits", tax_units as "taxUnits",
      is_purchase as "isPurchase"
    from tax_totals where account_id = ${accountId} and invoice_count > 0`
  return rows.map((row) => ({
    ...row,
    invoiceCount: Number(row.invoiceCount),
    subtotalUnits: BigInt(row.subtotalUnits),
    taxUnits: BigInt(row.taxUnits),
  }))
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
    select true as "isOpen", due_base - case when progress like '%"payments":[]%' then 0 else ${receivedBase} end as left_base
    from invoices where account_id = $1 and payable and (state = 'failed') is false
    union all
    select state <> 'paid', due_base - case when state = 'paid' then 0 else ${receivedBase} end
    from credited_invoices as credited join invoices on id = invoice_id where credited.account_id = $1
  ) as under_way
  group by 1`
