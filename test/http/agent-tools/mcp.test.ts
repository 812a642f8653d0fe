import { beforeEach, describe, expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { hostCheck } from '../../../src/http/agent-tools/hosts.ts'
import * as Mcp from '../../support/mcp.ts'
import { mcpPath, rpc } from '../../support/mcp.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })

const post = (body: unknown, headers?: Record<string, string>) => Mcp.post(app, body, headers)
const ping = (id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'ping' })
const pings = (count: number) => Array.from({ length: count }, (_, n) => ping(n))
const clientInfo = { name: 'test', version: '1' }
const hello = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo })
const params = { name: 'service_get_pricing' }
const calls = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }))

describe('the official client', () => {
  test('connects, lists the tools and calls one', async () => {
    const sdk = new Client(clientInfo)
    const transport = new StreamableHTTPClientTransport(new URL(app.url + mcpPath))
    // The SDK's own types disagree about an optional session id.
    await sdk.connect(transport as Parameters<typeof sdk.connect>[0])
    const { tools } = await sdk.listTools()
    expect(tools.length).toBeGreaterThan(0)
    const result = await sdk.callTool({ name: 'service_get_pricing' })
    expect(result.structuredContent).toMatchObject({ section_id: 'pricing' })
    const wrong = { name: 'service_query_mandate', arguments: { mandate_id: 'nope' } }
    expect(await sdk.callTool(wrong)).toMatchObject({ isError: true })
    await sdk.close()
  })

  test.each(SUPPORTED_PROTOCOL_VERSIONS)('speaks %s', async (version) => {
    const { json } = await rpc(app, 'initialize', hello(version))
    const about = { capabilities: { tools: {} }, serverInfo: { name: 'quittance' } }
    expect(json.result).toMatchObject({ protocolVersion: version, ...about })
    const pong = await rpc(app, 'ping', undefined, { 'mcp-protocol-version': version })
    expect(pong.json).toEqual({ result: {}, jsonrpc: '2.0', id: 1 })
  })

  test('with an unknown version is offered the newest', async () => {
    const { json } = await rpc(app, 'initialize', hello('2099-01-01'))
    expect(json.result.protocolVersion).toBe(SUPPORTED_PROTOCOL_VERSIONS[0])
  })
})

