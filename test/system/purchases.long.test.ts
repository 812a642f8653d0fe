import { afterAll, beforeAll, expect, test } from 'bun:test'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client, x402HTTPClient } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import { testEnv, testSecretsKey } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { type Service, startService } from '../support/service.ts'
import { eventually } from '../support/wait.ts'
import { startUpstream, type Upstream } from '../support/x402-upstream.ts'

let node: EvmNode
let database: TestDatabase
let upstream: Upstream
let account: NewAccount
let service: Service
let worker: Service
let env: Record<string, string>

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  database = await testDatabase()
  upstream = await startUpstream(node)
  env = testEnv(database.url, {
    BASE_RPC_URL: node.url,
    BASE_POLL_MS: '100',
    BASE_CONFIRMATIONS: '1',
    LOG_LEVEL: 'info',
    ROLE: 'http',
  })
  worker = await startService({ ...env, ROLE: 'worker' })
  service = await startService(env)
  account = await openAccount(database.sql, keyFrom(testSecretsKey), { name: 'Test', plan: 'pro' })
  await node.mint(node.wallet(1).address, 1_000_000n)
})

afterAll(async () => {
  await Promise.all([service.stop(), worker.stop()])
  await upstream.stop()
  await node.stop()
  await database.drop()
})

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-api-key': account.v1Key, 'x-agent-id': 'agent-7', ...init.headers }
  return fetch(service.url + path, { ...init, headers })
}

async function payment(unpaid: Response): Promise<Record<string, string>> {
  const signer = toClientEvmSigner(privateKeyToAccount(node.wallet(1).privateKey))
  const scheme = new ExactEvmScheme(signer)
  const client = new x402HTTPClient(new x402Client().register('eip155:8453', scheme))
  const required = client.getPaymentRequiredResponse((name) => unpaid.headers.get(name), undefined)
  return client.encodePaymentSignatureHeader(await client.createPaymentPayload(required))
}

async function statusOf(id: string): Promise<string> {
  return ((await (await call(`/api/invoices/${id}`)).json()) as { status: string }).status
}

async function budget() {
  const { data } = (await (await call('/api/budget/agent-7')).json()) as {
    data: { spent: number; reserved: number }
  }
  return [data.spent, data.reserved]
}

async function figures(of: 'tax-summary' | 'overview') {
  const asked = await call('/api/v1/auth/token', { method: 'POST' })
  const { data } = (await asked.json()) as { data: { token: string } }
  const headers = { authorization: `Bearer ${data.token}` }
  const answer = await fetch(`${service.url}/api/v1/dashboard/${of}`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: two answers of different shapes
  return ((await answer.json()) as any).data
}

test('a purchase whose process is killed while the upstream settles is found on chain and counted once, and not as earned', async () => {
  await call('/api/budget/agent-7', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"limit":100}',
  })
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  const unpaid = await call(path)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  upstream.behaviour = 'settle then stall'
  const before = await node.rpc('eth_blockNumber')
  const lost = call(path, { headers: await payment(unpaid) }).catch(() => null)
  await eventually(async () => (await node.rpc('eth_blockNumber')) !== before)
  await service.kill()
  await lost
  service = await startService(env)
  expect(await statusOf(id)).toBe('sent')
  expect(await budget()).toEqual([0, 1])
  // Simulates the minute after which an attempt must have died.
  await database.sql`update purchases set forwarded_at = forwarded_at - interval '2 minutes' where invoice_id = ${id}`
  await eventually(async () => (await statusOf(id)) === 'settled')
  expect(await budget()).toEqual([1, 0])
  await eventually(async () => ['settled', 'completed'].includes(await statusOf(id)))
  const invoice = (await (await call(`/api/invoices/${id}`)).json()) as { kind: string }
  expect(invoice.kind).toBe('purchase')
  const { purchases, ...earned } = await figures('tax-summary')
  expect(earned).toEqual({ invoiceCount: 0, currencies: [] })
  expect(purchases).toMatchObject({ invoiceCount: 1, currencies: [{ currency: 'USDC', tax: 0 }] })
  const { confirming, settledByDay } = await figures('overview')
  const counts = [confirming, ...settledByDay].map(({ invoiceCount }) => invoiceCount)
  expect(counts.filter((count) => count > 0)).toEqual([])
}, 60_000)
