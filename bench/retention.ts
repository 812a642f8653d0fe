/**
 * What does pruning cost? `bun bench/retention.ts [rows] [rounds]` stores 5,000,000 idempotency
 * keys, 5,000,000 batches of deliveries and a tenth as many failed deliveries, all past their
 * retention, in the database of a service with fsync. 32 keep-alive connections create invoices, in
 * turns of four seconds without pruning and four with it. Ratios are medians over the rounds. Then
 * the remaining rows are pruned. Prints the longest statement of all, and how many sequential scans
 * of a table there were.
 */
import { createRetention } from '../src/queues/retention.ts'
import { connect, type Sql, withoutTimeLimit } from '../src/storage/postgres/db.ts'
import {
  type Pruned,
  pruneDeliveries,
  pruneIdempotencyKeys,
} from '../src/storage/postgres/retention.ts'
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { creation, type LoadResult, load } from './load.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'
import { median, ratio } from './turns.ts'

const rows = Number(process.argv[2] ?? 5_000_000)
const rounds = Number(process.argv[3] ?? 5)
const seconds = 4
const connections = 32

const postgres = await startPostgres()
try {
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const sql = connect(postgres.url, { max: 2, name: 'bench' })
  await fill(postgres.url)
  const statements: number[] = []
  const timed = async (work: Promise<Pruned>) => {
    const started = performance.now()
    const pruned = await work
    statements.push(performance.now() - started)
    return pruned
  }
  const limit = 1_000
  const retention = createRetention({
    tasks: {
      deliveries: (after) => timed(pruneDeliveries(sql, { keptDays: 30, after, limit })),
      idempotencyKeys: (after) => timed(pruneIdempotencyKeys(sql, { after, limit })),
    },
    steadyMs: () => performance.now(),
    rest: Bun.sleep,
    log: { info() {}, error: console.error },
  })
  const scansBefore = await wholeScans(sql)
  const { without, during } = await disturb(service.url, () => retention.run())
  const started = performance.now()
  while (!(await retention.run()));
  const restSeconds = (performance.now() - started) / 1_000
  const overall = [...statements].sort((a, b) => a - b)
  const p99Ratio = median(
    during.map(({ p99Ms }, round) => p99Ms / (without[round]?.p99Ms ?? Number.NaN)),
  )
  const scans = (await wholeScans(sql)) - scansBefore
  const left = await sql<
    { n: number }[]
  >`select (select count(*) from delivery_batches)::integer + (select count(*) from deliveries)::integer
    + (select count(*) from idempotency_keys)::integer as n`
  console.log(
    `statements ${overall.length}, median ${median(overall).toFixed(1)} ms, p99 ${at(overall, 0.99)} ms, longest ${at(overall, 1)} ms`,
  )
  console.log(`without load the rest went in ${restSeconds.toFixed(0)} s; rows left: ${left[0]?.n}`)
  report({
    'creating invoices while old rows are pruned: p99 over p99 without': p99Ratio.toFixed(2),
    'creating invoices while old rows are pruned: rate over rate without': ratio(
      during,
      without,
    ).toFixed(2),
    'statement that prunes a thousand rows: median': `${median(overall).toFixed(1)} ms`,
    'longest statement that prunes': `${at(overall, 1)} ms`,
    'statements that prune: the last tenth over the first tenth, medians': drift(statements),
    'tables read as a whole by pruning': String(scans),
  })
  await sql.end()
  await service.stop()
} finally {
  await postgres.stop()
}
process.exit()

function at(sorted: readonly number[], quantile: number): string {
  return (sorted[Math.floor(quantile * (sorted.length - 1))] ?? 0).toFixed(0)
}

/** Shows whether removed rows that are not vacuumed yet slow down later statements. */
function drift(statements: readonly number[]): string {
  const tenth = Math.ceil(statements.length / 10)
  return (median(statements.slice(-tenth)) / median(statements.slice(0, tenth))).toFixed(2)
}

/** Stores rows as they would be after a long time without a worker. */
async function fill(url: string): Promise<void> {
  const sql = withoutTimeLimit(connect(url, { max: 1, name: 'bench fill' }))
  const started = performance.now()
  await sql`insert into idempotency_keys (account_id, route, key, request_hash, subject_id, created_at)
    select gen_random_uuid(), 'POST /v1/invoices', gen_random_uuid(), sha256(n::text::bytea), gen_random_uuid(),
      now() - interval '2 days' + n * interval '1 millisecond'
    from generate_series(1, ${rows}) as n`
  await sql`insert into delivery_batches (webhook_id, places, subject_ids, sequences, created_at, log)
    select ('00000000-0000-7000-8000-' || lpad((n % 500)::text, 12, '0'))::uuid, '{0}', array[gen_random_uuid()], '{2}',
      now() - interval '40 days' + n * interval '1 millisecond', case when n % 10 = 0 then '[null]' else '[{"attempt":1}]' end
    from generate_series(1, ${rows}) as n`
  await sql`insert into deliveries (batch_id, place, webhook_id, subject_id, sequence, state, attempts, next_attempt_at, created_at, log)
    select id, 0, webhook_id, subject_ids[1], 2, 'failed', 8, created_at, created_at, '{"attempt":8}'
    from delivery_batches where id % 10 = 0`
  await sql`analyze`
  await sql`checkpoint`
  console.log(
    `${2 * rows + rows / 10} rows made in ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  )
  await sql.end()
}

/** Creates invoices without and with `prune` running, in turns. A first round does not count. */
async function disturb(url: string, prune: () => Promise<boolean>) {
  const accounts = await openAccounts(postgres.url, 16)
  const requests = accounts.map(({ v1Key }) => creation({ 'x-api-key': v1Key }))
  const port = Number(new URL(url).port)
  const create = async () => {
    const result = await load({ port, connections, requests, seconds })
    if (result.failed > 0) throw new Error(`${result.failed} requests failed`)
    return result
  }
  const without: LoadResult[] = []
  const during: LoadResult[] = []
  await create()
  for (let round = 0; round < rounds; round++) {
    without.push(await create())
    const [result] = await Promise.all([create(), prune()])
    during.push(result)
    console.log(
      [without, during]
        .map((runs) => runs.at(-1))
        .map((run) => `${run?.perSecond.toFixed(0)}/s p99 ${run?.p99Ms.toFixed(1)} ms`)
        .join('   pruning: '),
    )
  }
  return { without, during }
}

async function wholeScans(sql: Sql): Promise<number> {
  await Bun.sleep(1_500)
  const [row] = await sql<
    { scans: number }[]
  >`select sum(seq_scan)::integer as scans from pg_stat_user_tables
    where relname in ('delivery_batches', 'deliveries', 'idempotency_keys')`
  return row?.scans ?? 0
}
