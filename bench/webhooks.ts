/**
 * What does delivering cost? `bun bench/webhooks.ts [rounds]` compares:
 *
 * - (a) bare POSTs: a signed envelope sent over and over by the worker's own client, with its guard
 *   and limits, as many at once as the worker sends;
 * - (b) the service's worker, from the outbox to attempts on record with fsync;
 * - (f) bare POSTs by Bun's `fetch`.
 *
 * The variants take turns, so a drift in the machine's speed affects all of them. Ratios are
 * medians over the rounds. Then it measures what one dead endpoint with 10,000 queued deliveries
 * does to the others: the latency of their deliveries from commit to arrival, with and without it,
 * in turns.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { newWebhookSecret, webhookHeaders } from '../src/domain/webhooks/signature.ts'
import { createEgress } from '../src/http/egress/egress.ts'
import { postgresBackend } from '../src/queues/backends/postgres.ts'
import { createQueues } from '../src/queues/queues.ts'
import { connect, type Sql } from '../src/storage/postgres/db.ts'
import { deleteWebhook } from '../src/storage/webhooks/webhooks.ts'
import { createLog } from '../src/telemetry/log.ts'
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { aWebhook, commit, recorded, subscribe } from './events.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const perRound = 60_000
const atOnce = 160
const deadQueue = 10_000
const settled = ['invoice.settled'] as const

const data = JSON.stringify({
  id: '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21',
  invoiceNumber: 'INV-2026-0001',
  status: 'settled',
  txHash: `0x${'5e'.repeat(32)}`,
  paymentDetails: {
    chain: 'base',
    paymentAddress: `0x${'aa'.repeat(20)}`,
    usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    amountDue: '14.88',
    amountReceived: '14.88',
    reference: `0x${'3d'.repeat(32)}`,
    settlementBlockNumber: 24_105_337,
    settlementSource: 'evm-detector',
  },
})

const egress = createEgress({ allowPrivate: true })
const postgres = await startPostgres()
const receiver = await rival('receiver')
const url = `http://127.0.0.1:${receiver.port}/hook`
const dead = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
try {
  const worker = await startService(testEnv(postgres.url, { ROLE: 'worker', LOG_LEVEL: 'info' }))
  const log = createLog('silent')
  const queues = createQueues({ backend: await postgresBackend(postgres.url, log), log })
  const sql = connect(postgres.url, { max: 2, name: 'bench' })
  const accounts = await openAccounts(postgres.url, 16)
  const subscribed = await subscribe(sql, accounts, { url, events: settled })
  await throughput(sql, subscribed, () => queues.wake('outbox'))
  await isolation(sql, subscribed, () => queues.wake('outbox'))
  await queues.close()
  await sql.end()
  await worker.stop()
} finally {
  dead.close()
  receiver.stop()
  await postgres.stop()
}
process.exit()

async function throughput(sql: Sql, accountIds: readonly string[], wake: () => void) {
  const ratios: { ofBare: number; ofFetch: number }[] = []
  console.log('round   (a) bare POSTs/s   (f) by fetch   (b) deliveries/s   b/a   b/f')
  for (let round = 0; round <= rounds; round++) {
    const bare = await posts(2, byTheWorkersClient)
    const byFetch = await posts(2, byFetchAlone)
    // Resets the receiver's count; garbage of the bare POSTs is collected before the clock starts.
    await fetch(url)
    await commit(sql, accountIds, perRound, data)
    Bun.gc(true)
    const started = performance.now()
    wake()
    await recorded(sql, url, perRound)
    const delivered = (1_000 * perRound) / (performance.now() - started)
    await sql`truncate delivery_batches, deliveries, events`
    if (round === 0) continue
    const [ofBare, ofFetch] = [delivered / bare, delivered / byFetch]
    ratios.push({ ofBare, ofFetch })
    const columns = [
      String(round).padStart(5),
      bare.toFixed(0).padStart(18),
      byFetch.toFixed(0).padStart(14),
      delivered.toFixed(0).padStart(18),
      ofBare.toFixed(2).padStart(5),
      ofFetch.toFixed(2).padStart(5),
    ]
    console.log(columns.join(' '))
  }
  const ofBare = median(ratios.map((round) => round.ofBare))
  const ofFetch = median(ratios.map((round) => round.ofFetch))
  report({
    'delivering webhooks: over bare POSTs by the same client': ofBare.toFixed(2),
    'delivering webhooks: over bare `fetch`': ofFetch.toFixed(2),
  })
}

type Posted = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** With the egress guard, which checks the host and limits time and answer. */
async function byTheWorkersClient(posted: Posted): Promise<void> {
  const send = await egress.open(url, 5_000)
  await send({ method: 'POST', ...posted, timeoutMs: 15_000, maxResponseBytes: 65_536 })
}

