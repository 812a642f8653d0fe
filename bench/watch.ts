/**
 * What does watching cost? `bun bench/watch.ts` puts 10,000 transfers to one address into 200
 * blocks of a real node. The watcher reads them, matches and settles them, and commits with fsync,
 * once with 1,000 and once with 100,000 open invoices.
 *
 * Prints requests per step, transfers per second, and memory per open invoice. The payers are
 * impersonated: anvil needs 0.2 ms to recover the sender of each signed transaction it returns,
 * which real nodes have stored.
 */

import { decide } from '../src/domain/invoices/decide.ts'
import { evolve } from '../src/domain/invoices/evolve.ts'
import type * as Invoice from '../src/domain/invoices/invoice.ts'
import { registry } from '../src/domain/registry.ts'
import { insertAll } from '../src/storage/invoices/invoices.ts'
import { connect, type Sql } from '../src/storage/postgres/db.ts'
import { migrate } from '../src/storage/postgres/migrate.ts'
import { type EvmNode, startEvmNode, transferCall } from '../test/support/evm-node.ts'
import { terms } from '../test/support/invoice.ts'
import { rememberPaymentAddress } from '../test/support/payment-addresses.ts'
import { postmasterPid } from '../test/support/postgres.ts'
import { baseBy, testWatcher } from '../test/support/watcher.ts'
import { bareRowsSeconds } from './bare-rows.ts'
import { bytesEach, bytesOf, bytesText } from './bytes.ts'
import { cpuSecondsUnder } from './processes.ts'
import { report } from './results.ts'
import { startPostgres } from './servers.ts'

const blocks = 200
const perBlock = 50
const wallet = '0x00000000000000000000000000000000000000aa'
const accountId = '0190a000-0000-7000-8000-000000000001'
const leastUsdcBase = 1_000_000n

let requests = 0
const bareFetch = globalThis.fetch
globalThis.fetch = Object.assign(
  (...args: Parameters<typeof fetch>) => {
    requests++
    return bareFetch(...args)
  },
  { preconnect: bareFetch.preconnect },
)

const postgres = await startPostgres()
const node = await startEvmNode({ chainId: 8453 })
try {
  const from = await fillChain(node)
  console.log('open invoices  requests/step      watched/s   settled   heap per open invoice')
  for (const open of [1_000, 100_000]) {
    const sql = await freshDatabase(postgres.url, `open_${open}`)
    await openInvoices(sql, open)
    const heapBefore = heapBytes()
    const postgresCpu = () => cpuSecondsUnder(postmasterPid(postgres.dataDir))
    const before = { bytes: await bytesOf(sql), postgres: postgresCpu() }
    const result = await watched(node, sql, from)
    const bytes = bytesEach(before.bytes, await bytesOf(sql), blocks * perBlock)
    const postgresSeconds = postgresCpu() - before.postgres
    const [count] = await sql<
      { settled: number }[]
    >`select count(*)::integer as settled from invoices where state = 'settled'`
    const transfers = blocks * perBlock
    const columns = [
      String(open).padStart(13),
      result.requestsPerStep.toFixed(1).padStart(14),
      (transfers / result.seconds).toFixed(0).padStart(14),
      String(count?.settled).padStart(9),
      `${((heapBytes() - heapBefore) / open).toFixed(0)} B`.padStart(24),
    ]
    console.log(columns.join(' '))
    report({
      [`questions to the chain a step, ${open} invoices open`]: result.requestsPerStep.toFixed(1),
      // With fewer open invoices than transfers, most transfers settle nothing.
      ...(open > transfers && {
        'CPU of an invoice settled: watcher + PostgreSQL': `${micros(result.cpuSeconds)} + ${micros(postgresSeconds)} µs`,
        'CPU of its rows alone, written by bare statements': `${micros(await bareRowsSeconds(sql, postgresCpu))} µs`,
        'bytes of an invoice settled: log + tables': bytesText(bytes),
      }),
    })
    await sql.end()
  }
} finally {
  await node.stop()
  await postgres.stop()
}

/** Puts 50 transfers of rising amounts into each block; answers the first block. */
async function fillChain(target: EvmNode): Promise<number> {
  const payer = target.wallet(1).address
  await target.mint(payer, 10n ** 15n)
  await target.rpc('anvil_autoImpersonateAccount', [true])
  await target.rpc('evm_setAutomine', [false])
  const first = Number(await target.rpc<string>('eth_blockNumber')) + 1
  for (let block = 0; block < blocks; block++) {
    const calls = Array.from({ length: perBlock }, (_, n) => ({
      method: 'eth_sendTransaction',
      params: [
        {
          from: payer,
          to: target.usdc,
          gas: '0x30000',
          data: transferCall({
            to: wallet,
            usdcBase: leastUsdcBase + BigInt(block * perBlock + n),
          }),
        },
      ],
    }))
    await target.batch(calls)
    await target.mine(1)
  }
  return first
}

async function watched(
  target: EvmNode,
  sql: Sql,
  from: number,
): Promise<{ seconds: number; cpuSeconds: number; requestsPerStep: number }> {
  const watcher = testWatcher(sql, {
    chain: baseBy(target),
    startBlock: from,
    maxRangeBlocks: registry.base.maxRangeBlocks,
    log: console,
  })
  const before = requests
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  let steps = 1
  while ((await watcher.step()).isAdvancing) steps++
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    requestsPerStep: (requests - before) / steps,
  }
}

async function freshDatabase(server: string, name: string): Promise<Sql> {
  const admin = connect(server, { max: 1, name: 'bench' })
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  const sql = connect(url.href, { max: 4, name: 'bench' })
  await migrate(sql)
  return sql
}

async function openInvoices(sql: Sql, count: number): Promise<void> {
  const at = new Date(Date.now() - 3_600_000)
  await rememberPaymentAddress(sql, 'base', wallet)
  for (let done = 0; done < count; done += 500) {
    const rows = Array.from({ length: 500 }, (_, n) => {
      const due = { payTo: wallet, dueUsdcBase: leastUsdcBase + BigInt(done + n) }
      const command = {
        kind: 'create',
        id: Bun.randomUUIDv7(),
        accountId,
        terms: terms(due),
      } as const
      const invoice = evolve(undefined, decide(undefined, command, at), at)
      return { invoice: invoice as Invoice.Invoice, idempotency: null }
    })
    await insertAll(sql, rows)
  }
}

function micros(seconds: number): string {
  return ((seconds * 1e6) / (blocks * perBlock)).toFixed(0)
}

function heapBytes(): number {
  Bun.gc(true)
  return process.memoryUsage().heapUsed
}
