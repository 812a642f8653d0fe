import { afterAll, beforeAll, expect, test } from 'bun:test'
import { insertAll } from '../../../src/storage/invoices/invoices.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { after } from '../../support/invoice.ts'
import { unreadAnswer } from '../../support/raw-socket.ts'
import { eventually } from '../../support/wait.ts'

let app: TestApp
/** How many lists of one account may be under way in a process. */
const most = 16

beforeAll(async () => {
  app = await testApp({ ROLE: 'http' })
  const { account } = app.account
  // Larger than a request may make them: this machine's own buffers would take the others.
  const terms = { description: '述'.repeat(40_000) }
  const invoice = { ...after([], terms), accountId: account.id, number: 0 }
  const rows = Array.from({ length: 100 }, () => ({
    invoice: { ...invoice, id: Bun.randomUUIDv7() },
    idempotency: null,
  }))
  await insertAll(app.database.sql, rows)
})
afterAll(() => app.stop())

const path = '/v1/invoices?limit=100'
const nothing = '00000000-0000-0000-0000-000000000000'

async function unread() {
  const headers = { 'x-api-key': app.account.v1Key }
  const sockets = await Promise.all(
    Array.from({ length: most }, () => unreadAnswer(app.url + path, headers)),
  )
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

test('lists that nobody reads wait in memory: an account has sixteen of them, others have theirs', async () => {
  const giveUp = await unread()
  const paths = [path, '/api/invoices', '/v1/mandates', `/v1/webhooks/${nothing}/deliveries`]
  const refused = await Promise.all(paths.map((one) => app.send('GET', one)))
  const told = refused.map(({ status, headers }) => [status, headers.get('retry-after')])
  expect(told).toEqual(paths.map(() => [503, '5']))
  const others = { 'x-api-key': app.other.v1Key }
  expect((await app.send('GET', path, undefined, others)).status).toBe(200)
  giveUp()
  await eventually(async () => (await app.send('GET', '/v1/mandates')).status === 200)
})

test('lists that are read leave their places to those that follow', async () => {
  for (let n = 0; n < 2 * most; n++)
    expect((await app.send('GET', '/v1/invoices?limit=3')).status).toBe(200)
})
