/**
 * What does an invoice's life cost? `bun bench/lifecycle.ts [--lives 2000] [--rounds 3]
 * [--against <commit>] [--no-rival]` runs whole lives: an invoice is created with an idempotency
 * key, paid on anvil by a transfer with its reference, settles, is delivered to a webhook three
 * times (created, settled, completed), and its receipt is anchored. 1,000 other invoices stay open.
 *
 * The variants take turns, each with its own PostgreSQL (with fsync) and node:
 *
 * - the service, an `http` and a `worker` process;
 * - with `--against`, the same of another commit;
 * - `rivals/lifecycle.ts`, which does the same in the usual way.
 *
 * It prints medians over the rounds. Anvil and the client use the same cores, which limits rates;
 * costs are free of that.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { deployAnchor } from '../src/chain/anchor/deployment.ts'
import { connect } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { type EvmNode, startEvmNode } from '../test/support/evm-node.ts'
import { postmasterPid } from '../test/support/postgres.ts'
import { startService } from '../test/support/service.ts'
import { aWebhook } from './events.ts'
import { create, payAll, type Target } from './lives.ts'
import { cpuSecondsUnder } from './processes.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    against: { type: 'string' },
    'no-rival': { type: 'boolean', default: false },
  },
})
const lives = Number(values.lives)
const rounds = Number(values.rounds)
const warmUpLives = 300
const openInvoices = 1_000
const anchorMs = 60_000

type Server = {
  readonly url: string
  readonly key: string
  /** The processes, by what they do. */
  readonly pids: Readonly<Record<string, number>>
  stop(): Promise<void>
}

type Database = { readonly url: string; readonly dataDir: string }

/** Starts a server that delivers to `hook` and reads `node`. */
type Variant = (database: Database, node: EvmNode, hook: string) => Promise<Server>

/** Of one life. */
type Cost = {
  readonly perSecond: number
  readonly logBytes: number
  readonly kept: Readonly<Record<string, number>>
  readonly postgresMicros: number
  readonly micros: Readonly<Record<string, number>>
}

const checkout = values.against === undefined ? null : checkOut(values.against)
const variants: Record<string, Variant> = {
  service: serviceIn(join(import.meta.dir, '..')),
  ...(checkout && { before: serviceIn(checkout) }),
  ...(!values['no-rival'] && { rival: usualWay }),
}
const costs = new Map<string, Cost[]>(Object.keys(variants).map((name) => [name, []]))
try {
  for (let round = 0; round < rounds; round++)
    for (const [name, variant] of Object.entries(variants)) {
      // The rival takes too long for as many.
      const cost = await measured(variant, name === 'rival' ? Math.ceil(lives / 10) : lives)
      costs.get(name)?.push(cost)
      show(`${name}, round ${round + 1}`, cost)
    }
  summarise()
} finally {
  if (checkout) Bun.spawnSync(['git', 'worktree', 'remove', '--force', checkout])
}
process.exit()

async function measured(variant: Variant, count: number): Promise<Cost> {
  const receiver = await rival('receiver')
  const postgres = await startPostgres()
  const node = await startEvmNode({ chainId: 8453 })
  try {
    const hook = `http://127.0.0.1:${receiver.port}/hook`
    const server = await variant(postgres, node, hook)
    const sql = connect(postgres.url, { max: 1, name: 'bench' })
    const target = { ...server, node, hook }
    await live(target, warmUpLives)
    await create(target, openInvoices)
    const before = await keptBytes()
    await sql`checkpoint`
    const used = usage(server, postgres.dataDir)
    const fromLog = await logBytes()
    const started = performance.now()
    await live(target, count)
    const seconds = (performance.now() - started) / 1_000
    const usedAfter = usage(server, postgres.dataDir)
    const toLog = await logBytes()
    await server.stop()
    const after = await keptBytes()
    await sql.end()
    return {
      perSecond: count / seconds,
      logBytes: (toLog - fromLog) / count,
      kept: each(after, (table, bytes) => (bytes - (before[table] ?? 0)) / count),
      postgresMicros: ((usedAfter.postgres ?? 0) - (used.postgres ?? 0)) / count,
      micros: each(server.pids, (name) => ((usedAfter[name] ?? 0) - (used[name] ?? 0)) / count),
    }

    async function logBytes(): Promise<number> {
      const [row] = await sql<[{ bytes: number }]>`
        select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
      return row.bytes
    }

    /** By table, with its indexes and without the space of old row versions. */
    async function keptBytes(): Promise<Record<string, number>> {
      await sql`vacuum full`
      const rows = await sql<{ name: string; bytes: number }[]>`
        select relname as name, pg_total_relation_size(relid)::float8 as bytes from pg_stat_user_tables`
      return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
    }
  } finally {
    await node.stop()
    await postgres.stop()
    receiver.stop()
  }
}

/** Resolves once all lives are over: each has been delivered three times. */
async function live(target: Target & { readonly hook: string }, count: number): Promise<void> {
  await fetch(target.hook)
  const invoices = await create(target, count)
  await payAll(target, invoices)
  const deadline = performance.now() + anchorMs + count * 50
  for (let delivered = 0; delivered < 3 * count; ) {
    await target.node.mine(1)
    await Bun.sleep(100)
    delivered += ((await (await fetch(target.hook)).json()) as { count: number }).count
    if (performance.now() > deadline)
      throw new Error(`${3 * count - delivered} deliveries are missing`)
  }
  // What has been delivered is on record a moment later.
  await Bun.sleep(500)
}

/** CPU time in microseconds. */
function usage({ pids }: Server, dataDir: string): Record<string, number> {
  const all = { ...pids, postgres: postmasterPid(dataDir) }
  return each(all, (_, pid) => cpuSecondsUnder(pid) * 1e6)
}

/** Of a checkout. */
function serviceIn(folder: string): Variant {
  return async (database, node, hook) => {
    const { privateKey } = node.wallet(7)
    const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
    const env = testEnv(database.url, {
      LOG_LEVEL: 'info',
      BASE_RPC_URL: node.url,
      BASE_POLL_MS: '500',
      BASE_CONFIRMATIONS: '3',
      ANCHOR_RPC_URL: node.url,
      ANCHOR_CONTRACT: contract,
      ANCHOR_PRIVATE_KEY: privateKey,
    })
    const program = join(folder, 'src/main.ts')
    const http = await startService({ ...env, ROLE: 'http' }, program)
    const worker = await startService({ ...env, ROLE: 'worker', METRICS_PORT: '0' }, program)
    const [opened] = await openAccounts(database.url, 1)
    if (!opened) throw new Error('no account was opened')
    const sql = connect(database.url, { max: 1, name: 'bench' })
    const events = ['invoice.created', 'invoice.settled', 'invoice.completed'] as const
    await aWebhook(sql, opened.account.id, { url: hook, events })
    await sql.end()
    return {
      url: http.url,
      key: opened.v1Key,
      pids: { http: http.process.pid, worker: worker.process.pid },
      async stop() {
        await Promise.all([http.stop(), worker.stop()])
      },
    }
  }
}

async function usualWay(database: Database, node: EvmNode, hook: string): Promise<Server> {
  const { privateKey } = node.wallet(7)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  const server = await rival('lifecycle', database.url, node.url, contract as Hex, privateKey, hook)
  return {
    url: `http://127.0.0.1:${server.port}`,
    key: 'any',
    pids: { rival: server.pid },
    async stop() {
      server.stop()
      await Bun.sleep(500)
    },
  }
}

/** The source of a commit in a folder of its own, with the packages of this one. */
function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-before-'))
  rmSync(folder, { recursive: true })
  const made = Bun.spawnSync(['git', 'worktree', 'add', '--detach', folder, commit])
  if (!made.success) throw new Error(`${commit} cannot be checked out: ${made.stderr}`)
  symlinkSync(join(import.meta.dir, '../node_modules'), join(folder, 'node_modules'))
  return folder
}

