/**
 * What does a batch gain? `bun bench/anchors.ts [rounds]` anchors receipts on an anvil node. The
 * variants take turns:
 *
 * - (a) the usual way: viem sends a transaction for each receipt, which emits its hash and id, and
 *   waits for it;
 * - (b) to (d) the worker, with batches of 1, 16 and 256 receipts, committing to PostgreSQL with
 *   fsync.
 *
 * Anvil mines a transaction as soon as it receives one. The benchmark therefore measures the work
 * of worker, database and node, not the time between blocks. It prints receipts per second and gas
 * per receipt, as medians over the rounds, and the ratios.
 */
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { anchorClient } from '../src/chain/anchor/anchor.ts'
import { deployAnchor } from '../src/chain/anchor/deployment.ts'
import { callData } from '../src/chain/anchor/events.ts'
import {
  type AnchorWorker,
  createAnchorWorker,
  usualLimits,
} from '../src/queues/anchoring/anchor.ts'
import { connect } from '../src/storage/postgres/db.ts'
import { migrate } from '../src/storage/postgres/migrate.ts'
import { addReceipts } from '../test/support/batches.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { report } from './results.ts'
import { startPostgres } from './servers.ts'
import { median } from './turns.ts'

const rounds = Number(process.argv[2] ?? 3)

type Run = { readonly perSecond: number; readonly gasEach: number }
type Variant = {
  readonly receipts: number
  readonly anchor: (ids: readonly string[]) => Promise<void>
  readonly runs: Run[]
}

const postgres = await startPostgres()
const node = await startEvmNode({ chainId: 8453 })
const sql = connect(postgres.url, { max: 4, name: 'bench' })
try {
  await migrate(sql)
  const { privateKey } = node.wallet(1)
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  const workerWith = (mostReceipts: number) =>
    createAnchorWorker({
      client: anchorClient({ rpcUrls: [node.url], privateKey, contract }),
      contract,
      sql,
      confirmations: () => ({ blocks: 1, finalized: false }),
      limits: { ...usualLimits, mostReceipts, mostEvents: 1 },
      steadyMs: () => performance.now(),
      newId: () => Bun.randomUUIDv7(),
      announce: async () => {},
      log: { info: () => {}, warn: console.warn },
    })
  const batchesOf = (size: number, receipts: number): Variant => {
    const worker = workerWith(size)
    return { receipts, anchor: () => untilDeep(worker), runs: [] }
  }
  const [each, ones, sixteens, many] = [
    { receipts: 64, anchor: oneByOne(contract as Hex), runs: [] } as Variant,
    batchesOf(1, 64),
    batchesOf(16, 512),
    batchesOf(256, 4_096),
  ]
  for (let round = 0; round <= rounds; round++) {
    for (const variant of [each, ones, sixteens, many]) {
      const run = await anchorAll(variant)
      if (round > 0) variant.runs.push(run)
    }
  }
  console.log('variant                 receipts/s   gas per receipt')
  const named = {
    '(a) one by one': each,
    '(b) of 1': ones,
    '(c) of 16': sixteens,
    '(d) of 256': many,
  }
  for (const [name, { runs }] of Object.entries(named)) {
    const perSecond = median(runs.map((run) => run.perSecond)).toFixed(0)
    const gasEach = median(runs.map((run) => run.gasEach)).toFixed(0)
    console.log(`${name.padEnd(20)} ${perSecond.padStart(13)} ${gasEach.padStart(17)}`)
  }
  const gasOf = ({ runs }: Variant) => median(runs.map(({ gasEach }) => gasEach)).toFixed(0)
  const ratio = (of: (run: Run, other: Run) => number) =>
    median(many.runs.map((run, round) => of(run, each.runs[round] ?? run))).toFixed(0)
  report({
    'gas a receipt: one by one over batches of 256': ratio((d, a) => a.gasEach / d.gasEach),
    'receipts anchored a second: batches of 256 over one by one': ratio(
      (d, a) => d.perSecond / a.perSecond,
    ),
    'gas a receipt: one by one, in batches of 1, 16, 256': [each, ones, sixteens, many]
      .map(gasOf)
      .join(', '),
  })
} finally {
  await sql.end()
  await node.stop()
  await postgres.stop()
}

/** Issues receipts, and measures the time until all are anchored. */
async function anchorAll({ receipts, anchor }: Variant): Promise<Run> {
  const ids = Array.from({ length: receipts }, () => `drs_${crypto.randomUUID()}`)
  await addReceipts(sql, ids)
  const firstBlock = await blockNumber()
  const started = performance.now()
  await anchor(ids)
  const seconds = (performance.now() - started) / 1_000
  return { perSecond: receipts / seconds, gasEach: (await gasSince(firstBlock)) / receipts }
}

async function untilDeep(worker: AnchorWorker): Promise<void> {
  while ((await worker.run()).openTransactions !== 0);
}

/** The contract’s event with a text stands for one with a receipt’s id. */
function oneByOne(contract: Hex) {
  const account = privateKeyToAccount(node.wallet(2).privateKey as Hex)
  const client = createWalletClient({
    account,
    chain: base,
    transport: http(node.url),
    pollingInterval: 1,
  }).extend(publicActions)
  return async (ids: readonly string[]) => {
    const rows = await sql<{ id: string; hash: Buffer }[]>`
      update receipts set revoked_at = now() where id = any(${`{${ids}}`}::text[]) returning id, hash`
    for (const { id, hash } of rows) {
      const entry = { kind: 'mandate', hash: `0x${hash.toString('hex')}`, label: id } as const
      const sent = await client.sendTransaction({ to: contract, data: callData([entry]) })
      await client.waitForTransactionReceipt({ hash: sent })
    }
  }
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
