import type { Total } from '../../domain/invoices/tax-summary.ts'
import { type Sql, statement } from '../postgres/db.ts'

type Row = Omit<Total, 'subtotalUnits' | 'taxUnits' | 'invoiceCount'> & {
  invoiceCount: bigint
  subtotalUnits: string
  taxUnits: string
}

/**
 * The totals of an account's settled and completed invoices per currency, country and tax rate,
 * those of purchases apart.
 */
export async function taxTotals(sql: Sql, accountId: string): Promise<readonly Total[]> {
  const rows = await statement<Row[]>(sql)`
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
