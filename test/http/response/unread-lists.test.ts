import { beforeAll, expect, spyOn, test } from 'bun:test'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { after } from '../../support/invoice.ts'
import { unreadAnswer } from '../../support/raw-socket.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

/** How many lists of one account may be under way in a process. */
const most = 16
/** While true, Bun is made to say of every request that its answer is not read yet. */
let isUnread = false

const serve = spyOn(Bun, 'serve')
const { app } = useWorld({ env: { ROLE: 'http' } })
beforeAll(async () => {
  for (const { value } of serve.mock.results) sayUnread(value as Bun.Server<unknown>)
  serve.mockRestore()
  const { account } = app.account
  // A hundred of them are more than what leaves its place at once.
  const terms = { description: '述'.repeat(1_000) }
  const invoice = { ...after([], terms), accountId: account.id, number: 0 }
  const rows = Array.from({ length: 100 }, () => ({
    invoice: { ...invoice, id: Bun.randomUUIDv7() },
    idempotency: null,
  }))
  await insertAll(app.database.sql, rows)
})

/** Bun tells by `requestIP` whether an answer has been sent; how much the system buffers varies. */
function sayUnread(server: Bun.Server<unknown>): void {
  const requestIP = server.requestIP.bind(server)
  server.requestIP = (request) =>
    isUnread ? { address: '127.0.0.1', port: 1, family: 'IPv4' } : requestIP(request)
}

const path = '/v1/invoices?limit=100'
const nothing = '00000000-0000-0000-0000-000000000000'

test('lists that nobody reads wait in memory: an account has sixteen of them, others have theirs', async () => {
  isUnread = true
  const unread = Array.from({ length: most }, () => app.send('GET', path))
  expect((await Promise.all(unread)).map(({ status }) => status)).toEqual(Array(most).fill(200))
  const paths = [path, '/api/invoices', '/v1/mandates', `/v1/webhooks/${nothing}/deliveries`]
  const refused = await Promise.all(paths.map((one) => app.send('GET', one)))
  const answers = refused.map(({ status, headers }) => [status, headers.get('retry-after')])
  expect(answers).toEqual(paths.map(() => [503, '5']))
  const others = { 'x-api-key': app.other.v1Key }
  expect((await app.send('GET', path, undefined, others)).status).toBe(200)
  isUnread = false
  expect((await app.send('GET', '/v1/mandates')).status).toBe(200)
})

test('Bun tells an answer that nobody reads from one whose caller is gone', async () => {
  // More than the buffers of any system take.
  const body = new Uint8Array(100_000_000)
  let asked: Request | undefined
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      asked = request
      return new Response(body)
    },
  })
  const isOver = () => asked !== undefined && !server.requestIP(asked)
  const socket = await unreadAnswer(`http://localhost:${server.port}/`, {})
  await Bun.sleep(200)
  expect(isOver()).toBe(false)
  socket.destroy()
  await eventually(isOver)
  await server.stop(true)
})

test('lists that are read leave their places to those that follow', async () => {
  for (let n = 0; n < 2 * most; n++)
    expect((await app.send('GET', '/v1/invoices?limit=3')).status).toBe(200)
})
