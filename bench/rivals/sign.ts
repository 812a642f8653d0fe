/**
 * The ceiling `bench/sign.ts` compares with. `bun bench/rivals/sign.ts <database>` prints its port.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { connect } from '../../src/storage/postgres/db.ts'

const [databaseUrl = ''] = process.argv.slice(2)
const canonical =
  `{"counterparty_agent_id":"agent_beta","id":"mnd_${Bun.randomUUIDv7()}","scope":"work"}`.padEnd(
    250,
  )
/** About as many bytes as a signature writes. */
const written = 'x'.repeat(1_800)

const sql = connect(databaseUrl, { max: 10, name: 'rival' })
await sql`create table bare_signatures (id uuid primary key, written text not null)`

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { signature } = (await request.json()) as { signature: string }
    const expected = createHmac('sha256', 'secret').update(canonical).digest()
    timingSafeEqual(expected, Buffer.from(signature, 'hex'))
    await sql`insert into bare_signatures values (${Bun.randomUUIDv7()}, ${written})`
    return Response.json({ success: true })
  },
})
console.log(server.port)
