import { dayOf } from '../domain/instant.ts'
import { lastDays } from '../domain/invoices/settled-days.ts'
import { summarize } from '../domain/invoices/tax-summary.ts'
import type { TaxTable } from '../domain/money/tax-rates.ts'
import { cacheByCost, shareRuns } from '../scheduling/cache.ts'
import { settledDays, taxTotals, underWay } from '../storage/invoices/reports.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findTrustSignals, rebuildTrustSignals } from '../storage/settlement/trust.ts'

export type Reports = ReturnType<typeof createReports>

const shownDays = 30

type Parts = {
  readonly sql: Sql
  readonly taxTable: TaxTable
  readonly now: () => Date
  readonly steadyMs: () => number
}

export function createReports({ sql, taxTable, now, steadyMs }: Parts) {
  const countTrustSignals = shareRuns(() => rebuildTrustSignals(sql))

  async function taxSummary(accountId: string) {
    return summarize(await taxTotals(sql, accountId), taxTable)
  }

  /**
   * The state of an account in USDC base units: what is outstanding (`open`), what is paid but not
   * final (`confirming`), and what settled on each of the last 30 days.
   */
  async function readOverview(accountId: string) {
    const today = now()
    const first = dayOf(new Date(today.getTime() - shownDays * 86_400_000))
    const [days, { open, confirming }] = await Promise.all([
      settledDays(sql, accountId, first),
      underWay(sql, accountId),
    ])
    return { open, confirming, days: lastDays(days, shownDays, today) }
  }

  /** The service's record as of last night; a new database is counted now. */
  async function trustSignals() {
    return (await findTrustSignals(sql)) ?? (await countTrustSignals())
  }

  return {
    taxSummary,
    // It reads all open invoices, and dashboards ask again on each change.
    overview: cacheByCost(readOverview, steadyMs),
    trustSignals,
  }
}
