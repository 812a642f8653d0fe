import { dayOf, lastDays } from '../domain/invoices/settled-days.ts'
import { summarize } from '../domain/invoices/tax-summary.ts'
import type { Reports } from '../http/api-v1/dashboard.ts'
import { settledDays, underWay } from '../storage/invoices/overview.ts'
import { taxTotals } from '../storage/invoices/tax-totals.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { cacheByCost } from './cache-by-cost.ts'
import { now, steadyMs } from './clock.ts'

const shownDays = 30

/** The figures of the dashboard. */
export function reports(sql: Sql): Reports {
  return {
    taxSummary: async (accountId) => summarize(await taxTotals(sql, accountId)),
    // Cached: it reads all open invoices of the account, and dashboards ask again on each change.
    overview: cacheByCost(async (accountId) => {
      const today = now()
      const first = dayOf(new Date(today.getTime() - shownDays * 86_400_000))
      const [days, { open, confirming }] = await Promise.all([
        settledDays(sql, accountId, first),
        underWay(sql, accountId),
      ])
      return { open, confirming, days: lastDays(days, shownDays, today) }
    }, steadyMs),
  }
}
