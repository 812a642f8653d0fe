import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { toJson } from '../../../src/domain/invoices/view.ts'
import { registry } from '../../../src/domain/registry.ts'
import { envelope } from '../../../src/domain/webhooks/event.ts'
import { sampleData } from '../../../src/domain/webhooks/event-samples.ts'
import { types } from '../../../src/domain/webhooks/events.ts'
import { minorInvoice } from '../../../src/http/shared/invoice-docs.ts'
import * as V1 from '../../../src/http/v1/docs.ts'
import { type Answer, anInvoice, keyWith } from '../../support/app.ts'
import { after, payment } from '../../support/invoice.ts'
import { linedRequest, termsOf } from '../../support/lined.ts'
import { validatorOf } from '../../support/mcp.ts'
import { drawnOnce } from '../../support/pdf.ts'
import { lint } from '../../support/redocly.ts'
import { nameOf, routeExamples, routes } from '../../support/route-examples.ts'
import { addTotals } from '../../support/totals.ts'
import { useWorld } from '../../support/world.ts'

/**
 * The OpenAPI document matches the service: every route is in it, and every answer is checked
 * against it.
 */

const undocumented = [
  'GET /',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /admin/queues',
  'GET /admin/queues/*',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/scalar.js',
  'GET /.well-known/x402',
  'GET /.well-known/quittance',
  'GET /dashboard',
  'GET /pay/icon.svg',
  'GET /pay/:id/transaction',
  'POST /pay/:id/transaction',
  'GET /dashboard/chains',
  'GET /dashboard/events',
  'GET /dashboard/session',
  'POST /dashboard/session',
  'DELETE /dashboard/session',
  'GET /pay/:id',
  'GET /pay/:id/status',
  'GET /pay/:id/invoice.pdf',
  'GET /pay/:id/receipt',
  'GET /pay/:id/receipt/anchor',
  'GET /pay/:id/logo',
  'GET /assets/:name',
]

const payTo = `0x${'5e'.repeat(20)}`
const demand = { scheme: 'exact', network: 'base', maxAmountRequired: '10000', payTo }
const asset = registry.base.usdcAddress
const upstream = Bun.serve({
  port: 0,
  fetch: ({ url }) => {
    const [, status] = /\/status\/(\d+)$/.exec(url) ?? []
    if (status) return new Response(null, { status: Number(status) })
    return url.endsWith('/paid')
      ? Response.json(
          { x402Version: 1, error: 'Pay first', accepts: [{ ...demand, asset }] },
          { status: 402 },
        )
      : new Response('free')
  },
})
const formats = { uuid: /^[0-9a-f-]{36}$/, 'date-time': /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/ }
for (const [name, look] of Object.entries(formats)) {
  FormatRegistry.Set(name, (text) => look.test(text))
}

const { app } = useWorld({ env: { ROLE: 'http' } })
const { examples, bodies } = routeExamples(app, upstream.url)
const documented = routes.flatMap(({ docs, ...route }) => (docs ? [{ ...route, docs }] : []))

// biome-ignore lint/suspicious/noExplicitAny: the tests look into the document as its readers do
let document: any
let token: string
let operatorKey: string

beforeAll(async () => {
  document = (await app.keyless('GET', '/openapi.json')).json
  operatorKey = await keyWith(app, ['admin'])
  token = (await app.send('POST', '/api/v1/auth/token')).json.data.token
  await addTotals(app.database.sql, { accountId: app.account.account.id })
  await drawnOnce(app, await anInvoice(app))
})
afterAll(() => upstream.stop(true))

