import { readdirSync, readFileSync } from 'node:fs'
import { freePort } from '../test/support/free-port.ts'
import { type Service, startService } from '../test/support/service.ts'

/** A process of the service, and where its metrics are. */
export type Measured = { readonly service: Service; readonly metricsUrl: string }

/** What a process has used since its start, and holds now. */
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

/** For how long the oldest batch of events waits to be fanned out. */
export async function outboxAgeSeconds({ metricsUrl }: Measured): Promise<number> {
  return sample(await (await fetch(metricsUrl)).text(), 'quittance_outbox_oldest_age_seconds')
}

/** CPU seconds of a process and all its children, such as PostgreSQL's. Linux only: elsewhere nothing is known. */
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

/** The fields of /proc/…/stat behind the name of the program, which may hold anything: state, parent, and so on. */
function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It has ended since it was listed.
    return null
  }
}

function sample(metrics: string, name: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? Number.NaN)
}
