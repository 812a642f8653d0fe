import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { scopes } from '../../src/domain/accounts/scopes.ts'
import type { Operation } from '../../src/http/operation.ts'
import { pageBundle } from '../../src/http/pages/bundle.ts'
import { allRoutes } from '../../src/http/server.ts'
import { canonicalizeMandate, proposeMandate } from '../../src/http/v1/mandate-docs.ts'
import { issueKey } from '../../src/operator/accounts.ts'
import { keyWith, type TestApp, testApp } from '../support/app.ts'
import { signedClaim } from '../support/claims.ts'
import { aMandate } from '../support/mandates.ts'
import { drawnOnce } from '../support/pdf.ts'

/** Calls every route with two accounts: neither can see anything of the other. */

type Example = {
  /**
   * Creates what the path refers to for the first account and answers its id. Absent if the path
   * has no id.
   */
  readonly of?: () => Promise<string>
  readonly body?: object
  /** The request body for the resource `id`. */
  readonly bodyFor?: (id: string) => object | undefined
  /** The query string. */
  readonly query?: () => string
  /** The error code for another account's resource; absent: `NOT_FOUND`. */
  readonly missing?: string
  /** The caller chooses the name, so a name used by another account is free. */
  readonly isOwnName?: true
  /** The route reaches across accounts and requires the scope for that. */
  readonly isForOperators?: true
  /** The answer never ends; test/http/pages/live.test.ts reads it. */
  readonly isEndless?: true
  /** The route is open to anybody who pays. */
  readonly isPaid?: true
}

const invoiceBody = {
  amount: 1,
  currency: 'USDC',
  customerName: 'Ada Example',
  customerEmail: 'ada@example.com',
}
const nestedInvoiceBody = {
  amount: 1,
  currency: 'USD',
  buyer: { companyName: 'Ada Example', email: 'ada@example.com' },
  seller: { name: 'Grace Example', wallet: `0x${'5e'.repeat(20)}` },
}
const webhookBody = { url: 'http://127.0.0.1:1/hook', events: ['invoice.created'] }

const mandateBody = proposeMandate.exampleBody ?? {}
const signings = new Map<string, object>()
const claims = new Map<string, object>()
const aMandateOf: Example = { of: anAgreement, missing: 'mandate_not_found' }

const aTarget = { query: () => `?url=${encodeURIComponent(upstream.url.href)}` }

