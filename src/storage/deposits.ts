import type { Invoice } from '../domain/invoice.ts'
import { addressKey } from '../domain/network.ts'
import { array, type Sql, within } from './db.ts'

/** Indexes of deposit addresses that nobody else is ever given. */
export async function takeDepositIndexes(sql: Sql, count: number): Promise<readonly number[]> {
  const rows = await within(
    () => sql<{ index: number }[]>`
      select nextval('deposit_indexes')::integer as index from generate_series(1, ${count})`,
  )
  return rows.map(({ index }) => index)
}

/** The CTE by which those invoices that have an address to themselves are found by it. */
export function depositRows(sql: Sql, invoices: readonly Invoice[]) {
  const deposits = invoices.flatMap(({ id, terms: { chain, payTo, depositIndex } }) =>
    depositIndex === undefined ? [] : [{ id, chain, address: addressKey(payTo), depositIndex }],
  )
  if (deposits.length === 0) return sql``
  return sql`,
    deposits as (
      insert into payment_addresses (chain, address, invoice_id, derivation_index)
      select * from unnest(
        ${array(deposits.map(({ chain }) => chain))}::text[], ${array(deposits.map(({ address }) => address))}::text[],
        ${array(deposits.map(({ id }) => id))}::uuid[], ${array(deposits.map(({ depositIndex }) => depositIndex))}::integer[]
      )
    )`
}
