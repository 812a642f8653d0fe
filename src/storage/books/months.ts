import { canonical } from '../../domain/canonical.ts'
import type { Receipt } from '../../domain/receipts/receipt.ts'
import { type Sql, statement, uniqueViolation, unlessRefused } from '../postgres/db.ts'

/** A month that is over, of which no receipt has been issued. */
export type DueMonth = {
  readonly accountId: string
  /** `2026-10`. */
  readonly month: string
  /** The first month of the account. */
  readonly since: string
}

/**
 * The next month of each account, if it ended an hour ago: by then nothing is issued in it any
 * more.
 */
export async function dueMonths(sql: Sql, limit: number): Promise<readonly DueMonth[]> {
  return statement<DueMonth[]>(sql)`
    select account_id as "accountId", to_char(due, 'YYYY-MM') as month, to_char(since, 'YYYY-MM') as since
    from (
      select account_id, coalesce(newest + interval '1 month', date_trunc('month', first_at)) as due,
        coalesce(oldest, date_trunc('month', first_at)) as since
      from (select distinct account_id from invoice_numbers) as accounts
      cross join lateral (
        select max(month) as newest, min(month) as oldest from document_months where account_id = accounts.account_id
      ) as closed
      -- Places are not quite in order of time: clocks may differ.
      cross join lateral (
        select min(created_at) as first_at from (
          select created_at from invoices where account_id = accounts.account_id order by year, place limit 100
        ) as earliest
      ) as begun
    ) as next
    where due + interval '1 month' + interval '1 hour' <= now()
    order by due limit ${limit}`
}

/** Issues the receipt of a month. False, with nothing stored: it has one. */
export function storeMonth(
  sql: Sql,
  { accountId, month }: DueMonth,
  { id, kind, seed, claims, hash }: Receipt,
  issuedAt: Date,
): Promise<boolean> {
  return unlessRefused(
    statement(sql)`
    with issued as (
      insert into receipts (id, account_id, kind, subject_id, seed, claims, hash, issued_at)
      values (${id}, ${accountId}, ${kind}, ${accountId}, ${seed}, ${canonical(claims)}, ${hash}, ${issuedAt})
      returning id, account_id
    )
    insert into document_months (account_id, month, receipt_id)
    select account_id, ${`${month}-01`}::date, id from issued`,
    uniqueViolation,
  )
}
