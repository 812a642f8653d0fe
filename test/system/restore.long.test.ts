import { expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { connect } from '../../src/storage/postgres/db.ts'
import { createdInvoice, requester, type TestApp, testSecretsKey } from '../support/app.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'
import { sellerIn, settledBy } from '../support/x402-seller.ts'

const wallet = '0x00000000000000000000000000000000000000aa'

const world = useWorld({
  chains: ['base'],
  funded: [1],
  service: 'none',
  env: ({ node }) => ({
    ...settledBy(node.wallet(8)),
    BASE_WALLET: wallet,
    BASE_CONFIRMATIONS: '1',
    PUBLIC_URL: 'https://pay.test',
  }),
})
const { sql, node, database } = world

test('after a restore what was paid since the backup settles its invoice, and what was bought is delivered once more', async () => {
  const wanted = { name: 'Ada', plan: 'enterprise' } as const
  const { v1Key } = await openAccount(sql, keyFrom(testSecretsKey), wanted)
  let url = ''
  const keyless = requester(() => url)
  const send: typeof keyless = (method, path, body) =>
    keyless(method, path, body, { 'x-api-key': v1Key })
  const start = async (databaseUrl: string) => {
    const app = await world.startHere({ DATABASE_URL: databaseUrl })
    url = app.url ?? ''
    return app
  }

  const before = await start(database.url)
  const { id, total, paymentDetails } = await createdInvoice({ send })
  await eventually(async () => (await sql`select from cursors`).length > 0)
  await before.drain()
  const backup = await backedUp()

  const lost = await start(database.url)
  const { signed } = sellerIn({ node, app: { keyless } as TestApp })
  const { pay } = await signed()
  expect((await pay()).status).toBe(200)
  const usdcBase = BigInt(Math.round(Number(total) * 1e6))
  const { reference } = paymentDetails
  await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
  await node.mine(3)
  await lost.drain()

  const restored = await start(backup.url)
  const status = async () => (await send('GET', `/v1/invoices/${id}`)).json.data.status
  await eventually(async () => (await status()) === 'SETTLED')
  const again = await pay()
  expect([again.status, (await pay()).text]).toEqual([200, again.text])
  await restored.drain()
  await backup.drop()
})

/** A copy of the database of a service that is stopped. */
async function backedUp() {
  const url = new URL(database.url)
  const name = url.pathname.slice(1)
  url.pathname = '/postgres'
  const server = connect(url.href, { max: 1, name: 'test' })
  // Of this test.
  await server`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  await server.end()
  return emptyDatabase(name)
}
