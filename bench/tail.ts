/**
 * How long do the slowest requests wait? `bun bench/tail.ts [rounds]` finds the highest rate at
 * which one `http` process creates invoices over 64 connections. Then requests come at half that
 * rate, each at its scheduled time, in turn at the service and at the same server without storage.
 * It prints p99 from the scheduled time, as medians over the rounds, and the ratio.
 */
import { testEnv } from '../test/support/app.ts'
import { creation, type LoadResult, load } from './load.ts'
import { portOf, startHttp } from './processes.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = 5
const connections = 64

const postgres = await startPostgres()
const unstored = await rival('create-invoice', 'unstored')
try {
  const service = await startHttp(testEnv(postgres.url))
  const accounts = await openAccounts(postgres.url, 16)
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  const target = { connections, requests, seconds }
  const ports = { service: portOf(service), unstored: unstored.port }
  await load({ ...target, port: ports.service })
  const { perSecond: most } = await load({ ...target, port: ports.service })
  const perSecond = most / 2
  console.log(`at most ${most.toFixed(0)}/s; from now on ${perSecond.toFixed(0)}/s`)
  const runs: Record<keyof typeof ports, LoadResult[]> = { service: [], unstored: [] }
  for (let round = 0; round <= rounds; round++)
    for (const name of ['service', 'unstored'] as const) {
      const run = await load({ ...target, port: ports[name], perSecond })
      if (run.failed > 0) throw new Error(`${run.failed} requests failed`)
      if (round > 0) runs[name].push(run)
    }
  const p99 = (of: readonly LoadResult[]) => median(of.map(({ p99Ms }) => p99Ms))
  const [own, other] = [p99(runs.service), p99(runs.unstored)]
  console.log(`p99: service ${own.toFixed(1)} ms, without storage ${other.toFixed(1)} ms`)
  report({
    'p99 of creating at half the highest rate: over the same without storage': (
      own / other
    ).toFixed(2),
    'p99 of creating at half the highest rate': `${own.toFixed(1)} ms`,
  })
  await service.service.stop()
} finally {
  unstored.stop()
  await postgres.stop()
}
process.exit()
