/**
 * What does batching gain? `bun bench/anchors.ts [events] [rounds]` lets the worker anchor `events`
 * receipts on an anvil node, committing to PostgreSQL with fsync. The variants take turns:
 *
 * - (a) a transaction for each receipt;
 * - (b) batches as the service makes them.
 *
 * Anvil mines a transaction as soon as it receives one. The benchmark therefore measures the work
 * of worker, database and node, not the time between blocks. It prints anchors per second and gas
 * per anchor, as medians over the rounds, and the ratios.
 */
import { anchorClient } from '../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../src/chain/anchor/deployment.ts'
import {
  type AnchorWorker,
  createAnchorWorker,
  usualBatch,
} from '../src/queues/anchoring/anchor.ts'
import { connect } from '../src/storage/postgres/db.ts'
import { migrate } from '../src/storage/postgres/migrate.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { report } from './results.ts'
import { startPostgres } from './servers.ts'
import { median } from './turns.ts'

const events = Number(process.argv[2] ?? 200)
const rounds = Number(process.argv[3] ?? 3)

type Run = { readonly perSecond: number; readonly gasEach: number }

const postgres = await startPostgres()
const node = await startEvmNode({ chainId: 8453 })
const sql = connect(postgres.url, { max: 4, name: 'bench' })
try {
  await migrate(sql)
  const { privateKey } = node.wallet(1)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  const workerWith = (mostEvents: number) =>
    createAnchorWorker({
      client: anchorClient({ rpcUrls: [node.url], privateKey, contract }),
      contract,
      sql,
      confirmations: () => ({ blocks: 1, finalized: false }),
      batch: { ...usualBatch, mostEvents },
      steadyMs: () => performance.now(),
      newId: () => Bun.randomUUIDv7(),
      announce: async () => {},
      log: { info: () => {}, warn: console.warn },
    })
  const variants = {
    '(a) a transaction each': { worker: workerWith(1), runs: [] as Run[] },
    '(b) batches': { worker: workerWith(usualBatch.mostEvents), runs: [] as Run[] },
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { worker, runs } of Object.values(variants)) {
      const run = await anchorAll(worker)
      if (round > 0) runs.push(run)
    }
  }
  console.log('variant                     anchors/s   gas per anchor')
  for (const [name, { runs }] of Object.entries(variants)) {
    const perSecond = median(runs.map((run) => run.perSecond)).toFixed(0)
    const gasEach = median(runs.map((run) => run.gasEach)).toFixed(0)
    console.log(`${name.padEnd(24)} ${perSecond.padStart(12)} ${gasEach.padStart(16)}`)
  }
  const [each, batched] = Object.values(variants).map(({ runs }) => runs)
  const ratio = (of: (run: Run, other: Run) => number) =>
    median((batched ?? []).map((run, round) => of(run, each?.[round] ?? run))).toFixed(1)
  report({
    'anchors a second: batches over a transaction each': ratio((b, a) => b.perSecond / a.perSecond),
    'gas an anchor: a transaction each over batches': ratio((b, a) => a.gasEach / b.gasEach),
    'gas an anchor in a batch': median((batched ?? []).map(({ gasEach }) => gasEach)).toFixed(0),
  })
} finally {
  await sql.end()
  await node.stop()
  await postgres.stop()
}

/**
 * Inserts the events as pending anchors, and measures the time until all are recorded as anchored.
 */
async function anchorAll(worker: AnchorWorker): Promise<Run> {
  await sql`
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    select gen_random_uuid(), 'receipt', id, 0, '0x' || encode(sha256(id::bytea), 'hex'), id, 'pending', now(), now()
    from (select 'drs_' || gen_random_uuid() as id from generate_series(1, ${events}::integer)) as owed`
  const firstBlock = await blockNumber()
  const started = performance.now()
  while ((await worker.run()).openTransactions !== 0);
  const seconds = (performance.now() - started) / 1_000
  return { perSecond: events / seconds, gasEach: (await gasSince(firstBlock)) / events }
}

async function blockNumber(): Promise<number> {
  return Number(await node.rpc<string>('eth_blockNumber'))
}

async function gasSince(block: number): Promise<number> {
  let gas = 0
  for (let number = block + 1; number <= (await blockNumber()); number++) {
    const tag = `0x${number.toString(16)}`
    gas += Number(
      (await node.rpc<{ gasUsed: string }>('eth_getBlockByNumber', [tag, false])).gasUsed,
    )
  }
  return gas
}
