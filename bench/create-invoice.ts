/**
 * What does durability cost? `bun bench/create-invoice.ts [seconds]` prints, for 64 and 256 keep-alive connections from a client on the same
 * machine: (a) the ceiling, Elysia answering the same POST with the same schema and no storage, first with the invoice asked for, then with a constant; (b) the service, complete and with fsync;
 * (c) the usual way, the same rows by one transaction per request; and the ratios b/a and b/c of this run.
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

const seconds = Number(process.argv[2] ?? 8)
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
  console.log(
    'connections  variant                      per second     p50 ms     p99 ms   b/a    b/c',
  )
  for (const connections of [64, 256]) {
    const run = (port: number, requests: readonly Uint8Array[]) =>
      measured(port, connections, requests)
    const a = await run(ceiling.port, [request({})])
    const b = await run(Number(new URL(service.url).port), own)
    const c = await run(usual.port, [request({})])
    show(connections, '(a) no storage', a)
    show(connections, '    no storage, no invoice', await run(constant.port, [request({})]))
    show(
      connections,
      '(b) POST /v1/invoices',
      b,
      b.perSecond / a.perSecond,
      b.perSecond / c.perSecond,
    )
    show(connections, '(c) transaction per request', c)
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

/** Warmed up, then measured, by a client process of its own. */
async function measured(
  port: number,
  connections: number,
  requests: readonly Uint8Array[],
): Promise<LoadResult> {
  await load({ port, connections, requests, seconds: Math.min(2, seconds) })
  return load({ port, connections, requests, seconds })
}

function show(
  connections: number,
  variant: string,
  result: LoadResult,
  toCeiling?: number,
  toUsual?: number,
): void {
  const { perSecond, p50Ms, p99Ms, failed } = result
  const ratios =
    toCeiling === undefined
      ? ''
      : `${toCeiling.toFixed(2).padStart(6)} ${toUsual?.toFixed(1).padStart(6)}`
  console.log(
    `${String(connections).padStart(11)}  ${variant.padEnd(28)} ${perSecond.toFixed(0).padStart(10)} ${p50Ms.toFixed(1).padStart(10)} ${p99Ms.toFixed(1).padStart(10)} ${ratios}${failed > 0 ? `  ${failed} FAILED` : ''}`,
  )
}