describe('/openapi.json', () => {
  test('has every route but those that are not of the API', () => {
    const missing = routes.map(nameOf).filter((name) => !documented.map(nameOf).includes(name))
    expect(missing.sort()).toEqual([...undocumented].sort())
    const paths = documented.map(({ path }) => path.replace(/:(\w+)/g, '{$1}'))
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(paths)].sort())
  })

  test('is valid, and redocly finds nothing to say', async () => {
    expect(await lint(JSON.stringify(document))).toEqual([])
  })

  test('names the permission, the limits and the refusals of an operation', () => {
    const { security, responses, parameters } = document.paths['/v1/invoices'].post
    expect(security).toEqual([{ bearerKey: ['invoices:write'] }, { headerKey: ['invoices:write'] }])
    const statuses = ['201', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503']
    expect(Object.keys(responses)).toEqual(statuses)
    expect(Object.keys(responses[201].headers)).toEqual([
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Idempotent-Replayed',
    ])
    expect(parameters.at(-1)).toEqual({ $ref: '#/components/parameters/IdempotencyKey' })
    const summary = document.paths['/api/v1/dashboard/tax-summary'].get
    expect(summary.security).toEqual([{ dashboardToken: ['dashboard:read'] }])
    expect(document.paths['/api/tax/calculate'].post.security).toEqual([])
  })

  test('says which values a field takes, and how far a list can be paged', () => {
    const { schema } = document.paths['/v1/invoices'].post.requestBody.content['application/json']
    const chains = (schema.properties.chain.anyOf as { const: string }[]).map((one) => one.const)
    expect(chains).toEqual(['base', 'polygon', 'arbitrum', 'solana', 'skale'])
    for (const path of ['/v1/invoices', '/api/invoices', '/v1/mandates', '/api/transfers']) {
      const parameters = document.paths[path].get.parameters as { name: string; schema: object }[]
      expect(parameters.find(({ name }) => name === 'page')?.schema).toMatchObject({
        minimum: 1,
        maximum: 1_000_000,
      })
    }
  })

  test('says of every field of a body what it means, not only what it must be', () => {
    const bare = Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Partial<Shown>>(methods).flatMap(([method, { requestBody }]) =>
        bareFieldsOf(requestBody?.content['application/json']?.schema ?? {}).map(
          (field) => `${method} ${path} ${field}`,
        ),
      ),
    )
    expect(bare).toEqual([])
  })

  test('the refusal of a mandate is documented wherever an invoice is made, and as no 402', () => {
    for (const path of ['/v1/invoices', '/api/invoices', '/api/v1/invoices']) {
      const statuses = Object.keys(document.paths[path].post.responses)
      expect(statuses).toContain('403')
      expect(statuses).not.toContain('402')
    }
  })

  test('an amount in decimals is a number or a text, for sale as well', () => {
    for (const path of ['/v1/invoices', '/api/x402/invoice']) {
      const { schema } = document.paths[path].post.requestBody.content['application/json']
      expect(schema.properties.amount.type).toEqual(['number', 'string'])
    }
  })

  test('names the headers that the proxy and what is sold take and answer, and where a body is passed on', () => {
    const named = (operation: { parameters: { name?: string; in?: string }[] }) =>
      operation.parameters.flatMap((one) => (one.in === 'header' ? [one.name] : []))
    const { get, post, delete: remove } = document.paths['/api/x402/proxy']
    const payments = ['PAYMENT-SIGNATURE', 'X-PAYMENT']
    expect(named(get)).toEqual(expect.arrayContaining([...payments, 'X-Agent-Id', 'X-Mandate-Id']))
    expect(named(get).filter((name) => name?.startsWith('X-Invoice-'))).toHaveLength(7)
    const bodies = [get, post, remove].map(({ requestBody }) => requestBody)
    expect(bodies).toEqual([undefined, { content: { '*/*': {} } }, { content: { '*/*': {} } }])
    expect(Object.keys(post.responses[200].headers)).toEqual(
      expect.arrayContaining(['PAYMENT-RESPONSE', 'X-Invoice-Id', 'X-Receipt-Id', 'Link']),
    )
    const headersOf = ({ responses }: typeof post, status: number) =>
      Object.keys(responses[status].headers)
    expect(headersOf(post, 402)).toEqual(expect.arrayContaining(['PAYMENT-REQUIRED']))
    for (const path of ['/api/x402/invoice', '/api/x402/settle']) {
      const sale = document.paths[path].post
      expect(named(sale)).toEqual(payments)
      expect(headersOf(sale, 202)).toContain('Retry-After')
      expect(headersOf(sale, 402)).toContain('PAYMENT-REQUIRED')
    }
  })

  test('a 401 is documented wherever a key may be shown, with its WWW-Authenticate', () => {
    const { responses } = document.paths['/api/tax/calculate'].post
    expect(Object.keys(responses)).toContain('401')
    const name = responses[401].$ref.split('/').at(-1)
    expect(Object.keys(document.components.responses[name].headers)).toContain('WWW-Authenticate')
  })

  test('is answered from memory, and not at all to who has it', async () => {
    const first = await app.keyless('GET', '/openapi.json')
    const etag = first.headers.get('etag') ?? ''
    const again = await app.keyless('GET', '/openapi.json', undefined, { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  })
})

