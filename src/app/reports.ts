import { summarize } from '../domain/tax-summary.ts'
import type { Reports } from '../http/api-v1/dashboard.ts'
import type { Sql } from '../storage/db.ts'
import { taxTotals } from '../storage/reports.ts'

/** The figures of the dashboard. */
export function reports(sql: Sql): Reports {
  return { taxSummary: async (accountId) => summarize(await taxTotals(sql, accountId)) }
}
