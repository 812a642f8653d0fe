import { afterAll, beforeAll, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const hourMs = 3_600_000
const limitMs = 40_000

let node: EvmNode
let database: TestDatabase
let account: NewAccount
let services: Service[]

beforeAll(async () => {
  services = []
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  database = await testDatabase()
  account = await openAccount(database.sql, keyFrom(testSecretsKey), { name: 'Test', plan: 'pro' })
})
afterAll(async () => {
  for (const service of services) await service.kill()
  await node.stop()
  await database.drop()
})

async function start(role: 'http' | 'all', aheadMs = 0): Promise<Service> {
  const preload = Bun.fileURLToPath(new URL('../support/shifted-clock.ts', import.meta.url))
  const service = await startService({
    ...testEnv(database.url, {
      ROLE: role,
      BASE_RPC_URL: node.url,
      BASE_POLL_MS: '500',
      BASE_WALLET: wallet,
      BASE_CONFIRMATIONS: '1',
      LOG_LEVEL: 'info',
    }),
    CLOCK_AHEAD_MS: `${aheadMs}`,
    BUN_OPTIONS: `--preload=${preload}`,
  })
  services.push(service)
  return service
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
async function call({ url }: Service, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': account.v1Key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

test('a worker an hour ahead fails no invoice that is due within the hour, says that its clock is wrong, and leaves a chain that goes on being watched', async () => {
  const http = await start('http')
  const order = async (amount: number, more = {}) => {
    const customer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
    const body = { amount, currency: 'USDC', ...customer, ...more }
    return (await call(http, 'POST', '/v1/invoices', body)).data
  }
  // Not by requests, which are limited.
  const stateOf = async (id: string) =>
    (await database.sql`select state from invoices where id = ${id}`)[0]?.state
  const pay = async ({
    id,
    total,
    paymentDetails: { reference },
  }: Awaited<ReturnType<typeof order>>) => {
    const usdcBase = BigInt(Math.round(Number(total) * 1e6))
    await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
    await node.mine(2)
    await eventually(async () => (await stateOf(id)) === 'settled', limitMs)
  }
  const due = await order(1, { dueAt: new Date(Date.now() + hourMs / 2).toISOString() })

  const ahead = await start('all', hourMs)
  const words = /^the clock of this process is \d+ s ahead of the database's/
  await eventually(() =>
    ahead.lines.some(({ level, msg }) => level === 'error' && words.test(`${msg}`)),
  )
  // A database that answers slowly may have read its clock at any moment: by then it is not noted.
  await eventually(async () =>
    (await call(ahead, 'GET', '/readyz')).notes.some((note: string) => words.test(note)),
  )
  await pay(await order(2))
  expect(await stateOf(due.id)).toBe('draft')

  await ahead.kill()
  const right = await start('all')
  const { notes } = await call(right, 'GET', '/readyz')
  expect(notes).not.toContainEqual(expect.stringMatching(words))
  await pay(await order(3))
  expect(await stateOf(due.id)).toBe('draft')
}, 120_000)
