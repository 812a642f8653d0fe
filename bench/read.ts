/**
 * What does a read cost? `bun bench/read.ts [rounds] [rows]` stores 1,000,000 invoices, and
 * compares at 64 keep-alive connections from a client on the same machine:
 *
 * - one of a hundred invoices with the ceiling, Elysia answering the same JSON from a constant;
 * - any of all invoices with a server that only runs the query;
 * - the first page of a list with a page deep inside it, and with the bare queries.
 */
import { connect, withoutTimeLimit } from '../src/storage/postgres/db.ts'
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { wireRequest } from './load.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const rows = Number(process.argv[3] ?? 1_000_000)
const sampled = 20_000
const connections = 64

const postgres = await startPostgres()
try {
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const [opened] = await openAccounts(postgres.url, 1)
  const key = { 'x-api-key': opened?.v1Key ?? '' }
  const created = await fetch(`${service.url}/v1/invoices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key },
    body: JSON.stringify({
      amount: 12.5,
      currency: 'USDC',
      taxCountry: 'DE',
      customerName: 'Ada Example',
      customerEmail: 'ada@example.com',
    }),
  })
  const answer = await created.text()
  const { hot, any } = await copies(JSON.parse(answer).data.id)
  const port = Number(new URL(service.url).port)
  const constant = await rival('read', 'constant', answer)
  const query = await rival('read', 'query', '', postgres.url)
  const get = (path: string) => wireRequest('GET', path, key)
  const one = (ids: readonly string[]) => ids.map((id) => get(`/v1/invoices/${id}`))

  const reads = await takeParts(
    {
      'constant answer': { port: constant.port, requests: one(hot) },
      'GET, hot': { port, requests: one(hot) },
      'GET, any of all': { port, requests: one(any) },
      'bare query, any of all': { port: query.port, requests: one(any) },
    },
    { connections, rounds, seconds: 1 },
  )
  show(connections, reads)
  const hotRatio = ratio(reads['GET, hot'], reads['constant answer'])
  const anyRatio = ratio(reads['GET, any of all'], reads['bare query, any of all'])
  report({
    'reading a hot invoice: over a constant answer': hotRatio.toFixed(2),
    'reading any of a million invoices: over the bare query': anyRatio.toFixed(2),
  })

  const account = opened?.account.id ?? ''
  const middle = Math.floor(rows / 2)
  const cursor = Buffer.from(`${new Date().getUTCFullYear()}.${middle}`).toString('base64url')
  const below = (place: number) => [get(`/v1/invoices?account=${account}&below=${place}`)]
  const lists = await takeParts(
    {
      'list, page 1': { port, requests: [get('/v1/invoices')] },
      'list, cursor in the middle': { port, requests: [get(`/v1/invoices?cursor=${cursor}`)] },
      'bare query, first rows': { port: query.port, requests: below(rows + 2) },
      'bare query, middle': { port: query.port, requests: below(middle) },
    },
    { connections, rounds, seconds: 1 },
  )
  show(connections, lists)
  const deep = 1 / ratio(lists['list, cursor in the middle'], lists['list, page 1'])
  const bare = ratio(lists['list, page 1'], lists['bare query, first rows'])
  report({
    'time of a page deep in a list: over page 1': deep.toFixed(2),
    'page 1 of a list: over the bare query': bare.toFixed(2),
  })
  await service.stop()
  for (const server of [constant, query]) server.stop()
} finally {
  await postgres.stop()
}

/**
 * Copies one invoice until there are `rows`. Answers a hundred ids, and a random sample of all ids.
 */
async function copies(id: string): Promise<{ hot: readonly string[]; any: readonly string[] }> {
  const sql = withoutTimeLimit(connect(postgres.url, { max: 1, name: 'bench' }))
  await sql`insert into invoices
    select (copy).* from invoices cross join generate_series(2, ${rows}) as n
    cross join lateral (select jsonb_populate_record(invoices, jsonb_build_object('id', gen_random_uuid(), 'number', n, 'place', n)) as copy)
    where id = ${id}`
  await sql`update invoice_numbers set last_sale = ${rows}`
  await sql`vacuum analyze invoices`
  const found = await sql<
    { id: string }[]
  >`select id from invoices order by random() limit ${sampled}`
  await sql.end()
  const ids = found.map((row) => row.id)
  return { hot: ids.slice(0, 100), any: ids }
}
