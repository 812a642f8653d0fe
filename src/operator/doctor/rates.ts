import type { Config } from '../../config/config.ts'
import { ecbSource } from '../../domain/money/ecb.ts'
import { isStale } from '../../domain/money/money.ts'
import { builtIn } from '../../domain/money/tax-rates.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { findRateDay } from '../../storage/rates/exchange-rates.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const what = 'exchange rates'

export async function rateFindings({ fx }: Config, sql: Sql): Promise<readonly Finding[]> {
  const { ecbUrl, fixed, isIndicative } = fx
  if (isIndicative)
    return [note(what, 'an indicative table of 1 January 2026, for trying the service out')]
  if (ecbUrl === null && fixed.source === 'none')
    return [note(what, 'none: only USD and USDC are invoiced; see FX_SOURCE and FX_RATES')]
  const day = ecbUrl === null ? fixed : await findRateDay(sql, ecbSource)
  const remedy =
    ecbUrl === null
      ? 'set FX_RATES to rates of today, and FX_RATES_AS_OF to their day'
      : 'does a worker serve the queue rates, and does it reach FX_ECB_URL? Its log says why not'
  if (!day) return [problem(what, `none have been read from the ${ecbSource} yet`, remedy)]
  const source = ecbUrl === null ? fixed.source : ecbSource
  const detail = `${source}, of ${day.asOf.slice(0, 10)}`
  return isStale(day.asOf, new Date().toISOString())
    ? [problem(what, `${detail}: more than 7 days old`, remedy)]
    : [ok(what, detail)]
}

/** A bad `TAX_RATES` is a problem of the configuration. */
export function taxFindings({ taxTable }: Config): readonly Finding[] {
  const added = taxTable.keys().toArray().slice(builtIn.size)
  if (added.length === 0) return []
  return [ok('tax rates', `${builtIn.size} countries and, by TAX_RATES, ${added.join(', ')}`)]
}
