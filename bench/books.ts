/**
 * How long does an auditor's file take? `bun bench/books.ts [invoices]` stores 100,000 invoices of
 * a month that is over, settled and with receipts that are anchored on a node in batches of 4,096.
 * Then one process exports the month, and another verifies the file with that node.
 *
 * Prints the time and the most memory of both, how much memory verifying takes over that for a
 * tenth of the invoices, and how often the node was asked.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeMonths } from '../src/actors/months.ts'
import { anchorClient } from '../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../src/chain/anchor/deployment.ts'
import { toText } from '../src/domain/codec.ts'
import { type Command, decide } from '../src/domain/invoices/decide.ts'
import { evolve } from '../src/domain/invoices/evolve.ts'
import type { Invoice } from '../src/domain/invoices/invoice.ts'
import { progress, type Settlement } from '../src/domain/invoices/progress.ts'
import { ofSettlement } from '../src/domain/receipts/receipt.ts'
import { createAnchorWorker, usualLimits } from '../src/queues/anchoring/anchor.ts'
import { connect, type Sql, withoutTimeLimit } from '../src/storage/postgres/db.ts'
import { migrate } from '../src/storage/postgres/migrate.ts'
import { rowsOf } from '../src/storage/postgres/rows.ts'
import { writeReceipts } from '../src/storage/settlement/settlements.ts'
import { testEnv } from '../test/support/app.ts'
import { startQuittance } from '../test/support/cli.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { payment } from '../test/support/invoice.ts'
import { startRpcRelay } from '../test/support/rpc-relay.ts'
import { newInvoice, storeInvoices } from '../test/support/stored-invoice.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'

const invoices = Number(process.argv[2] ?? 100_000)
const atOnce = 1_000
const now = new Date()
const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)
const period = new Date(monthMs).toISOString().slice(0, 7)

const postgres = await startPostgres()
const node = await startEvmNode({ chainId: 8453 })
const relay = startRpcRelay(node.url)
const folder = mkdtempSync(join(tmpdir(), 'quittance-books-'))
const sql = withoutTimeLimit(connect(postgres.url, { max: 1, name: 'bench' }))
try {
  await migrate(sql)
  const { privateKey, address } = node.wallet(1)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  const [small, large] = await Promise.all(
    (await openAccounts(postgres.url, 2)).map(({ account }) => account.id),
  )
  await settled(small ?? '', invoices / 10)
  await settled(large ?? '', invoices)
  const patient = connect(postgres.url, { max: 2, name: 'bench', limitMs: 3_600_000 })
  const startedMs = performance.now()
  await closeMonths({ sql: patient, unhurriedSql: patient, now: () => now, log: console })
  const closing = seconds(performance.now() - startedMs)
  await anchored(patient, contract, privateKey)
  await patient.end()

  const by = ['--rpc', relay.url, '--contract', contract, '--sender', address]
  const runs = []
  for (const account of [small ?? '', large ?? '']) {
    const file = join(folder, account)
    const words = ['books', 'export', '--account', account, '--period', period, '--out', file]
    const exporting = await measured(testEnv(postgres.url), words)
    const before = relay.requests.length
    const verifying = await measured({}, ['books', 'verify', file, ...by])
    runs.push({
      exporting,
      verifying,
      bytes: statSync(file).size,
      asked: relay.requests.length - before,
    })
  }
  const [tenth, whole] = runs as [(typeof runs)[0], (typeof runs)[0]]
  const of = ({ ms, bytes }: Awaited<ReturnType<typeof measured>>) =>
    `${seconds(ms)}, ${megabytes(bytes)}`
  report({
    [`closing a month of ${invoices} invoices`]: closing,
    'exporting it: time, most memory': of(whole.exporting),
    'verifying it: time, most memory': of(whole.verifying),
    'the file': megabytes(whole.bytes),
    'most memory of verifying: over that for a tenth of them': (
      whole.verifying.bytes / tenth.verifying.bytes
    ).toFixed(2),
    'questions to the node while verifying': `${whole.asked}`,
  })
} finally {
  rmSync(folder, { recursive: true })
  await sql.end()
  await relay.stop()
  await node.stop()
  await postgres.stop()
}
process.exit()

async function measured(env: Readonly<Record<string, string>>, words: readonly string[]) {
  const startedMs = performance.now()
  const child = startQuittance(env, ...words)
  let bytes = 0
  const sampling = setInterval(() => {
    bytes = Math.max(bytes, mostBytesOf(child.pid))
  }, 50)
  const [text, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  clearInterval(sampling)
  if ((await child.exited) !== 0) throw new Error(text + complaint)
  console.log(text.trimEnd())
  return { ms: performance.now() - startedMs, bytes }
}

/** The most memory that a process has had. Linux only. */
function mostBytesOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
  } catch {
    // It has ended.
    return 0
  }
}

