/**
 * What does the journal cost? `bun bench/journal.ts [rounds] [invoices]` stores 1,000,000 settled
 * invoices of one account, each with its transfer and receipt, and reads a year of them in turn:
 *
 * - (a) as `GET /api/books` in JSON lines, and as CSV;
 * - (b) by the bare queries for the same rows, through cursors on one connection.
 *
 * Prints invoices a second, the ratios, the CPU time of an invoice, and how much memory the service
 * takes meanwhile.
 */
import { connect, type Sql, withoutTimeLimit } from '../src/storage/postgres/db.ts'
import { createdInvoice, requester, testEnv } from '../test/support/app.ts'
import { postmasterPid } from '../test/support/postgres.ts'
import { cpuSecondsUnder, type Measured, startHttp, usageOf } from './processes.ts'
import { report } from './results.ts'
import { openAccounts, startPostgres } from './servers.ts'
import { median } from './turns.ts'

const rounds = Number(process.argv[2] ?? 3)
const invoices = Number(process.argv[3] ?? 1_000_000)
const year = '2025'

type Variant = 'lines' | 'csv' | 'bare'

const postgres = await startPostgres()
try {
  const service = await startHttp(testEnv(postgres.url))
  const [opened] = await openAccounts(postgres.url, 1)
  const key = { 'x-api-key': opened?.v1Key ?? '' }
  const sql = withoutTimeLimit(connect(postgres.url, { max: 1, name: 'bench' }))
  const send = requester(() => service.service.url)
  const request = { amount: 100, currency: 'EUR', taxCountry: 'DE' }
  const { id } = await createdInvoice({ send }, request, opened?.v1Key)
  await settled(sql, id)

  const seconds = { lines: [], csv: [], bare: [] } as Record<Variant, number[]>
  const cpu = { lines: [], csv: [], bare: [] } as Record<Variant, string[]>
  const cpuNow = async () => ({
    service: (await usageOf(service)).cpuSeconds,
    own: process.cpuUsage().user / 1e6,
    postgres: cpuSecondsUnder(postmasterPid(postgres.dataDir)),
  })
  const memory: number[] = []
  const restBytes = (await usageOf(service)).residentBytes
  for (let round = 0; round <= rounds; round++) {
    for (const variant of ['lines', 'csv', 'bare'] as const satisfies readonly Variant[]) {
      const before = await cpuNow()
      const startedMs = performance.now()
      if (variant === 'bare') await readBare(sql, opened?.account.id ?? '')
      else memory.push(await readJournal(service, variant, key))
      const took = (performance.now() - startedMs) / 1_000
      const after = await cpuNow()
      const reader = variant === 'bare' ? 'own' : 'service'
      const micros = ([reader, 'postgres'] as const).map((name) =>
        (((after[name] - before[name]) * 1e6) / invoices).toFixed(0),
      )
      const each = `${micros.join(' + ')} µs`
      console.log(
        `${variant.padEnd(6)} ${(invoices / took).toFixed(0).padStart(8)} invoices/s   ${each}`,
      )
      if (round === 0) continue
      seconds[variant].push(took)
      cpu[variant].push(each)
    }
  }
  const over = (variant: 'lines' | 'csv') =>
    median(seconds[variant].map((took, at) => (seconds.bare[at] ?? 0) / took)).toFixed(2)
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  const half = Math.ceil(memory.length / 2)
  report({
    'the journal of a million invoices: over the bare queries': over('lines'),
    'the same as CSV': over('csv'),
    'CPU of an invoice in the journal: service + PostgreSQL': cpu.lines.at(-1) ?? '',
    'CPU of the bare queries for it: client + PostgreSQL': cpu.bare.at(-1) ?? '',
    'memory of http at rest, and most while it sends journals': `${megabytes(restBytes)}, ${megabytes(Math.max(...memory))}`,
    'most memory while sending journals: last half over first': (
      Math.max(...memory.slice(half)) / Math.max(...memory.slice(0, half))
    ).toFixed(2),
  })
  await sql.end()
  await service.service.stop()
} finally {
  await postgres.stop()
}
process.exit()

