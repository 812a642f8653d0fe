import { dayOf, lastDays } from '../domain/settled-days.ts'
import { summarize } from '../domain/tax-summary.ts'
import type { Reports } from '../http/api-v1/dashboard.ts'
import type { Sql } from '../storage/db.ts'
import { openInvoices, settledDays } from '../storage/overview.ts'
import { taxTotals } from '../storage/reports.ts'
import { now } from './clock.ts'

const shownDays = 30

/** The figures of the dashboard. */
export function reports(sql: Sql): Reports {
  return {
    taxSummary: async (accountId) => summarize(await taxTotals(sql, accountId)),
    async overview(accountId) {
      const today = now()
      const first = dayOf(new Date(today.getTime() - shownDays * 86_400_000))
      const [days, open] = await Promise.all([
        settledDays(sql, accountId, first),
        openInvoices(sql, accountId),
      ])
      return { open, days: lastDays(days, shownDays, today) }
    },
  }
}
