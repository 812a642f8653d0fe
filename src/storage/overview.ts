import type { SettledDay } from '../domain/settled-days.ts'
import { type Sql, within } from './db.ts'

/** What is due on invoices of which nothing has been paid. */
export type Open = { readonly invoiceCount: number; readonly usdcBase: bigint }

/** What the account's invoices settled for on each day from `first` on (`2026-05-01`); a day without any is not there. */
export async function settledDays(
  sql: Sql,
  accountId: string,
  first: string,
): Promise<readonly SettledDay[]> {
  const rows = await within(
    () => sql<{ day: string; invoiceCount: number; usdcBase: string }[]>`
      select day::text, invoice_count::integer as "invoiceCount", usdc_base as "usdcBase"
      from settled_days where account_id = ${accountId} and day >= ${first} and invoice_count > 0 order by day`,
  )
  return rows.map((row) => ({ ...row, usdcBase: BigInt(row.usdcBase) }))
}

/** The account's invoices that wait for their first payment and are not past their due date. */
export async function openInvoices(sql: Sql, accountId: string): Promise<Open> {
  const [row] = await within(
    () => sql<[{ invoiceCount: number; usdcBase: string }]>`
      select count(*)::integer as "invoiceCount", coalesce(sum(due_base), 0)::text as "usdcBase"
      from invoices where account_id = ${accountId} and payable and state in ('draft', 'sent')`,
  )
  return { ...row, usdcBase: BigInt(row.usdcBase) }
}