/** Answers the most memory that the service took meanwhile. */
async function readJournal(
  service: Measured,
  variant: 'lines' | 'csv',
  key: Readonly<Record<string, string>>,
): Promise<number> {
  let mostBytes = 0
  const sampling = setInterval(async () => {
    mostBytes = Math.max(mostBytes, (await usageOf(service)).residentBytes)
  }, 200)
  const accept = variant === 'csv' ? 'text/csv' : 'application/x-ndjson'
  const url = `${service.service.url}/api/books?period=${year}`
  const { status, body } = await fetch(url, { headers: { ...key, accept } })
  if (status !== 200 || !body) throw new Error(`the journal answered ${status}`)
  let lines = 0
  for await (const chunk of body)
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  clearInterval(sampling)
  // A sale has three rows, the payment and the fee two each.
  const wanted = invoices * 7 + (variant === 'csv' ? 1 : 0)
  if (lines !== wanted) throw new Error(`${lines} lines instead of ${wanted}`)
  return mostBytes
}

async function readBare(sql: Sql, accountId: string): Promise<void> {
  const of = (column: string) =>
    sql`account_id = ${accountId} and ${sql(column)} >= '2025-01-01' and ${sql(column)} < '2026-01-01'`
  const documents = sql`
    select year, number, settled_at, taxed_part(terms) from invoices where ${of('settled_at')} order by settled_at, year, place`
  const transfers = sql`
    select transfer.chain, tx_hash, position, block_time, usdc_base, year, number, fee_base
    from (select * from transfers where ${of('block_time')} and state = 'confirmed') as transfer
    join invoices on invoices.id = invoice_id join receipts on subject_id = invoices.id and revoked_at is null
    order by block_time, transfer.chain, tx_hash, position`
  let count = 0
  for (const query of [documents, transfers])
    for await (const rows of query.cursor(1_000)) count += rows.length
  if (count !== 2 * invoices) throw new Error(`${count} rows instead of ${2 * invoices}`)
}

/** Copies an invoice until there are `invoices`, settled over the year, each paid once. */
async function settled(sql: Sql, id: string): Promise<void> {
  console.log(`storing ${invoices} settled invoices …`)
  await sql`
    insert into invoices (id, account_id, year, is_purchase, number, place, version, state, owed_base, chain, pay_to, due_base, created_at, updated_at,
      settled_at, terms, progress)
    select copy, account_id, 2025, false, n, n, 6, 'completed', null::bigint, chain, pay_to, due_base, at, at, at, terms,
      '{"resume":"sent","payments":[{"key":"base:0x' || md5(copy::text) || md5(n::text) || ':0","usdcBase":"' || due_base ||
      '","blockNumber":1,"from":"0xbb","matchedBy":"reference","confirmed":true}],"settlement":{"id":"' || copy ||
      '","receiptId":"drs_' || copy || '","payment":0,"confirmations":5,"settledAt":"' || to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}}'
    from invoices, (
      select n, at, uuidv7(at - clock_timestamp()) as copy
      from generate_series(1, ${invoices}) as n
      cross join lateral (select timestamptz '2025-01-01T00:01Z' + n * (interval '364 days' / ${invoices}::float8) as at) as settling
    ) as series where id = ${id}`
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      invoice_id, account_id, matched_by, created_at)
    select chain, decode(substr(split_part(progress::json #>> '{payments,0,key}', ':', 2), 3), 'hex'), 0, number, sha256(int4send(number)), settled_at - interval '10 seconds', '\\xbb',
      decode(substr(pay_to, 3), 'hex'), due_base, 'confirmed', id, account_id, 'reference', settled_at
    from invoices where settled_at is not null`
  await sql`
    insert into receipts (id, account_id, kind, subject_id, seed, invoice_version, fee_base, hash, issued_at)
    select 'drs_' || id, account_id, 'settlement', id, '', 6, 1285200, '', settled_at
    from invoices where settled_at is not null`
  await sql`vacuum analyze invoices, transfers, receipts`
}