async function settled(accountId: string, count: number): Promise<void> {
  console.log(`storing ${count} settled invoices …`)
  for (let from = 0; from < count; from += atOnce) {
    const made = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) =>
      newInvoice(accountId, {}, new Date(monthMs + (from + at) * 1_000)),
    )
    const stored = await storeInvoices(sql, made)
    const paid = made.map((invoice, at) => {
      const one = stored[at]
      return paidOf({ ...invoice, number: one?.kind === 'created' ? one.number : 0 })
    })
    await sql`
      update invoices set state = 'settled', owed_base = null, version = 4, settled_at = input.settled_at, progress = input.progress
      from ${rowsOf(sql, paid, {
        id: ['uuid', ({ invoice }) => invoice.id],
        settled_at: ['timestamptz', ({ settlement }) => settlement.settledAt],
        progress: ['json text', ({ invoice }) => toText(progress, invoice.progress)],
      })} where invoices.id = input.id`
    const issued = paid.map(({ invoice, settlement }) => ({
      receipt: ofSettlement(invoice, settlement, {
        feeBasisPoints: 100,
        seed: crypto.getRandomValues(new Uint8Array(32)),
      }),
      accountId,
      subjectId: invoice.id,
      issuedAt: settlement.settledAt,
    }))
    await sql`with ${writeReceipts(sql, { issued, revokedReceiptIds: [], now })} select`
  }
  await sql`vacuum analyze invoices, receipts`
}

function paidOf(made: Invoice): { readonly invoice: Invoice; readonly settlement: Settlement } {
  const at = new Date(Date.parse(made.createdAt) + 60_000)
  const txHash = `0x${Bun.SHA256.hash(made.id, 'hex')}`
  const [key, blockTime] = [`base:${txHash}:0`, at.toISOString()]
  const { from } = payment()
  const commands: readonly Command[] = [
    { kind: 'credit', payment: payment({ key, txHash, blockTime }) },
    {
      ...{ kind: 'confirm', key, from, blockNumber: 7, blockTime, confirmations: 5 },
      ...{ settlementId: crypto.randomUUID(), receiptId: `drs_${crypto.randomUUID()}` },
    },
  ]
  const invoice = commands.reduce<Invoice>(
    (state, command) => evolve(state, decide(state, command, at), at) as Invoice,
    made,
  )
  return { invoice, settlement: invoice.progress.settlement as Settlement }
}

async function anchored(of: Sql, contract: string, privateKey: `0x${string}`): Promise<void> {
  console.log('anchoring …')
  const worker = createAnchorWorker({
    client: anchorClient({ rpcUrls: [node.url], privateKey, contract }),
    contract,
    sql: of,
    confirmations: () => ({ blocks: 1, finalized: false }),
    limits: usualLimits,
    steadyMs: () => performance.now(),
    newId: () => Bun.randomUUIDv7(),
    announce: async () => {},
    log: { info: () => {}, warn: console.warn },
  })
  for (;;) {
    const { openTransactions } = await worker.run()
    const [row] = await of<{ left: number }[]>`
      select count(*)::int as left from receipts where batch_id is null`
    if (openTransactions === 0 && row?.left === 0) return
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
