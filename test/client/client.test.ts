import { describe, expect, test } from 'bun:test'
import { type Client, createClient } from '@quittance/client'
import { QuittanceError } from '@quittance/client/error'
import { testApp } from '../support/app.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

/** The client against the service, over a network that can lose, delay and refuse requests. */

const { app } = useWorld({ env: { ROLE: 'http' } })

const body = {
  amount: 12.5,
  currency: 'USDC',
  customerName: 'Ada Example',
  customerEmail: 'ada@example.com',
}

type Network = (request: Request) => Promise<Response>

const clear: Network = (request) => fetch(request)

/**
 * A client with its own account, and the requests it sent. `troubles` apply to the first requests,
 * one each; later requests pass unchanged.
 */
async function aClient(...troubles: Network[]): Promise<{ client: Client; sent: Request[] }> {
  const { v1Key } = await app.newAccount()
  const sent: Request[] = []
  const client = createClient({
    url: app.url,
    key: v1Key,
    fetch(request) {
      sent.push(request)
      return (troubles.shift() ?? clear)(request)
    },
  })
  return { client, sent }
}

function refused(status: number, code: string, headers: Record<string, string> = {}): Network {
  const error = { code, message: 'Not now', status }
  return async () => Response.json({ error }, { status, headers })
}

const overloaded = refused(503, 'SERVICE_UNAVAILABLE')
const badGateway: Network = async () => new Response('<h1>Bad Gateway', { status: 502 })
const gatewayTimeout: Network = async () => new Response('', { status: 504 })
const limited = refused(429, 'RATE_LIMITED', { 'retry-after': '0' })

/** The service processes the request, but its answer is lost. */
const lost: Network = async (request) => {
  await fetch(request)
  throw new TypeError('The connection was lost')
}

async function total(client: Client): Promise<number> {
  return (await client.GET('/v1/invoices')).data.total
}

/** The error with which a call was refused. Throws if it was not. */
async function refusal(call: Promise<unknown>): Promise<QuittanceError> {
  const error = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof QuittanceError)) throw error ?? new Error('It was not refused')
  return error
}

describe('a POST that creates', () => {
  test.each([
    ['a lost answer', lost],
    ['an overloaded service', overloaded],
    ['a 502 of a proxy before it', badGateway],
    ['a 504 of a proxy before it', gatewayTimeout],
    ['a rate limit', limited],
    ['the same request still running', refused(409, 'IDEMPOTENCY_IN_PROGRESS')],
  ])('creates once in spite of %s', async (_, trouble) => {
    const { client, sent } = await aClient(trouble)
    const { data, response } = await client.POST('/v1/invoices', { body })
    expect(response.status).toBe(201)
    expect(data.data.invoiceNumber).toBe(1)
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0] ?? null])
    expect(await total(client)).toBe(1)
  })

  test('creates again each time it is called', async () => {
    const { client } = await aClient()
    await client.POST('/v1/invoices', { body })
    await client.POST('/v1/invoices', { body })
    expect(await total(client)).toBe(2)
  })

  test('keeps a given idempotency key', async () => {
    const { client } = await aClient()
    const params = { header: { 'Idempotency-Key': 'order-1001' } }
    await client.POST('/v1/invoices', { params, body })
    const { response } = await client.POST('/v1/invoices', { params, body })
    expect(response.headers.get('idempotent-replayed')).toBe('true')
    const other = client.POST('/v1/invoices', { params, body: { ...body, amount: 1 } })
    expect((await refusal(other)).code).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})

describe('a POST without an idempotency key', () => {
  const params = { path: { id: crypto.randomUUID() } }

  test('is not retried after 502, 503 or a lost connection', async () => {
    const { client, sent } = await aClient(badGateway, overloaded, lost)
    const again = () => client.POST('/v1/deliveries/{id}/redeliver', { params })
    expect(await refusal(again())).toMatchObject({ status: 502, code: 'HTTP_502' })
    expect(await refusal(again())).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    await expect(again()).rejects.toThrow('The connection was lost')
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null, null])
  })

  test('is retried after 429, which was not processed', async () => {
    const { client, sent } = await aClient(limited)
    const { status } = await refusal(client.POST('/v1/deliveries/{id}/redeliver', { params }))
    expect([status, sent.length]).toEqual([404, 2])
  })
})

