import { afterAll, beforeAll, expect, test } from 'bun:test'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { saying } from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const limitMs = 40_000

let node: EvmNode
let relay: RpcRelay
let database: TestDatabase
let account: NewAccount
let service: Service

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  relay = startRpcRelay(node.url)
  database = await testDatabase()
  account = await openAccount(database.sql, keyFrom(testSecretsKey), { name: 'Test', plan: 'pro' })
  service = await startService(
    testEnv(database.url, {
      BASE_RPC_URL: relay.url,
      BASE_POLL_MS: '100',
      BASE_WALLET: wallet,
      BASE_CONFIRMATIONS: '3',
      BASE_MAX_RANGE_BLOCKS: '25',
      LOG_LEVEL: 'info',
    }),
  )
})
afterAll(async () => {
  await service.stop()
  await relay.stop()
  await node.stop()
  await database.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: answers of several routes
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'x-api-key': account.v1Key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

const said = (message: string) => service.lines.filter(({ msg }) => msg === message)

test('while its node is away a chain waits, and all that was paid meanwhile settles once it is back, with a line in the log', async () => {
  const invoices = []
  for (const amount of [1, 2, 3]) {
    const { data } = await call('POST', '/v1/invoices', {
      amount,
      currency: 'USDC',
      customerName: 'Ada',
      customerEmail: 'ada@example.com',
    })
    invoices.push(data)
  }
  await eventually(async () => (await database.sql`select 1 from cursors`).length > 0, limitMs)
  relay.misbehave(saying('', { status: 503 }))
  await eventually(() => said('a node of the chain is no help').length > 0, limitMs)
  for (const { total, paymentDetails } of invoices) {
    const usdcBase = BigInt(Math.round(Number(total) * 1e6))
    const { reference } = paymentDetails
    await node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase, reference })
    await node.mine(150)
  }
  expect((await call('GET', `/v1/invoices/${invoices[0].id}`)).data.status).toBe('PENDING')
  const { chains } = await call('GET', '/readyz')
  expect(chains.find(({ chain }: { chain: string }) => chain === 'base').fault).toBe('unreachable')
  relay.behave()
  for (const { id } of invoices) {
    const isSettled = async () =>
      (await call('GET', `/v1/invoices/${id}`)).data.status === 'SETTLED'
    await eventually(isSettled, limitMs)
  }
  await eventually(() => said('caught up').length > 0, limitMs)
  expect(said('catching up')[0]).toMatchObject({ network: 'base', percent: expect.any(Number) })
  await eventually(() => said('a node of the chain is well again').length === 1)
}, 120_000)
