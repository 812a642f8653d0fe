import { clockAheadMs, closeSkewMs, mostSkewMs, unfitSkewMs } from './database-server.ts'
import type { Sql } from './db.ts'

type Skew = 'ahead of' | 'behind'

/** How this process's clock differs from PostgreSQL's; null while by no more than `mostMs`. */
export async function clockFault(
  sql: Sql,
  limitMs?: number,
  mostMs = mostSkewMs,
): Promise<{ readonly skew: Skew; readonly text: string; readonly isUnfit: boolean } | null> {
  const aheadMs = await clockAheadMs(sql, () => Date.now(), limitMs)
  if (Math.abs(aheadMs) <= mostMs) return null
  const skew = aheadMs > 0 ? 'ahead of' : 'behind'
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const text = `the clock of this process is ${seconds} s ${skew} the database's`
  return { skew, text, isUnfit: Math.abs(aheadMs) > unfitSkewMs }
}

/** Creates a check that logs when this process's clock goes wrong, and when it is right again. */
export function createClockCheck(sql: Sql, log: ClockLog): () => Promise<void> {
  let known: Skew | null = null
  return async () => {
    const fault = await clockFault(sql, undefined, known === null ? mostSkewMs : closeSkewMs)
    const skew = fault?.skew ?? null
    if (skew === known) return
    known = skew
    if (fault) log.error({}, `${fault.text}: run an NTP client on both machines`)
    else log.info({}, "the clock of this process agrees with the database's again")
  }
}

type ClockLog = {
  info(line: object, message: string): void
  error(line: object, message: string): void
}
