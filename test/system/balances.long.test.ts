import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp, testEnv } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'

let node: EvmNode
let app: TestApp
let worker: Service | undefined

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  app = await testApp({ ROLE: 'http', BASE_WALLET: node.wallet(2).address })
})
afterAll(async () => {
  await worker?.stop()
  await app.stop()
  await node.stop()
})

test('a worker finds a payment in blocks it has read long ago and settles the invoice, with a line in the log', async () => {
  const { sql, url } = app.database
  const { json } = await app.send('POST', '/v1/invoices', {
    amount: 3,
    currency: 'USDC',
    customerName: 'Ada Example',
    customerEmail: 'ada@example.com',
  })
  const { id, paymentDetails } = json.data
  const before = await node.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  const [from, to] = [node.wallet(1).address, node.wallet(2).address]
  await node.transfer({ from, to, usdcBase: 3_000_000n, reference: paymentDetails.reference })
  await node.mine(10)
  const [agreed, next] = [Number(before.number), Number(before.number) + 10]
  await sql`update payment_addresses set agreed_block = ${agreed}, agreed_hash = ${before.hash}, agreed_base = 0`
  await sql`insert into cursors values ('base', ${next}, '[]', 0, now())`
  worker = await startService(
    testEnv(url, {
      ROLE: 'worker',
      BASE_RPC_URL: node.url,
      BASE_POLL_MS: '100',
      BASE_CONFIRMATIONS: '1',
      LOG_LEVEL: 'info',
    }),
  )
  const status = async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
  await eventually(async () => (await status()) === 'SETTLED', 40_000)
  const { lines } = worker
  const said = () => lines.find(({ msg }) => String(msg).startsWith('balances disagreed'))
  await eventually(() => said() !== undefined, 40_000)
  expect(said()).toMatchObject({ network: 'base', from: agreed + 1, count: 1, transfers: 1 })
})
