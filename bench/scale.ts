/**
 * What does another process gain? `bun bench/scale.ts [rounds]` creates invoices over 64 keep-alive
 * connections on 1 and on 2 `http` processes, and delivers 20,000 webhooks with 1, 2 and 4 workers,
 * each with its own queues. The variants take turns, and ratios are medians over the rounds.
 *
 * It also prints the CPU time of one request or delivery, for the service's processes and
 * PostgreSQL. If one process keeps all cores of a machine busy, that figure tells how many machines
 * are needed; the ratio of rates then only tells how many cores there are.
 */
import { postgresBackend } from '../src/queues/backends/postgres.ts'
import { createQueues, queueNames } from '../src/queues/queues.ts'
import { connect, type Sql } from '../src/storage/postgres/db.ts'
import { createLog } from '../src/telemetry/log.ts'
import { testEnv } from '../test/support/app.ts'
import { postmasterPid } from '../test/support/postgres.ts'
import { type Bytes, bytesEach, bytesOf, bytesText } from './bytes.ts'
import { commit, recorded, subscribe } from './events.ts'
import { creation, load } from './load.ts'
import {
  cpuSecondsUnder,
  type Measured,
  portOf,
  startHttp,
  startWorker,
  usageOf,
} from './processes.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = 4
const connections = 64
const deliveries = 20_000

/** `serviceMicros`, `postgresMicros` and `bytes` are per unit of work. */
type Run = {
  readonly perSecond: number
  readonly serviceMicros: number
  readonly postgresMicros: number
  readonly bytes: Bytes
}

const others = queueNames.filter((name) => name !== 'outbox' && name !== 'deliver')
const spread = {
  '1 worker': [queueNames],
  '2 workers': [['deliver'], ['outbox', ...others]],
  '4 workers': [['deliver'], ['deliver'], ['outbox'], others],
} as const

const postgres = await startPostgres()
const receiver = await rival('receiver')
const env = testEnv(postgres.url)
const sql = connect(postgres.url, { max: 1, name: 'bench' })
const log = createLog('silent')
const queues = createQueues({ backend: await postgresBackend(postgres.url, log), log })
try {
  const http = [await startHttp(env), await startHttp(env)] as const
  const accounts = await openAccounts(postgres.url, 16)
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  const creating = await inTurns({
    '1 http': () => create(http.slice(0, 1), requests),
    '2 http': () => create(http, requests),
  })
  for (const { service } of http) await service.stop()
  const url = `http://127.0.0.1:${receiver.port}/hook`
  const accountIds = await subscribe(sql, accounts, { url, events: ['invoice.settled'] })
  const delivering = await inTurns({
    '1 worker': () => deliver(spread['1 worker'], url, accountIds),
    '2 workers': () => deliver(spread['2 workers'], url, accountIds),
    '4 workers': () => deliver(spread['4 workers'], url, accountIds),
  })
  report({
    'creating invoices: 2 http processes over 1': over(creating['2 http'], creating['1 http']),
    'CPU of an invoice created: service + PostgreSQL': cost(creating['1 http']),
    'the same with 2 http processes': cost(creating['2 http']),
    'bytes of an invoice created: log + tables': bytes(creating['1 http']),
    'delivering webhooks: 2 workers over 1': over(delivering['2 workers'], delivering['1 worker']),
    'delivering webhooks: 4 workers over 1': over(delivering['4 workers'], delivering['1 worker']),
    'CPU of a delivery: service + PostgreSQL': cost(delivering['1 worker']),
    'the same with 4 workers': cost(delivering['4 workers']),
    'bytes of an event with its delivery: log + tables': bytes(delivering['1 worker']),
  })
} finally {
  await queues.close()
  await sql.end()
  receiver.stop()
  await postgres.stop()
}
process.exit()

/** Runs each variant once per round, and prints each run. A first round does not count. */
async function inTurns<Name extends string>(variants: Record<Name, () => Promise<Run>>) {
  const runs = Object.fromEntries(Object.keys(variants).map((name) => [name, [] as Run[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, variant] of Object.entries<() => Promise<Run>>(variants)) {
      const run = await variant()
      console.log(
        `${name.padEnd(10)} ${run.perSecond.toFixed(0).padStart(7)}/s   ${cost([run])}${round === 0 ? '   (warming up)' : ''}`,
      )
      if (round > 0) runs[name]?.push(run)
    }
  }
  return runs as Record<string, Run[]> as Record<Name, readonly Run[]>
}

async function create(processes: readonly Measured[], requests: readonly Uint8Array[]) {
  return measured(processes, async () => {
    const each = { connections: connections / processes.length, requests, seconds }
    const runs = await Promise.all(processes.map((one) => load({ ...each, port: portOf(one) })))
    if (runs.some(({ failed }) => failed > 0)) throw new Error('requests failed')
    return runs.reduce((sum, { perSecond }) => sum + perSecond * seconds, 0)
  })
}

/** Resolves once all events are delivered and on record. */
async function deliver(
  split: readonly (readonly string[])[],
  url: string,
  accountIds: readonly string[],
): Promise<Run> {
  const workers = await Promise.all(
    split.map((names) => startWorker({ ...env, QUEUES: names.join(',') })),
  )
  // Warms up: code is compiled and connections are open afterwards.
  await deliverSome(1_000)
  const run = await measured(workers, () => deliverSome(deliveries))
  await Promise.all(workers.map(({ service }) => service.stop()))
  await emptied(sql)
  return run

  async function deliverSome(count: number): Promise<number> {
    await fetch(url)
    await commit(sql, accountIds, count, '{}')
    queues.wake('outbox')
    await recorded(sql, url, count)
    return count
  }
}

async function measured(processes: readonly Measured[], work: () => Promise<number>): Promise<Run> {
  const before = { ...(await cpu(processes)), bytes: await bytesOf(sql) }
  const started = performance.now()
  const done = await work()
  const elapsedSeconds = (performance.now() - started) / 1_000
  const after = await cpu(processes)
  return {
    perSecond: done / elapsedSeconds,
    serviceMicros: ((after.service - before.service) * 1e6) / done,
    postgresMicros: ((after.postgres - before.postgres) * 1e6) / done,
    bytes: bytesEach(before.bytes, await bytesOf(sql), done),
  }
}

async function cpu(processes: readonly Measured[]) {
  const usages = await Promise.all(processes.map(usageOf))
  return {
    service: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    postgres: cpuSecondsUnder(postmasterPid(postgres.dataDir)),
  }
}

async function emptied(database: Sql): Promise<void> {
  await database`truncate delivery_batches, deliveries, events`
}

function over(of: readonly Run[], than: readonly Run[]): string {
  return median(of.map(({ perSecond }, n) => perSecond / (than[n]?.perSecond ?? 1))).toFixed(2)
}

function cost(runs: readonly Run[]): string {
  const of = (read: (run: Run) => number) => median(runs.map(read)).toFixed(0)
  return `${of((run) => run.serviceMicros)} + ${of((run) => run.postgresMicros)} µs`
}

function bytes(runs: readonly Run[]): string {
  const of = (read: (added: Bytes) => number) => median(runs.map((run) => read(run.bytes)))
  return bytesText({ log: of(({ log }) => log), tables: of(({ tables }) => tables) })
}
