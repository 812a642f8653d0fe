import { describe, expect, test } from 'bun:test'
import { testWallet } from '../../support/app.ts'
import { callTool, rpc } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'

/** Null in place of a member that may be left out, as the service's own answers write it. */

const { app } = useWorld({ env: { ROLE: 'http' } })

const flat = { amount: '12.50', currency: 'USDC', customerName: 'Ada', customerEmail: 'a@b.co' }
const nested = {
  amount: 1_000,
  currency: 'USD',
  buyer: { companyName: 'Ada', email: 'a@b.co' },
  seller: { name: 'S', wallet: testWallet },
}
const absent = { chain: null, agentId: null, mandateId: null, dueAt: null, metadata: null }

const refused = (answer: { status: number; json: { error: { code: string } } }) => [
  answer.status,
  answer.json.error.code,
]

describe('null is as good as leaving out', () => {
  test.each([
    ['/v1/invoices', flat],
    ['/api/v1/invoices', { ...flat, amount: 1_250 }],
    ['/api/invoices', nested],
  ])('an optional member of POST %s', async (path, body) => {
    const withNulls = { ...body, ...absent, taxCountry: null, country: null, payer: null }
    const [plain, made] = [
      await app.send('POST', path, body),
      await app.send('POST', path, withNulls),
    ]
    expect([plain.status, made.status]).toEqual([201, 201])
    const [one, other] = [plain, made].map(({ json }) => Object.keys(json.data ?? json))
    expect(other).toEqual(one ?? [])
  })

  test('in bodies of other POSTs too, also where the schema checks nothing', async () => {
    const hook = { url: 'https://example.com/hooks', events: ['invoice.settled'] }
    const made = await app.send('POST', '/v1/webhooks', { ...hook, secret: null, active: null })
    expect([made.status, made.json.data.active]).toEqual([201, true])
    const order = { currency: null, recipient: null, x_payment: null }
    const priced = await app.keyless('POST', '/api/x402/invoice', order)
    expect(priced.status).toBe(402)
  })

  test('in the arguments of a tool, one that is paid for included', async () => {
    const unpaid = await callTool(app, 'service_create_invoice', {
      currency: null,
      recipient: null,
      x_payment: null,
    })
    expect([unpaid.isError, unpaid.structuredContent.price]).toEqual([true, '0.01'])
  })
})

describe('null is refused as before', () => {
  test('for a required member, and for a member of a member', async () => {
    const { customerName } = flat
    const nameless = await app.send('POST', '/v1/invoices', { ...flat, customerName: null })
    expect(refused(nameless)).toEqual([400, 'INVALID_REQUEST'])
    expect(nameless.json.error.details).toMatchObject([{ path: 'customerName' }])
    const free = await app.send('POST', '/v1/invoices', { ...flat, customerName, amount: null })
    expect(refused(free)).toEqual([400, 'INVALID_AMOUNT'])
    const buyer = { ...nested.buyer, vat: null }
    const inner = await app.send('POST', '/api/invoices', { ...nested, buyer })
    expect(inner.json.error.details).toMatchObject([{ path: 'buyer/vat' }])
  })

  test('for the amount of an invoice that is bought, before it is paid: NaN is null in JSON', async () => {
    const price = Number('a price that could not be read')
    const order = { amount: price, x_payment: 'e30=' }
    const bought = await app.keyless('POST', '/api/x402/invoice', order)
    expect(refused(bought)).toEqual([400, 'INVALID_AMOUNT'])
    const call = { name: 'service_create_invoice', arguments: { amount: price } }
    const { isError, structuredContent } = (await rpc(app, 'tools/call', call)).json.result
    expect([isError, structuredContent.error.details]).toEqual([
      true,
      [{ path: 'amount', message: 'must be a number or a text' }],
    ])
  })

  test('for what a key may do and how long, since left out it is all that there is', async () => {
    for (const wanted of [{ scopes: null }, { preset: null }, { expiresAt: null }])
      expect(refused(await app.send('POST', '/api/keys', wanted))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('where a member says what to change, and kept where it is a value', async () => {
    const hook = { url: 'https://example.com/hooks', events: ['invoice.settled'] }
    const { json } = await app.send('POST', '/v1/webhooks', hook)
    const patched = await app.send('PATCH', `/v1/webhooks/${json.data.id}`, { active: null })
    expect(refused(patched)).toEqual([400, 'INVALID_REQUEST'])
    const limits = { limit: 1_000, perTransactionLimit: 10 }
    await app.send('PUT', '/api/budget/agent-null', limits)
    const put = (body: object) => app.send('PUT', '/api/budget/agent-null', body)
    expect(refused(await put({ limit: null }))).toEqual([400, 'INVALID_AMOUNT'])
    expect((await put({ perTransactionLimit: null })).json.data.perTransactionLimit).toBeNull()
  })
})

test('a body with null and one without it are different bodies to an Idempotency-Key', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  expect((await app.send('POST', '/v1/invoices', flat, key)).status).toBe(201)
  const other = await app.send('POST', '/v1/invoices', { ...flat, agentId: null }, key)
  expect(refused(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
})

test('the document says so wherever it is so', async () => {
  const { json } = await app.keyless('GET', '/openapi.json')
  const said = (path: string, method: string) => json.paths[path][method].requestBody.description
  expect(said('/v1/invoices', 'post')).toContain('null')
  for (const [path, method] of [
    ['/v1/webhooks/{id}', 'patch'],
    ['/api/budget/{agentId}', 'put'],
    ['/v1/mandates/canonicalize', 'post'],
    ['/v1/mandates/{id}/sign', 'post'],
    ['/api/keys', 'post'],
    ['/agent-tools/mcp', 'post'],
  ] as const)
    expect(said(path, method)).toBeUndefined()
  expect(said('/api/x402/invoice', 'post')).toEndWith('except `amount`.')
})