async function byFetchAlone(posted: Posted): Promise<void> {
  const response = await fetch(url, { method: 'POST', ...posted })
  await response.arrayBuffer()
}

async function posts(seconds: number, post: (posted: Posted) => Promise<void>): Promise<number> {
  const secret = newWebhookSecret(randomBytes(32))
  const body = `{"id":"5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f","type":"invoice.settled","createdAt":"2026-05-01T12:00:00.000Z","sequence":1,"data":${data}}`
  const headers = {
    ...webhookHeaders({
      eventId: '5f0c9b7e-2101-8a52-8a3e-01994a6e7c1f',
      type: 'invoice.settled',
      body,
      secrets: [secret],
      timestampSeconds: 1_777_000_000,
    }),
    'content-type': 'application/json',
  }
  let sent = 0
  const endAt = performance.now() + 1_000 * seconds
  async function loop() {
    while (performance.now() < endAt) {
      await post({ headers, body })
      sent++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  return sent / seconds
}

type Seen = { readonly count: number; readonly latenciesMs: readonly number[] }

async function isolation(sql: Sql, accountIds: readonly string[], wake: () => void) {
  const ratios: number[] = []
  console.log('round   without the dead one: p50, p99 ms   with it: p50, p99 ms   p99 ratio')
  for (let round = 0; round <= rounds; round++) {
    const without = await latencies(sql, accountIds, wake)
    const { port } = dead.address() as { port: number }
    const [accountId = ''] = (await openAccounts(postgres.url, 1)).map(({ account }) => account.id)
    const webhookId = await aWebhook(sql, accountId, {
      url: `http://127.0.0.1:${port}/hook`,
      events: settled,
    })
    await commit(sql, [accountId], deadQueue, data)
    wake()
    await Bun.sleep(3_000)
    const beside = await latencies(sql, accountIds, wake)
    await deleteWebhook(sql, accountId, webhookId, new Date())
    await Bun.sleep(1_000)
    if (round === 0) continue
    ratios.push(beside.p99 / without.p99)
    console.log(
      `${String(round).padStart(5)} ${without.p50.toFixed(0).padStart(27)} ${without.p99.toFixed(0).padStart(7)} ${beside.p50.toFixed(0).padStart(18)} ${beside.p99.toFixed(0).padStart(5)} ${(beside.p99 / without.p99).toFixed(2).padStart(11)}`,
    )
  }
  report({ 'p99 of deliveries beside a dead endpoint: over without': median(ratios).toFixed(2) })
}

/** Latencies of deliveries in milliseconds, at 200 events a second for 5 s. */
async function latencies(sql: Sql, accountIds: readonly string[], wake: () => void) {
  await fetch(url)
  const commits = 100
  for (let n = 0; n < commits; n++) {
    const nextAt = performance.now() + 50
    await commit(sql, accountIds.slice(0, 10), 10, `{"at":${Date.now()}}`)
    wake()
    await Bun.sleep(Math.max(0, nextAt - performance.now()))
  }
  const all: number[] = []
  while (all.length < commits * 10) {
    await Bun.sleep(50)
    all.push(...((await (await fetch(url)).json()) as Seen).latenciesMs)
  }
  all.sort((a, b) => a - b)
  return {
    p50: all[Math.floor(all.length * 0.5)] ?? 0,
    p99: all[Math.floor(all.length * 0.99)] ?? 0,
  }
}
