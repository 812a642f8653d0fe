import type { RateDay } from '../../domain/money/ecb.ts'
import { ago, clock, type Sql, statement } from '../postgres/db.ts'

/** The last good day of a source; null before the first. */
export async function findRateDay(sql: Sql, source: string): Promise<RateDay | null> {
  const [row] = await statement<{ as_of: Date; rates: string }[]>(sql)`
    select as_of, rates from exchange_rates where source = ${source} and as_of is not null`
  return row ? { asOf: row.as_of.toISOString(), rates: JSON.parse(row.rates) } : null
}

/**
 * Whether the caller is to read the source now: nobody else does, and it was not read for
 * `everyMs`, nor tried for `againMs`. A time after now comes from a wrong clock and does not count.
 */
export async function claimRead(
  sql: Sql,
  source: string,
  { everyMs, againMs }: { readonly everyMs: number; readonly againMs: number },
): Promise<boolean> {
  const claimed = await statement(sql)`
    insert into exchange_rates as known (source, attempted_at) values (${source}, ${clock(sql)})
    on conflict (source) do update set attempted_at = excluded.attempted_at
    where known.attempted_at not between ${ago(sql, againMs)} and now()
      and (known.read_at between ${ago(sql, everyMs)} and now()) is not true`
  return claimed.count > 0
}

/** False if a later day is on record. */
export async function keepRateDay(sql: Sql, source: string, day: RateDay): Promise<boolean> {
  const kept = await statement(sql)`
    update exchange_rates set as_of = ${day.asOf}, rates = ${JSON.stringify(day.rates)}, read_at = ${clock(sql)}
    where source = ${source} and (as_of is null or as_of <= ${day.asOf})`
  return kept.count > 0
}