describe('a 502 or 504', () => {
  test('of a proxy before the service does not stop a GET', async () => {
    const { client, sent } = await aClient(badGateway, gatewayTimeout)
    expect((await client.GET('/v1/invoices')).response.status).toBe(200)
    expect(sent).toHaveLength(3)
  })

  test.each([
    ['UPSTREAM_FAILED', refused(502, 'UPSTREAM_FAILED')],
    ['UPSTREAM_TIMEOUT', refused(504, 'UPSTREAM_TIMEOUT')],
    ['HTTP_502', badGateway],
    ['HTTP_504', gatewayTimeout],
  ])(
    'of the x402 proxy, which may have sent a payment, is not retried: %s',
    async (code, trouble) => {
      const { client, sent } = await aClient(trouble)
      const call = client.GET('/api/x402/proxy', {
        params: { query: { url: 'https://seller.example/' } },
      })
      expect(await refusal(call)).toMatchObject({ code })
      expect(sent).toHaveLength(1)
    },
  )

  test('of the service itself is not retried', async () => {
    const { client, sent } = await aClient(refused(502, 'UPSTREAM_FAILED'))
    expect((await refusal(client.GET('/v1/invoices'))).code).toBe('UPSTREAM_FAILED')
    expect(sent).toHaveLength(1)
  })
})

describe('a DELETE', () => {
  const params = async (client: Client) => {
    const hook = { url: 'https://example.com/hooks', events: ['invoice.settled' as const] }
    return { path: { id: (await client.POST('/api/webhooks', { body: hook })).data.id } }
  }

  test('succeeds after a lost answer, although the retry finds nothing', async () => {
    const { client, sent } = await aClient(clear, lost, limited)
    const { response, data } = await client.DELETE('/api/webhooks/{id}', {
      params: await params(client),
    })
    expect([response.status, data]).toEqual([204, undefined as never])
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'DELETE', 'DELETE'])
  })

  test('of an unknown id is refused, even if the first attempt was not processed', async () => {
    const unknown = { path: { id: crypto.randomUUID() } }
    for (const troubles of [[], [limited]]) {
      const { client } = await aClient(...troubles)
      const call = client.DELETE('/api/webhooks/{id}', { params: unknown })
      expect(await refusal(call)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
  })

  test('is refused if the 404 came from a proxy', async () => {
    const nowhere: Network = async () => new Response('<h1>Not found', { status: 404 })
    const { client } = await aClient(clear, lost, nowhere)
    const call = client.DELETE('/api/webhooks/{id}', { params: await params(client) })
    expect(await refusal(call)).toMatchObject({ status: 404, code: 'HTTP_404' })
  })
})