function summarise(): void {
  const all = new Map([...costs].map(([name, runs]) => [name, medianOf(runs)]))
  for (const [name, cost] of all) show(name, cost)
  const own = all.get('service')
  const [before, usual] = [all.get('before'), all.get('rival')]
  if (!own) return
  const cpu = ({ micros }: Cost) => sum(micros)
  report({
    'a life: log + kept': `${own.logBytes.toFixed(0)} + ${sum(own.kept).toFixed(0)} B`,
    'CPU of a life: service + PostgreSQL': `${cpu(own).toFixed(0)} + ${own.postgresMicros.toFixed(0)} µs`,
    ...(usual && {
      'lives a second with 1,000 invoices open: over the usual way': (
        own.perSecond / usual.perSecond
      ).toFixed(1),
      'log, kept: over the usual way': `${(own.logBytes / usual.logBytes).toFixed(2)}, ${(sum(own.kept) / sum(usual.kept)).toFixed(2)}`,
      'CPU of service, PostgreSQL: over the usual way': `${(cpu(own) / cpu(usual)).toFixed(2)}, ${(own.postgresMicros / usual.postgresMicros).toFixed(2)}`,
    }),
  })
  if (before)
    console.log(
      `over ${values.against}: log ${(own.logBytes / before.logBytes).toFixed(2)}, kept ${(sum(own.kept) / sum(before.kept)).toFixed(2)}, PostgreSQL ${(own.postgresMicros / before.postgresMicros).toFixed(2)}, service ${(cpu(own) / cpu(before)).toFixed(2)}, lives a second ${(own.perSecond / before.perSecond).toFixed(2)}`,
    )
}

function show(name: string, { perSecond, logBytes, kept, postgresMicros, micros }: Cost): void {
  const cpu = Object.entries({ ...micros, PostgreSQL: postgresMicros })
    .map(([of, each]) => `${of} ${each.toFixed(0)}`)
    .join(' + ')
  console.log(
    `${name}: ${perSecond.toFixed(0)} lives/s, log ${logBytes.toFixed(0)} B, CPU ${cpu} µs`,
  )
  const tables = Object.entries(kept).filter(([, bytes]) => bytes >= 1)
  const shown = tables.sort(([, a], [, b]) => b - a).map(([of, each]) => `${of} ${each.toFixed(0)}`)
  console.log(`  kept ${sum(kept).toFixed(0)} B: ${shown.join(', ')}`)
}

function medianOf(runs: readonly Cost[]): Cost {
  const of = (read: (run: Cost) => number) => median(runs.map(read))
  const [first] = runs
  return {
    perSecond: of((run) => run.perSecond),
    logBytes: of((run) => run.logBytes),
    kept: each(first?.kept ?? {}, (table) => of((run) => run.kept[table] ?? 0)),
    postgresMicros: of((run) => run.postgresMicros),
    micros: each(first?.micros ?? {}, (name) => of((run) => run.micros[name] ?? 0)),
  }
}

function each(
  record: Readonly<Record<string, number>>,
  change: (name: string, value: number) => number,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(name, value)]),
  )
}

function sum(record: Readonly<Record<string, number>>): number {
  return Object.values(record).reduce((total, value) => total + value, 0)
}
