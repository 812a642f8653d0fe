import type { SettledDay } from '../domain/settled-days.ts'
import { type Sql, within } from './db.ts'

/** What some invoices are due together. */
export type Due = { readonly invoiceCount: number; readonly usdcBase: bigint }

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

/**
 * The account's invoices that wait for their first payment and are not past their due date, and those whose payment is seen and not final
 * on chain yet.
 */
export async function underWay(
  sql: Sql,
  accountId: string,
): Promise<{ readonly open: Due; readonly confirming: Due }> {
  const rows = await within(
    () => sql<{ isOpen: boolean; invoiceCount: number; usdcBase: string }[]>`
      select state <> 'paid' as "isOpen", count(*)::integer as "invoiceCount", sum(due_base)::text as "usdcBase"
      from invoices where account_id = ${accountId} and (state = 'paid' or (payable and state in ('draft', 'sent')))
      group by 1`,
  )
  const of = (wanted: boolean): Due => {
    const { invoiceCount, usdcBase } = rows.find(({ isOpen }) => isOpen === wanted) ?? nothing
    return { invoiceCount, usdcBase: BigInt(usdcBase) }
  }
  return { open: of(true), confirming: of(false) }
}

const nothing = { invoiceCount: 0, usdcBase: '0' }
