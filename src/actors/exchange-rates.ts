import type { Fx } from '../domain/invoices/request.ts'
import { isDollar } from '../domain/money/currency.ts'
import { ecbSource } from '../domain/money/ecb.ts'
import { shareRuns } from '../scheduling/cache.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { findRateDay } from '../storage/rates/exchange-rates.ts'

/** The rates to convert a currency with; a dollar needs none. */
export type FxOf = (currency: string) => Promise<Fx>

const keptMs = 60_000

/** Rates that a worker reads once a day are looked up at most once a minute. */
export function createExchangeRates(options: {
  readonly fx: { readonly ecbUrl: string | null; readonly fixed: Fx }
  readonly sql: Sql
  readonly steadyMs: () => number
}): FxOf {
  const { sql, steadyMs } = options
  const { ecbUrl, fixed } = options.fx
  let latest = fixed
  let untilMs = Number.NEGATIVE_INFINITY
  const refresh = shareRuns(async () => {
    const day = await findRateDay(sql, ecbSource)
    if (!day) return fixed
    latest = { ...day, source: ecbSource }
    untilMs = steadyMs() + keptMs
    return latest
  })
  return async (currency) => {
    if (ecbUrl === null || isDollar(currency)) return fixed
    return steadyMs() < untilMs ? latest : refresh()
  }
}