describe('retries end', () => {
  test('after three retries', async () => {
    const { client, sent } = await aClient(limited, limited, limited, limited)
    expect((await refusal(client.GET('/v1/invoices'))).code).toBe('RATE_LIMITED')
    expect(sent).toHaveLength(4)
  })

  test('at once if the service asks for more than a minute', async () => {
    const { client, sent } = await aClient(refused(429, 'RATE_LIMITED', { 'retry-after': '3600' }))
    expect((await refusal(client.GET('/v1/invoices'))).code).toBe('RATE_LIMITED')
    expect(sent).toHaveLength(1)
  })

  test('when the caller aborts', async () => {
    const { client, sent } = await aClient(refused(429, 'RATE_LIMITED', { 'retry-after': '60' }))
    const controller = new AbortController()
    const call = client.GET('/v1/invoices', { signal: controller.signal })
    const refusedWith = call.catch(String)
    await eventually(() => sent.length === 1)
    // Long enough that the client waits for the end of the minute.
    await Bun.sleep(50)
    controller.abort(new Error('Enough'))
    expect(await refusedWith).toContain('Enough')
    expect(sent).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test.each(['/v1/invoices', '/api/v1/invoices'] as const)(
    'of %s has its code, invalid fields and request id',
    async (path) => {
      const { client } = await aClient()
      const error = await refusal(client.POST(path, { body: { ...body, amount: -1 } as never }))
      expect(error.message).not.toBe('')
      expect(error).toMatchObject({
        name: 'QuittanceError',
        code: 'INVALID_AMOUNT',
        status: 400,
        requestId: expect.any(String),
        details: [{ path: 'amount', message: expect.any(String) }],
      })
    },
  )

  test('of the tool server has the same codes', async () => {
    const { client } = await aClient()
    const headers = { origin: 'https://elsewhere.example' }
    const call = client.POST('/agent-tools/mcp', { body: {} as never, headers })
    expect(await refusal(call)).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      message: 'Pages of this origin may not call this server',
    })
  })

  test('of a request without a key is UNAUTHORIZED', async () => {
    const client = createClient({ url: app.url })
    expect((await refusal(client.GET('/v1/invoices'))).code).toBe('UNAUTHORIZED')
  })

  test('that asks for a payment has the payment requirement as its body', async () => {
    const paid = await testApp({ ROLE: 'http', X402_FACILITATOR_URL: 'http://127.0.0.1:1' })
    try {
      const client = createClient({ url: paid.url })
      const call = client.POST('/api/x402/invoice', {
        body: { issuer: 'A', recipient: 'B', amount: 1 },
      })
      expect(await refusal(call)).toMatchObject({
        status: 402,
        code: 'PAYMENT_REQUIRED',
        body: { x402Version: 1, accepts: expect.any(Array) },
      })
    } finally {
      await paid.stop()
    }
  })

  test.each([
    ['<h1>Oops', 'The service answered 502', '<h1>Oops'],
    ['{"error":"upstream is away"}', 'upstream is away', { error: 'upstream is away' }],
    ['null', 'The service answered 502', null],
  ])('by a proxy has its status as code: %s', async (text, message, body) => {
    const { client } = await aClient(async () => new Response(text, { status: 502 }))
    const params = { path: { id: crypto.randomUUID() } }
    const error = await refusal(client.POST('/v1/deliveries/{id}/redeliver', { params }))
    expect(error).toMatchObject({ status: 502, code: 'HTTP_502', message, requestId: null })
    expect([error.body, error.details]).toEqual([body, undefined])
  })
})

describe('a list', () => {
  test('is read to its end, page by page as needed', async () => {
    const { client, sent } = await aClient()
    for (let n = 0; n < 5; n++) await client.POST('/v1/invoices', { body })
    sent.length = 0
    const numbers: unknown[] = []
    const params = { query: { limit: 2, status: 'PENDING' as const } }
    for await (const { invoiceNumber } of client.list('/v1/invoices', { params })) {
      numbers.push(invoiceNumber)
      expect(sent).toHaveLength(Math.ceil(numbers.length / 2))
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    for (const { url } of sent) expect(url).toContain('status=PENDING')
  })

  test('may be empty, and may be left early', async () => {
    const { client, sent } = await aClient()
    for await (const one of client.list('/api/invoices')) expect(one).toBeUndefined()
    for (let n = 0; n < 2; n++) await client.POST('/v1/invoices', { body })
    sent.length = 0
    for await (const _ of client.list('/api/invoices', { params: { query: { limit: 1 } } })) break
    expect(sent).toHaveLength(1)
  })
})

test('every verb works, and an answer without a body has no data', async () => {
  const { client } = await aClient()
  const hook = { url: 'https://example.com/hooks', events: ['invoice.settled' as const] }
  const params = { path: { id: (await client.POST('/api/webhooks', { body: hook })).data.id } }
  const changed = await client.PATCH('/api/webhooks/{id}', { params, body: { active: false } })
  expect(changed.data.active).toBe(false)
  const gone = await client.DELETE('/api/webhooks/{id}', { params })
  expect([gone.response.status, gone.data]).toEqual([204, undefined as never])
  const agent = { path: { agentId: 'agent-7' } }
  const { data } = await client.PUT('/api/budget/{agentId}', {
    params: agent,
    body: { limit: 500 },
  })
  expect(data.data.remaining).toBe(500)
})