describe('a request', () => {
  test('is answered as JSON whatever it accepts, and without a session', async () => {
    for (const accept of ['application/json', 'text/html', '*/*', 'text/event-stream']) {
      const { status, headers, json } = await rpc(app, 'ping', undefined, { accept })
      const type = headers.get('content-type')
      expect([status, type, json.result]).toEqual([200, 'application/json', {}])
      expect(headers.get('mcp-session-id')).toBeNull()
      expect(headers.get('x-request-id')).toMatch(/./)
    }
  })

  test('gets its own id back, be it a text, zero or negative', async () => {
    for (const id of ['', 'a', 0, -1, 9_007_199_254_740_991])
      expect((await post(ping(id))).json.id).toBe(id)
  })

  test('of a hundred at once with the same id gets its own answer', async () => {
    const calls = Array.from({ length: 100 }, (_, n) =>
      rpc(app, 'tools/call', {
        name: 'service_query_mandate',
        arguments: { mandate_id: `no-${n}` },
        ...(n % 2 === 0 && { _meta: { progressToken: n } }),
      }),
    )
    for (const { json } of await Promise.all(calls))
      expect(json).toMatchObject({ id: 1, result: { isError: true } })
    const [one, other] = await Promise.all([rpc(app, 'ping'), rpc(app, 'tools/list')])
    expect(one.json.result).toEqual({})
    expect(other.json.result.tools).toBeArray()
  })

  test('that asks for a task is run like any other', async () => {
    const task = { ttl: 1_000 }
    const { json } = await rpc(app, 'tools/call', { name: 'service_get_pricing', task })
    expect(json.result.structuredContent.section_id).toBe('pricing')
  })

  test('with more members than JSON-RPC knows is answered', async () => {
    expect((await post({ ...ping(), extra: true })).json.result).toEqual({})
  })

  const call = (params: object) => ({ ...ping(), method: 'tools/call', params })
  test.each([
    ['text that is no JSON', '{', 400, -32_700, null],
    ['a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32_700, null],
    ['null', 'null', 400, -32_600, null],
    ['a text', '"ping"', 400, -32_600, null],
    ['no jsonrpc', { id: 1, method: 'ping' }, 400, -32_600, 1],
    ['another jsonrpc', { ...ping(), jsonrpc: '1.0' }, 400, -32_600, 1],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32_600, 1],
    ['a method that is no text', { ...ping(), method: 5 }, 400, -32_600, 1],
    ['an id of null', ping(null), 400, -32_600, null],
    ['a fractional id', ping(1.5), 400, -32_600, null],
    ['an unknown method', { ...ping(), method: 'nope/nope' }, 200, -32_601, 1],
    ['a method of every object', { ...ping(), method: 'constructor' }, 200, -32_601, 1],
    ['a method for what is not offered', { ...ping(), method: 'resources/list' }, 200, -32_601, 1],
    ['params in a list', { ...ping(), params: [] }, 200, -32_602, 1],
    ['metadata that is a text', { ...ping(), params: { _meta: 'x' } }, 200, -32_602, 1],
    ['a half-made initialize', { ...ping(), method: 'initialize', params: {} }, 200, -32_602, 1],
    ['no tool name', call({}), 200, -32_602, 1],
    ['a tool of every object', call({ name: 'toString', arguments: [] }), 200, -32_602, 1],
  ])('with %s is refused by its JSON-RPC code', async (_, body, status, code, id) => {
    const answer = await post(body)
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, id])
    expect(answer.json.result).toBeUndefined()
  })

  test('in a version nobody knows is 400', async () => {
    const version = { 'mcp-protocol-version': '1900-01-01' }
    const { status, json } = await rpc(app, 'ping', undefined, version)
    expect([status, json.error.code]).toEqual([400, -32_000])
  })

  test('that is no JSON, or larger than 1 MiB, is refused in the words of JSON-RPC', async () => {
    const text = await post('{}', { 'content-type': 'text/plain' })
    const large = await post(`{"a":"${'a'.repeat(1_100_000)}"}`)
    for (const [answer, status, code] of [
      [text, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [large, 413, 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      expect(answer.status).toBe(status)
      expect(answer.json).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, message: expect.any(String), data: { code, status } },
      })
    }
  })
})

describe('notifications', () => {
  test('and answers are accepted with 202', async () => {
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    for (const body of [initialized, { jsonrpc: '2.0', id: 7, result: {} }, [initialized]]) {
      const { status, text } = await post(body)
      expect([status, text]).toEqual([202, ''])
    }
  })

  test('cannot cancel the call of another client', async () => {
    const slow = Array.from({ length: 20 }, () =>
      rpc(app, 'tools/call', { name: 'service_get_trust_signals' }),
    )
    const cancelled = Array.from({ length: 200 }, (_, requestId) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    }))
    for (let at = 0; at < cancelled.length; at += 20) await post(cancelled.slice(at, at + 20))
    for (const { json } of await Promise.all(slow)) expect(json.result.isError).toBeUndefined()
  })
})