describe('/docs', () => {
  test('is a page that loads nothing from elsewhere', async () => {
    const { status, headers, text } = await app.keyless('GET', '/docs')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).not.toMatch(/https?:/)
    expect(headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; script-src 'self'",
    )
  })

  test('brings its script along, packed', async () => {
    const response = await fetch(`${app.url}/docs/scalar.js`, { decompress: false } as RequestInit)
    expect(response.headers.get('content-type')).toStartWith('text/javascript')
    const script = gunzipSync(await response.arrayBuffer()).toString()
    expect(script).toContain('@scalar/api-reference')
  })
})

describe('an answer is what the document says', () => {
  test.each(documented.map((route) => [nameOf(route), route] as const))(
    '%s',
    async (name, route) => {
      const { method, path, scope, docs } = route
      const { of, queries = [''] } = examples[name] ?? {}
      const send = async (query = '', headers: Record<string, string> = {}) => {
        const id = of ? await of() : ''
        const address = path.replace(/:\w+/, encodeURIComponent(id)) + query
        return app.keyless(method, address, bodies.get(id) ?? docs.exampleBody, headers)
      }
      for (const query of queries) {
        const answer = await send(query, credential(path))
        expectDocumented(docs.answers[answer.status], answer)
      }
      if (scope === null) return
      const refused = await send()
      expect(refused.status).toBe(401)
      expectError(refused, path)
      expect(misfit(method, path, refused)).toBeNull()
    },
  )

  test.each(types)('an event, %s, of an invoice made in either family', (type) => {
    const { schema, examples } =
      document.webhooks[type].post.requestBody.content['application/json']
    for (const form of ['api', 'v1'] as const) {
      const data = sampleData(type, Bun.randomUUIDv7(), form, new Date())
      const stored = { subjectId: 'inv', sequence: 4, type, data: data, createdAt: new Date() }
      const event = JSON.parse(envelope(Bun.randomUUIDv7(), stored))
      expect(validatorIn(schema)(event).errorMessage ?? null).toBeNull()
      const { status: _, ...without } = event.data
      const isNamed = /^(invoice|credit_note|refund)\./.test(type)
      const answer = validatorIn(schema)({ ...event, data: without })
      expect(answer.valid).toBe(!isNamed)
      const example = examples[type.startsWith('mandate.') ? 'mandate' : form].value
      expect(Object.keys(example.data)).toEqual(Object.keys(event.data))
    }
  })

  test('a settled invoice, too', () => {
    const settled = after([
      { kind: 'credit', payment: payment({ usdcBase: 12_600_000n }) },
      {
        kind: 'confirm',
        key: payment().key,
        blockNumber: 7,
        from: payment().from,
        confirmations: 5,
        settlementId: 'stl',
        receiptId: 'drs',
      },
    ])
    const id = Bun.randomUUIDv7()
    const data = JSON.parse(toJson({ ...settled, id }, 'v1'))
    expect(data.paymentDetails.overpaidAmount).toBe('0.10')
    expectConforms(V1.getInvoice.answers[200], { success: true, data })
  })
})

test('an invoice with lines is what the document says, in either family', () => {
  const lined = after([], termsOf(linedRequest([{}, { category: 'reduced' }])))
  const invoice = { ...lined, id: Bun.randomUUIDv7() }
  expectConforms(minorInvoice, JSON.parse(toJson(invoice, 'api')))
  const data = JSON.parse(toJson(invoice, 'v1'))
  expect(data.lines).toHaveLength(2)
  expectConforms(V1.getInvoice.answers[200], { success: true, data })
})

