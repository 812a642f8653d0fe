/**
 * The servers `bench/read.ts` compares with.
 * `bun bench/rivals/read.ts constant|query [answer] [database]` prints its port.
 */
import { Elysia } from 'elysia'
import { connect } from '../../src/storage/postgres/db.ts'

const [kind, answer = '', databaseUrl = 'postgres://unused'] = process.argv.slice(2)
const sql = connect(databaseUrl, { max: 10, name: 'rival' })

const json = { headers: { 'content-type': 'application/json' } }
const app = new Elysia()
  /** One invoice: a constant text, or the row with that id. */
  .get('/v1/invoices/:id', async ({ params: { id } }) => {
    if (kind === 'constant') return new Response(answer, json)
    const [row] = await sql<{ terms: string }[]>`select * from invoices where id = ${id}`
    return new Response(row?.terms, json)
  })
  /** The rows that a list needs for ten invoices of an account below a place. */
  .get('/v1/invoices', async ({ query }) => {
    const rows = await sql<{ terms: string }[]>`
      select * from invoices where account_id = ${query.account ?? ''} and place < ${Number(query.below)}
      order by year desc, place desc limit 11`
    return new Response(`[${rows.map(({ terms }) => terms).join(',')}]`, json)
  })
  .listen({ port: 0, hostname: '127.0.0.1' })
console.log(app.server?.port)