// One line for each route; a route without one fails the test.
const examples: Readonly<Record<string, Example>> = {
  'GET /healthz': {},
  'GET /readyz': {},
  'GET /metrics': {},
  'GET /admin/queues': { isForOperators: true },
  'GET /admin/queues/*': { isForOperators: true },
  'GET /openapi.json': {},
  'GET /docs': {},
  'GET /docs/scalar.js': {},
  'GET /': {},
  'GET /dashboard': {},
  'GET /dashboard/events': { isEndless: true },
  'GET /dashboard/session': {},
  'POST /dashboard/session': {},
  'DELETE /dashboard/session': {},
  'GET /pay/:id': { of: anInvoice },
  'GET /pay/:id/status': { of: anInvoice },
  'GET /assets/:name': { of: async () => (await pageBundle()).script },
  'POST /v1/invoices': { body: invoiceBody },
  'GET /v1/invoices': {},
  'GET /v1/invoices/:id': { of: anInvoice },
  'POST /api/invoices': { body: nestedInvoiceBody },
  'GET /api/invoices': {},
  'GET /api/invoices/:id': { of: anInvoice },
  'GET /api/invoices/:id/timeline': { of: anInvoice },
  'GET /api/invoices/:id/pdf': { of: anInvoice },
  'GET /api/invoices/:id/xml': { of: anInvoice },
  'POST /api/invoices/:id/send': { of: anInvoice },
  'POST /api/invoices/:id/void': { of: anInvoice },
  'POST /api/v1/invoices': { body: invoiceBody },
  'GET /api/v1/invoices': {},
  'GET /api/v1/invoices/:id': { of: anInvoice },
  'POST /v1/webhooks': { body: webhookBody },
  'GET /v1/webhooks': {},
  'GET /v1/webhooks/:id': { of: aWebhook },
  'PATCH /v1/webhooks/:id': { of: aWebhook, body: { active: false } },
  'DELETE /v1/webhooks/:id': { of: aWebhook },
  'POST /v1/webhooks/:id/rotate-secret': { of: aWebhook },
  'POST /v1/webhooks/:id/test': { of: aWebhook, body: { event: 'invoice.paid' } },
  'GET /v1/webhooks/:id/deliveries': { of: aWebhook },
  'POST /v1/deliveries/:id/redeliver': { of: aDelivery },
  'POST /api/webhooks': { body: webhookBody },
  'GET /api/webhooks': {},
  'GET /api/webhooks/:id': { of: aWebhook },
  'PATCH /api/webhooks/:id': { of: aWebhook, body: { active: false } },
  'DELETE /api/webhooks/:id': { of: aWebhook },
  'POST /api/webhooks/:id/rotate-secret': { of: aWebhook },
  'POST /api/webhooks/:id/test': { of: aWebhook, body: { event: 'invoice.paid' } },
  'GET /api/webhooks/:id/deliveries': { of: aWebhook },
  'POST /api/deliveries/:id/redeliver': { of: aDelivery },
  'POST /api/keys': { body: {} },
  'GET /api/keys': {},
  'DELETE /api/keys/:id': { of: aKey },
  'POST /v1/public/invoices/:id/claim': { of: aClaimed, bodyFor: (id) => claims.get(id) },
  'GET /api/transfers': { isForOperators: true },
  'POST /api/transfers/:id/assign': {
    of: async () => 'base:0x00:0',
    body: { invoiceId: 'none' },
    isForOperators: true,
  },
  'GET /v1/receipts/:id': { of: aReceipt },
  'GET /v1/public/receipts/:id/bundle': { of: aReceipt },
  'POST /v1/mandates': { body: mandateBody },
  'GET /v1/mandates': {},
  'POST /v1/mandates/canonicalize': { body: canonicalizeMandate.exampleBody ?? {} },
  'GET /v1/mandates/:id': aMandateOf,
  'POST /v1/mandates/:id/sign': { ...aMandateOf, bodyFor: (id) => signings.get(id) },
  'POST /v1/mandates/:id/complete': aMandateOf,
  'POST /v1/mandates/:id/dispute': { ...aMandateOf, body: { reason: 'Half is missing' } },
  'GET /v1/public/mandates/:id': aMandateOf,
  'PUT /api/budget/:agentId': { of: anAgent, body: { limit: 1 }, isOwnName: true },
  'GET /api/budget/:agentId': { of: anAgent },
  'GET /api/budget': {},
  'POST /api/budget/check': { body: { agentId: 'somebody', amount: 1 } },
  'POST /api/budget/reservations/:id/commit': { of: aReservation },
  'POST /api/budget/reservations/:id/release': { of: aReservation },
  'GET /api/x402/proxy': aTarget,
  'POST /api/x402/proxy': aTarget,
  'PUT /api/x402/proxy': aTarget,
  'PATCH /api/x402/proxy': aTarget,
  'DELETE /api/x402/proxy': aTarget,
  'OPTIONS /api/x402/proxy': aTarget,
  'POST /api/x402/invoice': { body: { amount: 1 }, isPaid: true },
  'POST /api/x402/settle': {
    of: anInvoice,
    bodyFor: (id) => ({ invoice_id: id }),
    isPaid: true,
  },
  'OPTIONS /api/x402/invoice': {},
  'OPTIONS /api/x402/settle': {},
  'OPTIONS /v1/public/invoices/:id/claim': { of: aClaimed },
  'GET /.well-known/x402': {},
  'POST /api/tax/calculate': { body: { amount: 1, countryCode: 'DE' } },
  'POST /api/v1/tax/calculate': { body: { amount: 1, countryCode: 'DE' } },
  'GET /api/v1/tax/rates': {},
  'POST /api/v1/auth/token': {},
  'GET /api/v1/dashboard/tax-summary': {},
  'GET /api/v1/dashboard/overview': {},
  'POST /agent-tools/mcp': { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  'GET /agent-tools/sections/pricing.json': {},
  'GET /agent-tools/sections/trust_signals.json': {},
}

// The server is only created for its table of routes. None of its parts is called, so they may be
// absent.
const all = allRoutes().filter(({ path }) => path !== '/*')
// A HEAD equals the GET of the same path, and has no body to check.
const routes = all.filter(({ method }) => method !== 'HEAD')
const unshared = /^(?:no-store|private)\b/
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const isDashboard = (path: string) => path.startsWith('/api/v1/dashboard/')

let app: TestApp
let upstream: Bun.Server<undefined>
let owner: Caller
let stranger: Caller
const ids: string[] = []

type Caller = { readonly key: string; readonly token: string }

beforeAll(async () => {
  app = await testApp({ ROLE: 'http' })
  upstream = Bun.serve({ port: 0, fetch: () => new Response('free') })
  owner = await caller(app.account.v1Key)
  stranger = await caller(app.other.v1Key)
  for (const make of [anInvoice, aWebhook, aKey, aReceipt, anAgent, aReservation]) await make()
  await drawnOnce(app, await anInvoice())
})
afterAll(() => Promise.all([app.stop(), upstream.stop(true)]))

test('every route has an example, and every example a route', () => {
  expect(routes.map(nameOf).sort()).toEqual(Object.keys(examples).sort())
})

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const { method, path } = route
  const { of, body, bodyFor, query, missing: code = 'NOT_FOUND' } = examples[name] ?? {}
  const { isOwnName, isForOperators, isPaid, isEndless } = examples[name] ?? {}
  const scope = (route.handler as Partial<Operation>).options?.scope ?? null
  const send = (id: string, headers: Record<string, string> = {}) =>
    app.keyless(
      method,
      path.replace(/:\w+/, encodeURIComponent(id)) + (query?.() ?? ''),
      bodyFor?.(id) ?? body,
      headers,
    )
  const credentials = ({ key, token }: Caller): Record<string, string> =>
    isDashboard(path) ? { authorization: `Bearer ${token}` } : { 'x-api-key': key }

  if (scope === null) {
    test(isPaid ? 'is open to anybody who pays' : 'is open to anybody', async () => {
      const { status } = await send(of ? await of() : '')
      if (isPaid) expect(status).toBe(402)
      else expect(status).toBeLessThan(300)
    })
    return
  }

  test('401 without a key', async () => {
    const { status, json } = await send(of ? await of() : '')
    expect([status, json.error.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  test(isDashboard(path) ? '401 with a key' : `403 with a key that lacks ${scope}`, async () => {
    const key = await keyWith(
      app,
      scopes.filter((one) => one !== scope),
    )
    const { status, json } = await send(of ? await of() : '', { 'x-api-key': key })
    expect([status, json.error.code]).toEqual(
      isDashboard(path) ? [401, 'UNAUTHORIZED'] : [403, 'FORBIDDEN'],
    )
  })

  test('no cache that many share keeps what a key is told, or refused', async () => {
    const answers = [await send('none', { 'x-api-key': await keyWith(app, ['admin']) })]
    if (!isForOperators && !isEndless) answers.push(await send('none', credentials(owner)))
    for (const { headers } of answers) expect(headers.get('cache-control')).toMatch(unshared)
  })

  if (isForOperators || isEndless) return

  if (!of || isOwnName) {
    test('answers the caller, and shows another account nothing of it', async () => {
      const id = of ? await of() : ''
      const answer = await send(id, credentials(stranger))
      expect(answer.status).toBeLessThan(300)
      expect(ids.filter((one) => one !== id && answer.text.includes(one))).toEqual([])
    })
    return
  }

  test('404 to another account, as if it did not exist, and not to its own', async () => {
    const id = await of()
    const foreign = await send(id, credentials(stranger))
    expect([foreign.status, foreign.json.error.code]).toEqual([404, code])
    const nobodys = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    if (bodyFor) signings.set(nobodys, bodyFor(id) ?? {})
    const missing = await send(nobodys, credentials(stranger))
    expect(foreign.text).toBe(missing.text)
    const own = await send(id, credentials(owner))
    expect(own.status).toBeLessThan(300)
    expect(own.headers.get('cache-control')).toMatch(unshared)
  })
})

async function caller(key: string): Promise<Caller> {
  const { json } = await app.keyless('POST', '/api/v1/auth/token', undefined, { 'x-api-key': key })
  return { key, token: json.data.token }
}

function keep(id: string): string {
  ids.push(id)
  return id
}

async function anInvoice(): Promise<string> {
  return keep((await app.send('POST', '/v1/invoices', invoiceBody)).json.data.id)
}

async function aClaimed(): Promise<string> {
  const invoiceId = await anInvoice()
  claims.set(invoiceId, await signedClaim({ invoiceId }))
  return invoiceId
}

async function aWebhook(): Promise<string> {
  return keep((await app.send('POST', '/v1/webhooks', webhookBody)).json.data.id)
}

async function aKey(): Promise<string> {
  const accountId = app.account.account.id
  const wanted = { accountId, kind: 'inv_', name: 'one', scopes: ['invoices:read'] } as const
  return keep((await issueKey(app.database.sql, wanted)).id)
}

async function aDelivery(): Promise<string> {
  const path = `/v1/webhooks/${await aWebhook()}/test`
  return keep((await app.send('POST', path, { event: 'invoice.sent' })).json.data.id)
}

async function aReceipt(): Promise<string> {
  const id = `drs_${crypto.randomUUID()}`
  await app.database.sql`
    with receipt as (
      insert into receipts (id, account_id, kind, subject_id, preimage, hash, issued_at)
      values (${id}, ${app.account.account.id}, 'settlement', gen_random_uuid(), '{}', '0x00', now())
    )
    insert into anchors (id, kind, subject_id, sequence, hash, label, state, created_at, updated_at)
    values (gen_random_uuid(), 'receipt', ${id}, 0, '0x00', ${id}, 'pending', now(), now())`
  return keep(id)
}

async function anAgreement(): Promise<string> {
  const { id, signature } = await aMandate(app)
  signings.set(id, { signer: 'proposer', signature })
  return keep(id)
}

async function anAgent(): Promise<string> {
  const id = `agent ${crypto.randomUUID()}`
  await app.send('PUT', `/api/budget/${encodeURIComponent(id)}`, { limit: 1_000 })
  return keep(id)
}

async function aReservation(): Promise<string> {
  const wanted = { agentId: await anAgent(), amount: 1, reserve: true }
  return keep((await app.send('POST', '/api/budget/check', wanted)).json.data.reservationId)
}
