import type { Days } from '../domain/books/period.ts'
import { everyDay, shownDays, sumOfDays } from '../domain/invoices/settled-days.ts'
import { summarize } from '../domain/invoices/tax-summary.ts'
import type { TaxTable } from '../domain/money/tax-rates.ts'
import { cacheByCost, shareRuns } from '../scheduling/cache.ts'
import { settledDays, taxTotals, underWay } from '../storage/invoices/reports.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findTrustSignals, rebuildTrustSignals } from '../storage/receipts/trust.ts'

export type Reports = ReturnType<typeof createReports>

type Asked = { readonly accountId: string; readonly days: Days }

type Parts = {
  readonly sql: Sql
  readonly taxTable: TaxTable
  readonly now: () => Date
  readonly steadyMs: () => number
}

export function createReports({ sql, taxTable, now, steadyMs }: Parts) {
  const countTrustSignals = shareRuns(() => rebuildTrustSignals(sql))

  async function taxSummary(accountId: string, days: Days) {
    return summarize(await taxTotals(sql, accountId, days), taxTable)
  }

  /**
   * The state of an account in USDC base units: what is outstanding (`open`), what is paid but not
   * final (`confirming`), and what settled on each day of a period, or of the last 30.
   */
  async function readOverview(asked: string) {
    const { accountId, days } = JSON.parse(asked) as Asked
    const shown = shownDays(days, now())
    const [known, { open, confirming }] = await Promise.all([
      settledDays(sql, accountId, { ...days, from: shown[0] ?? days.from }),
      underWay(sql, accountId),
    ])
    const settled = everyDay(shown, known)
    return { open, confirming, days: settled, sum: sumOfDays(settled) }
  }

  // It reads all open invoices, and dashboards ask again on each change.
  const cachedOverview = cacheByCost(readOverview, steadyMs)

  /** The service's record as of last night; a new database is counted now. */
  async function trustSignals() {
    return (await findTrustSignals(sql)) ?? (await countTrustSignals())
  }

  return {
    taxSummary,
    /** Errors: `invalid_request` for a period of more than 366 days. */
    overview: (accountId: string, days: Days) =>
      cachedOverview(JSON.stringify({ accountId, days } satisfies Asked)),
    trustSignals,
  }
}