describe('the document says, too,', () => {
  test.each([
    '/api/invoices/{id}/pdf',
    '/api/invoices/{id}/xml',
    '/agent-tools/sections/pricing.json',
    '/agent-tools/sections/trust_signals.json',
  ])('that %s is 304 without a body to who has it', async (template) => {
    const path = template.replace('{id}', await anInvoice(app))
    const etag = (await app.send('GET', path)).headers.get('etag') ?? ''
    const again = await app.send('GET', path, undefined, { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    const { parameters, responses } = document.paths[template].get
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/IfNoneMatch' })
    expect(Object.keys(responses[200].headers)).toContain('ETag')
    expect(Object.keys(responses[304])).toEqual(['description', 'headers'])
  })

  test('that a budget is read of nobody who cannot be called so', async () => {
    for (const agentId of ['%00', '%ff', 'a'.repeat(257)]) {
      const refused = await app.send('GET', `/api/budget/${agentId}`)
      expect([refused.status, misfit('GET', '/api/budget/:agentId', refused)]).toEqual([400, null])
    }
  })

  test.each([204, 302, 410])(
    'that the proxy passes on what the upstream says: %p',
    async (status) => {
      const target = new URL(`/status/${status}`, upstream.url).href
      const headers = { 'x-api-key': app.account.v1Key }
      const path = '/api/x402/proxy'
      const url = `${app.url}${path}?url=${encodeURIComponent(target)}`
      const passed = await fetch(url, { headers, redirect: 'manual' })
      expect(passed.status).toBe(status)
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options'])
        expect(document.paths[path][method].responses).toHaveProperty('default')
    },
  )
})

describe('a refusal is what the document says', () => {
  const takingBodies = documented.filter(
    ({ method, scope, path }) => method === 'POST' && scope !== null && path !== '/api/x402/proxy',
  )

  test.each(takingBodies.map((route) => [nameOf(route), route] as const))(
    '%s, of a body that it cannot read, whether or not it needs one',
    async (_, { method, path }) => {
      const url = path.replace(/:\w+/, crypto.randomUUID())
      const bodies = [
        ['{}', 'text/plain', 415],
        ['{', 'application/json', 400],
        [' '.repeat(1_048_577), 'application/json', 413],
      ] as const
      for (const [body, type, status] of bodies) {
        const headers = { ...credential(path), 'content-type': type }
        const refused = await app.keyless(method, url, body, headers)
        expect(refused.status).toBe(status)
        expect(misfit(method, path, refused)).toBeNull()
      }
    },
  )

  test('of the tool server, as JSON-RPC', async () => {
    const path = '/agent-tools/mcp'
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      app.keyless('POST', path, body as object, { 'x-api-key': app.account.v1Key, ...headers })
    const refusals = [
      [400, await post('{')],
      [400, await post({ jsonrpc: '2.0', id: 7 })],
      [400, await post({}, { 'mcp-protocol-version': '1999-01-01' })],
      [401, await post({}, { 'x-api-key': `sk_${'f'.repeat(64)}` })],
      [403, await post({}, { origin: 'https://elsewhere.example' })],
      [413, await post(' '.repeat(1_048_577))],
      [415, await post('{}', { 'content-type': 'text/plain' })],
      [429, await untilLimited(await app.newAccount('free'))],
    ] as const
    for (const [status, refused] of refusals) {
      expect([refused.status, refused.json.jsonrpc]).toEqual([status, '2.0'])
      expect(misfit('POST', path, refused)).toBeNull()
    }

    async function untilLimited({ v1Key }: { v1Key: string }): Promise<Answer> {
      const batch = Array.from({ length: 20 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
      for (;;) {
        const answer = await post(batch, { 'x-api-key': v1Key })
        if (answer.status !== 200) return answer
      }
    }
  })

  test('of the proxy: the upstream’s 402 with an invoice in it, and a budget that is used up', async () => {
    const path = '/api/x402/proxy'
    const url = `${path}?url=${encodeURIComponent(new URL('/paid', upstream.url).href)}`
    const demanded = await app.send('GET', url)
    expect([demanded.status, demanded.json.accepts[0].payTo]).toEqual([402, payTo])
    expect(misfit('GET', path, demanded)).toBeNull()
    const { invoice: _, ...without } = demanded.json
    expect(misfit('GET', path, { ...demanded, json: without })).not.toBeNull()
    const agentId = await anAgent()
    const over = await app.send('POST', '/api/budget/check', { agentId, amount: 1_001 })
    expect([over.status, misfit('GET', path, over)]).toEqual([402, null])
  })

  test('of a budget whose currency cannot change, and of a key that is too long', async () => {
    const agentId = await anAgent()
    await app.send('POST', '/api/budget/check', { agentId, amount: 1, reserve: true })
    const held = await app.send('PUT', `/api/budget/${agentId}`, { currency: 'EUR', limit: 1 })
    expect([held.status, misfit('PUT', '/api/budget/:agentId', held)]).toEqual([409, null])
    const path = '/v1/webhooks/:id/rotate-secret'
    const long = await app.send('POST', path.replace(':id', await aWebhook()), undefined, {
      'idempotency-key': 'k'.repeat(256),
    })
    expect([long.status, misfit('POST', path, long)]).toEqual([400, null])
  })
})

/**
 * How an answer deviates from the document's description of its operation and status; null if it
 * does not.
 */
function misfit(method: string, path: string, { status, json }: Pick<Answer, 'status' | 'json'>) {
  const { responses } = document.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
  const told = responses[status]
  const { content } = document.components.responses[told?.$ref?.split('/').at(-1)] ?? told ?? {}
  const schema = content?.['application/json'].schema
  if (!schema) return `${status} is not documented`
  return validatorIn(schema)(json).errorMessage ?? null
}

/** The validator of a schema in the document, compiled once: most refusals share theirs. */
function validatorIn(schema: object) {
  const checked = { type: 'object', allOf: [schema], components: document.components } as const
  const validator = validators.get(schema) ?? validatorOf(checked)
  validators.set(schema, validator)
  return validator
}
const validators = new Map<object, ReturnType<typeof validatorOf>>()

function credential(path: string): Record<string, string> {
  return path.startsWith('/api/v1/dashboard/')
    ? { authorization: `Bearer ${token}` }
    : { 'x-api-key': path.startsWith('/api/transfers') ? operatorKey : app.account.v1Key }
}

function expectDocumented(schema: TSchema | null | undefined, { status, text, json }: Answer) {
  expect([status, text, schema]).not.toContain(undefined)
  if (schema === null) return expect(text).toBe('')
  expectConforms(schema, schema?.contentMediaType ? text : json)
}

function expectError({ status, json }: Answer, path: string) {
  const template = path.replace(/:(\w+)/g, '{$1}')
  const [operation] = Object.values(document.paths[template]) as { responses: object }[]
  expect(Object.keys(operation?.responses ?? {})).toContain(`${status}`)
  expect(json.error).toEqual({ code: expect.any(String), message: expect.any(String), status })
}

/** Expects that `value` fits the schema and has no members that the schema does not name. */
function expectConforms(schema: TSchema | null | undefined, value: unknown) {
  if (!schema) throw new Error('there is no such schema')
  const problems = Array.from(Value.Errors(schema, value), ({ path, message }) => path + message)
  expect(problems).toEqual([])
  expect(Value.Clean(schema, structuredClone(value))).toEqual(value)
}

async function aWebhook(): Promise<string> {
  const wanted = { url: 'https://example.com/hooks', events: ['invoice.settled'] }
  return (await app.send('POST', '/v1/webhooks', wanted)).json.data.id
}

async function anAgent(): Promise<string> {
  const id = crypto.randomUUID()
  await app.send('PUT', `/api/budget/${id}`, { limit: 1_000 })
  return id
}

type Shown = {
  readonly requestBody: { readonly content: Readonly<Record<string, { schema: Fields }>> }
}
type Fields = { readonly properties?: Readonly<Record<string, Fields & { description?: string }>> }

/** The fields without a description, or whose only one is the rule for refusals: "must be …". */
function bareFieldsOf({ properties = {} }: Fields): readonly string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inside = bareFieldsOf(field).map((inner) => `${name}/${inner}`)
    return /^(?!must )./.test(field.description ?? '') ? inside : [name, ...inside]
  })
}
