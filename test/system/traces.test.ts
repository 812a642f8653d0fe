import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createdInvoice, type TestApp, testApp } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/wait.ts'

type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly status: { readonly code: number; readonly message?: string }
}

type Sent = {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: Span[] }[] }[]
}

/** Takes OTLP over HTTP, as JSON. */
const spans: Span[] = []
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
    const { resourceSpans } = (await request.json()) as Sent
    for (const { scopeSpans } of resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    return Response.json({})
  },
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpanId = '00f067aa0ba902b7'
const parentHeader = (flags: string) => ({
  traceparent: `00-${traceId}-${callerSpanId}-${flags}`,
})

const body = { amount: 1, currency: 'USDC', customerName: 'A', customerEmail: 'a@example.com' }

let app: TestApp
let receiver: Receiver
let receiverStatus = 204
beforeAll(async () => {
  receiver = startReceiver(() => new Response(null, { status: receiverStatus }))
  app = await testApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await app.send('POST', '/v1/webhooks', { url: receiver.url, events: ['invoice.created'] })
})
afterAll(async () => {
  await app.stop()
  receiver.stop()
  collector.stop(true)
})

/** Code 2 is an error. */
const failed = (message: string) => ({ code: 2, message })
const accountOf = ({ attributes }: Span) =>
  attributes.find(({ key }) => key === 'quittance.account_id')?.value

const namesOf = (trace: readonly Span[]) => trace.map(({ name }) => name).toSorted()

test('one trace leads from the request to its commit, the outbox and the webhook', async () => {
  const sent = { amount: 2, currency: 'USDC', customerName: 'B', customerEmail: 'b@example.com' }
  // In one batch with a request that is not recorded.
  await Promise.all([
    app.send('POST', '/v1/invoices', body, parentHeader('01')),
    app.send('POST', '/v1/invoices', sent, parentHeader('00')),
  ])
  await eventually(() => receiver.received.length === 2)
  const wanted = ['POST /v1/invoices', 'commit new_invoice', 'outbox', 'webhook attempt']
  await eventually(() => spans.length >= wanted.length)
  expect(namesOf(spans)).toEqual(wanted)
  const byName = new Map(spans.map((span) => [span.name, span]))
  const parents = wanted.map((name) => byName.get(name)?.parentSpanId)
  expect(parents).toEqual([
    callerSpanId,
    ...wanted.slice(0, 3).map((name) => byName.get(name)?.spanId),
  ])
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  const headers = receiver.received.map(({ headers }) => headers.traceparent)
  const attempt = byName.get('webhook attempt')?.spanId
  expect(spans.map(({ status }) => status.code)).toEqual(wanted.map(() => 0))
  const account = { stringValue: app.account.account.id }
  const accounts = ['POST /v1/invoices', 'webhook attempt'].map((name) => byName.get(name))
  expect(accounts.map((span) => span && accountOf(span))).toEqual([account, account])
  expect(headers.toSorted()).toEqual([`00-${traceId}-${attempt}-01`, undefined].toSorted())
})

test('what is not sampled leaves no trace, neither in the database nor at the receiver', async () => {
  const before = [receiver.received.length, spans.length]
  await createdInvoice(app)
  await eventually(() => receiver.received.length > (before[0] ?? 0))
  expect(receiver.received.at(-1)?.headers.traceparent).toBeUndefined()
  expect(spans.length).toBe(before[1] ?? -1)
})

test('what failed is an error: an attempt, and an answer of 500 or more, but no refusal', async () => {
  const from = spans.length
  const latest = (name: string) => spans.slice(from).find((span) => span.name === name)
  receiverStatus = 500
  await app.send('POST', '/v1/invoices', body, parentHeader('01'))
  await eventually(() => latest('webhook attempt') !== undefined)
  expect(latest('webhook attempt')?.status).toEqual(failed('answered 500'))
  expect(latest('POST /v1/invoices')?.status.code).toBe(0)

  await app.send('GET', '/v1/invoices/none', undefined, parentHeader('01'))
  await eventually(() => latest('GET /v1/invoices/:id') !== undefined)
  expect(latest('GET /v1/invoices/:id')?.status.code).toBe(0)

  await app.database.sql`alter table webhooks rename to elsewhere`
  await app.send('GET', '/v1/webhooks', undefined, parentHeader('01'))
  await app.database.sql`alter table elsewhere rename to webhooks`
  await eventually(() => latest('GET /v1/webhooks') !== undefined)
  expect(latest('GET /v1/webhooks')?.status).toEqual(failed('answered 500'))
})
