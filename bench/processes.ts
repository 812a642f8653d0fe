import { readdirSync, readFileSync } from 'node:fs'
import { freePort } from '../test/support/free-port.ts'
import { type Service, startService } from '../test/support/service.ts'

export type Measured = { readonly service: Service; readonly metricsUrl: string }

export type Usage = { readonly cpuSeconds: number; readonly residentBytes: number }

export async function startHttp(env: Readonly<Record<string, string>>): Promise<Measured> {
  const service = await startService({ ...env, ROLE: 'http', LOG_LEVEL: 'info' })
  return { service, metricsUrl: `${service.url}/metrics` }
}

export async function startWorker(env: Readonly<Record<string, string>>): Promise<Measured> {
  const port = freePort()
  const own = { ...env, ROLE: 'worker', LOG_LEVEL: 'info', METRICS_PORT: `${port}` }
  return { service: await startService(own), metricsUrl: `http://127.0.0.1:${port}/metrics` }
}

export function portOf({ service }: Measured): number {
  return Number(new URL(service.url).port)
}

export async function usageOf({ metricsUrl }: Measured): Promise<Usage> {
  const text = await (await fetch(metricsUrl)).text()
  return {
    cpuSeconds: sample(text, 'process_cpu_seconds_total'),
    residentBytes: sample(text, 'process_resident_memory_bytes'),
  }
}

export async function outboxAgeSeconds({ metricsUrl }: Measured): Promise<number> {
  return sample(await (await fetch(metricsUrl)).text(), 'quittance_outbox_oldest_age_seconds')
}

/** Of a process and its direct children, such as PostgreSQL's. Linux only. */
export function cpuSecondsUnder(pid: number): number {
  const ticksPerSecond = 100
  let ticks = 0
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const fields = statOf(entry)
    if (fields && (entry === String(pid) || fields[1] === String(pid)))
      ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / ticksPerSecond
}

/** The fields of /proc/…/stat after the program's name, which may contain anything. */
function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    // The process ended after it was listed.
    return null
  }
}

function sample(metrics: string, name: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? Number.NaN)
}
