import { array, type Sql, statement } from '../postgres/db.ts'

/** The ids of some invoices of one account. */
export type Owned = { readonly accountId: string; readonly ids: readonly string[] }

/** Groups invoices by their account, in no particular order; unknown ids are left out. */
export async function ownersOf(sql: Sql, ids: readonly string[]): Promise<readonly Owned[]> {
  return statement<Owned[]>(sql)`
    select account_id as "accountId", json_agg(id) as ids from invoices where id = any(${array(ids)}::uuid[]) group by account_id`
}