describe('a batch', () => {
  test('is answered in its order, each fault for itself', async () => {
    const { status, json } = await post([
      ping('a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      5,
      { ...ping('b'), method: 'nope' },
    ])
    expect(status).toBe(200)
    expect(json).toMatchObject([
      { id: 'a', result: {} },
      { id: null, error: { code: -32_600 } },
      { id: 'b', error: { code: -32_601 } },
    ])
  })

  test('of none, or of more than 20, is refused whole', async () => {
    for (const count of [0, 21, 1_000]) {
      const { status, json } = await post(pings(count))
      expect([status, json.error.code, json.id]).toEqual([400, -32_600, null])
    }
    expect((await post(pings(20))).json).toHaveLength(20)
  })
})

describe('limits', () => {
  beforeEach(() => earlyInAMinute())

  const from = (address: string) => ({ 'x-forwarded-for': address })

  test('of calls are those of REST, and each message of a batch counts', async () => {
    const client = from('198.51.100.1')
    const first = await post(calls(20), client)
    expect(first.headers.get('x-ratelimit-limit')).toBe('100')
    expect(first.headers.get('x-ratelimit-remaining')).toBe('80')
    const rest = await app.keyless('GET', '/api/v1/tax/rates', undefined, client)
    expect(rest.headers.get('x-ratelimit-remaining')).toBe('79')
    for (let n = 0; n < 3; n++) await post(calls(20), client)
    const refused = await post(calls(20), client)
    expect([refused.status, refused.json.error.data.code]).toEqual([429, 'RATE_LIMITED'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('of reading what there is are 600 a minute, apart from calls', async () => {
    const client = from('198.51.100.4')
    for (let n = 0; n < 5; n++) await post(calls(20), client)
    for (const method of ['tools/list', 'ping', 'initialize']) {
      const params = method === 'initialize' ? hello('2025-11-25') : undefined
      const { status, headers } = await rpc(app, method, params, client)
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '600'])
    }
    expect((await post(calls(1), client)).status).toBe(429)
  })

  test('a batch for which too little is left is refused, and uses up nothing of it', async () => {
    const client = from('198.51.100.3')
    for (let n = 0; n < 29; n++) await post(pings(20), client)
    expect((await post(pings(10), client)).headers.get('x-ratelimit-remaining')).toBe('10')
    const refused = await post(pings(11), client)
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '9'])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect((await post(pings(9), client)).status).toBe(200)
    expect((await post(ping(1), client)).status).toBe(429)
  })

  test('429 says in the error how long to wait', async () => {
    for (let n = 0; n < 5; n++) await post(calls(20), from('198.51.100.2'))
    const { status, json, headers } = await post(calls(1), from('198.51.100.2'))
    const seconds = Number(headers.get('retry-after'))
    const data = { code: 'RATE_LIMITED', status: 429, retry_after_seconds: seconds }
    const error = { code: -32_000, message: 'Too many requests', data }
    expect([status, json]).toEqual([429, { jsonrpc: '2.0', id: null, error }])
    expect(seconds).toBeGreaterThan(0)
  })

  test('are those of the key where one is sent, and a wrong one is refused', async () => {
    const free = await app.newAccount('free')
    const answer = await rpc(app, 'ping', undefined, { authorization: `Bearer ${free.apiKey}` })
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '60'])
    const wrong = await rpc(app, 'ping', undefined, { 'x-api-key': 'nope' })
    expect([wrong.status, wrong.json.error.data.code]).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('other methods', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH'])(
    '405 %s, naming the one there is',
    async (method) => {
      const accepted = { accept: 'text/event-stream' }
      const { status, headers, json } = await app.keyless(method, mcpPath, undefined, accepted)
      expect([status, headers.get('allow')]).toEqual([405, 'POST'])
      expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } })
    },
  )
})

describe('host and origin', () => {
  test.each([
    ['another host', { host: 'evil.example' }],
    ['another host that starts like ours', { host: 'localhost.evil.example' }],
    ['a page elsewhere', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('403 from %s', async (_, headers) => {
    const { status, json } = await rpc(app, 'tools/list', {}, headers)
    expect([status, json.error.data.code]).toEqual([403, 'FORBIDDEN'])
  })

  test('of this machine are let in, whatever the port', async () => {
    for (const host of ['localhost:5173', '127.0.0.1', '[::1]:3000']) {
      const headers = { host, origin: `http://${host}` }
      expect((await rpc(app, 'ping', undefined, headers)).status).toBe(200)
    }
  })

  test('of PUBLIC_URL are let in', async () => {
    const check = hostCheck('https://pay.example.com')
    const request = (headers: Record<string, string>) => new Request('http://x/', { headers })
    expect(() => check(request({ host: 'pay.example.com' }))).not.toThrow()
    const origin = 'https://pay.example.com'
    expect(() => check(request({ host: 'pay.example.com:443', origin }))).not.toThrow()
    expect(() => check(request({ host: 'example.com' }))).toThrow('not served here')
  })
})
