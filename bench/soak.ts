/**
 * Do latency and memory stay constant? `bun bench/soak.ts [--minutes 10]` first measures the
 * highest rate at which one `http` process creates invoices while a worker delivers a webhook for
 * each. Then it creates invoices at 70 % of that rate, each request at its scheduled time. It
 * prints a line for each of 30 windows: p99, memory of both processes, age of the outbox. At the
 * end it compares the last third with the first.
 */
import { parseArgs } from 'node:util'
import { connect } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { subscribe } from './events.ts'
import { creation, load } from './load.ts'
import { outboxAgeSeconds, portOf, startHttp, startWorker, usageOf } from './processes.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const windows = 30
const windowSeconds = (Number(values.minutes) * 60) / windows
const maximumSeconds = Math.min(20, windowSeconds)
const connections = 64
const share = 0.7
const mebibyte = 1_048_576

type Window = {
  readonly p99Ms: number
  readonly httpMiB: number
  readonly workerMiB: number
  readonly outboxSeconds: number
}

const postgres = await startPostgres()
const receiver = await rival('receiver')
try {
  const env = testEnv(postgres.url)
  const http = await startHttp(env)
  const worker = await startWorker(env)
  const sql = connect(postgres.url, { max: 1, name: 'bench' })
  const accounts = await openAccounts(postgres.url, 16)
  const url = `http://127.0.0.1:${receiver.port}/hook`
  await subscribe(sql, accounts, { url, events: ['invoice.created'] })
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  const target = { port: portOf(http), connections, requests }
  await load({ ...target, seconds: maximumSeconds })
  const { perSecond: most } = await load({ ...target, seconds: maximumSeconds })
  const perSecond = share * most
  console.log(`at most ${most.toFixed(0)}/s; from now on ${perSecond.toFixed(0)}/s`)
  console.log('window    per second   p99 ms   http MiB   worker MiB   outbox age s   failed')
  const seen: Window[] = []
  for (let n = 1; n <= windows; n++) {
    const run = await load({ ...target, seconds: windowSeconds, perSecond })
    const window = {
      p99Ms: run.p99Ms,
      httpMiB: (await usageOf(http)).residentBytes / mebibyte,
      workerMiB: (await usageOf(worker)).residentBytes / mebibyte,
      outboxSeconds: await outboxAgeSeconds(worker),
    }
    seen.push(window)
    const columns = [
      String(n).padStart(6),
      run.perSecond.toFixed(0).padStart(13),
      window.p99Ms.toFixed(1).padStart(8),
      window.httpMiB.toFixed(0).padStart(10),
      window.workerMiB.toFixed(0).padStart(12),
      window.outboxSeconds.toFixed(1).padStart(14),
      String(run.failed).padStart(8),
    ]
    console.log(columns.join(' '))
  }
  report({
    [`memory of http over ${values.minutes} minutes: last third over first`]: drift(
      seen,
      ({ httpMiB }) => httpMiB,
    ),
    [`memory of a worker over ${values.minutes} minutes: last third over first`]: drift(
      seen,
      ({ workerMiB }) => workerMiB,
    ),
    [`p99 over ${values.minutes} minutes: last third over first`]: drift(
      seen,
      ({ p99Ms }) => p99Ms,
    ),
    'age of the outbox at 70 % of the maximum, median and last': `${median(seen.map(({ outboxSeconds }) => outboxSeconds)).toFixed(1)} s, ${seen.at(-1)?.outboxSeconds.toFixed(1)} s`,
  })
  await sql.end()
  await http.service.stop()
  await worker.service.stop()
} finally {
  receiver.stop()
  await postgres.stop()
}
process.exit()

/** The median over the last third of the windows, divided by the median over the first third. */
function drift(seen: readonly Window[], read: (window: Window) => number): string {
  const third = windows / 3
  const numbers = seen.map(read)
  return (median(numbers.slice(-third)) / median(numbers.slice(0, third))).toFixed(2)
}
