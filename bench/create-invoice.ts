/**
 * What does durability cost? `bun bench/create-invoice.ts [rounds]` compares, at 64 and 256 keep-alive connections from a client on the same
 * machine: (a) the ceiling, Elysia answering the same POST with the same schema and the invoice asked for, without storage; (b) the service,
 * complete and with fsync; (c) the usual way, the same rows by one transaction per request. The variants take turns, two seconds each, so that
 * a machine whose speed drifts does so for all of them; ratios are medians over the rounds. Last, Elysia with a constant answer.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyFrom } from '../src/domain/secret.ts'
import { openAccount } from '../src/operator/accounts.ts'
import { connect } from '../src/storage/db.ts'
import { startEmbedded } from '../src/storage/embedded.ts'
import { testEnv, testSecretsKey } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { type LoadResult, load, wireRequest } from './load.ts'

const rounds = Number(process.argv[2] ?? 5)
const seconds = 2
const accounts = 16
const body = JSON.stringify({
  amount: 12.5,
  currency: 'USDC',
  chain: 'base',
  customerName: 'Ada Example',
  customerEmail: 'ada@example.com',
  taxCountry: 'DE',
  serviceDescription: 'Translation of one contract',
  metadata: { order: 'A-1041' },
})

const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
const postgres = await startEmbedded({ dataDir })
try {
  const ceiling = await rival('unstored')
  const constant = await rival('constant')
  const usual = await rival('transaction', postgres.url)
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const keys = await openAccounts(postgres.url)
  const own = keys.map((key) => request({ 'x-api-key': key }))
  const variants = {
    '(a) no storage': { port: ceiling.port, requests: [request({})] },
    '(b) POST /v1/invoices': { port: Number(new URL(service.url).port), requests: own },
    '(c) transaction per request': { port: usual.port, requests: [request({})] },
    'no storage, constant answer': { port: constant.port, requests: [request({})] },
  }
  console.log('connections  variant                      per second     p50 ms     p99 ms')
  for (const connections of [64, 256]) {
    const results = Object.entries(variants).map(([name, server]) => ({
      name,
      server,
      runs: [] as LoadResult[],
    }))
    for (const { server } of results) await load({ ...server, connections, seconds })
    for (let round = 0; round < rounds; round++) {
      for (const { server, runs } of results)
        runs.push(await load({ ...server, connections, seconds }))
    }
    for (const { name, runs } of results) show(connections, name, runs)
    const [a = [], b = [], c = []] = results.map(({ runs }) =>
      runs.map(({ perSecond }) => perSecond),
    )
    const ratio = (over: readonly number[]) =>
      median(b.map((rate, round) => rate / (over[round] ?? 1)))
    console.log(`             b/a ${ratio(a).toFixed(2)}   b/c ${ratio(c).toFixed(1)}\n`)
  }
  await service.stop()
  ceiling.stop()
  constant.stop()
  usual.stop()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function request(headers: Record<string, string>): Uint8Array {
  return wireRequest(
    'POST',
    '/v1/invoices',
    { 'content-type': 'application/json', ...headers },
    body,
  )
}

async function openAccounts(url: string): Promise<readonly string[]> {
  const sql = connect(url, { max: 1, name: 'bench' })
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const opened = []
  for (let n = 0; n < accounts; n++) {
    opened.push(
      await openAccount(sql, keyFrom(testSecretsKey), {
        name: `Bench ${n}`,
        plan: 'enterprise',
        limits,
      }),
    )
  }
  await sql.end()
  return opened.map(({ v1Key }) => v1Key)
}

/** One of the servers compared with, in a process of its own like the service. */
async function rival(
  kind: 'constant' | 'unstored' | 'transaction',
  databaseUrl = '',
): Promise<{ port: number; stop(): void }> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'rivals.ts'), kind, databaseUrl],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const { value } = await child.stdout
    .pipeThrough(new TextDecoderStream() as never)
    .getReader()
    .read()
  return { port: Number(value), stop: () => child.kill() }
}

function show(connections: number, variant: string, runs: readonly LoadResult[]): void {
  const of = (read: (run: LoadResult) => number) => median(runs.map(read))
  const numbers = [
    of((run) => run.perSecond).toFixed(0),
    of((run) => run.p50Ms).toFixed(1),
    of((run) => run.p99Ms).toFixed(1),
  ]
  const failed = runs.reduce((sum, run) => sum + run.failed, 0)
  console.log(
    `${String(connections).padStart(11)}  ${variant.padEnd(28)} ${numbers.map((text) => text.padStart(10)).join(' ')}${failed > 0 ? `  ${failed} FAILED` : ''}`,
  )
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
