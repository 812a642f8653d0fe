import { ecbSource, type RateDay, readEcbDay } from '../domain/money/ecb.ts'
import { claimRead, keepRateDay } from '../storage/rates/exchange-rates.ts'
import type { Work, WorkParts } from './work.ts'

const runEveryMs = 3_600_000
/** An hourly job may be early. */
const reading = { everyMs: 23.5 * runEveryMs, againMs: 0.9 * runEveryMs }
const answerLimitMs = 10_000
const mostBytes = 262_144
const dayMs = 86_400_000

/** Reads the ECB's rates once a day; what cannot be read is tried again every hour. */
export function ratesWork(
  parts: Pick<WorkParts, 'config' | 'sql' | 'queues' | 'log' | 'now'>,
): Work<'rates'> {
  const { sql, queues, log, now } = parts
  const { ecbUrl } = parts.config.fx
  if (ecbUrl === null) return { process: async () => {} }

  async function read(url: string): Promise<RateDay> {
    const day = readEcbDay(await textAt(url))
    if (Date.parse(day.asOf) > now().getTime() + dayMs)
      throw new Error(`its day, ${day.asOf.slice(0, 10)}, lies in the future`)
    if (!(await keepRateDay(sql, ecbSource, day)))
      throw new Error(`its day, ${day.asOf.slice(0, 10)}, is before the one on record`)
    return day
  }

  return {
    async process() {
      if (!(await claimRead(sql, ecbSource, reading))) return
      try {
        const { asOf } = await read(ecbUrl)
        log.info({ asOf }, 'exchange rates read')
      } catch (error) {
        const reason = error instanceof Error ? error.message : `${error}`
        log.warn({ reason }, 'exchange rates could not be read: the last good day stays')
      }
    },
    schedule: () => queues.every('rates', {}, runEveryMs),
  }
}

async function textAt(url: string): Promise<string> {
  const signal = AbortSignal.timeout(answerLimitMs)
  const response = await fetch(url, { signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`it answers ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new Error(`its answer has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
