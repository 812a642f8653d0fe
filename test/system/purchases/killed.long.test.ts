import { beforeAll, expect, test } from 'bun:test'
import { requester } from '../../support/app.ts'
import { purchasesIn } from '../../support/bought.ts'
import type { Service } from '../../support/service.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { signedPayment } from '../../support/x402-buyer.ts'

const agent = { 'x-agent-id': 'agent-7' }
const { database, node, upstream, send, start } = useWorld({
  chains: ['base'],
  funded: [1],
  upstream: true,
  service: 'apart',
  env: { BASE_CONFIRMATIONS: '1', ROLE: 'http', LOG_LEVEL: 'info' },
})
const { invoice, statusOf, becomes, age } = purchasesIn({ database, send })
let service: Service

beforeAll(async () => {
  await start({ ROLE: 'worker' })
  service = await start()
})

async function budget() {
  const { spent, reserved } = (await send('GET', '/api/budget/agent-7')).json.data
  return [spent, reserved]
}

async function figures(of: 'tax-summary' | 'overview') {
  const { token } = (await send('POST', '/api/v1/auth/token')).json.data
  const headers = { authorization: `Bearer ${token}` }
  const get = requester(() => service.url)
  return (await get('GET', `/api/v1/dashboard/${of}`, undefined, headers)).json.data
}

test('a purchase whose process is killed while the upstream settles is found on chain and counted once, and not as earned', async () => {
  await send('PUT', '/api/budget/agent-7', { limit: 100 })
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  const unpaid = await send('GET', path, undefined, agent)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  upstream.behaviour = 'settle then stall'
  const before = await node.rpc('eth_blockNumber')
  const { headers } = await signedPayment(node.wallet(1), unpaid)
  const lost = send('GET', path, undefined, { ...agent, ...headers }).catch(() => null)
  await eventually(async () => (await node.rpc('eth_blockNumber')) !== before)
  await service.kill()
  await lost
  service = await start()
  expect(await statusOf(id)).toBe('sent')
  expect(await budget()).toEqual([0, 1])
  // An attempt is over after a minute.
  await age(id, '2 minutes')
  await becomes(id, 'settled')
  expect(await budget()).toEqual([1, 0])
  expect((await invoice(id)).kind).toBe('purchase')
  const { purchases, ...earned } = await figures('tax-summary')
  expect(earned).toEqual({ invoiceCount: 0, currencies: [] })
  expect(purchases).toMatchObject({ invoiceCount: 1, currencies: [{ currency: 'USDC', tax: 0 }] })
  const { confirming, settledByDay } = await figures('overview')
  const counts = [confirming, ...settledByDay].map(({ invoiceCount }) => invoiceCount)
  expect(counts.filter((count) => count > 0)).toEqual([])
})
