import { describe, expect, test } from 'bun:test'
import { post } from '../../support/mcp.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true' } })

const version = '2026-07-28'
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Over = { readonly meta?: object; readonly headers?: Record<string, string> }

function ask(method: string, params: Record<string, unknown> = {}, over: Over = {}) {
  const headers: Record<string, string> = {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    ...over.headers,
  }
  const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: over.meta ?? meta } }
  return post(app, body, headers)
}

describe('MCP 2026-07-28', () => {
  test('says what it serves', async () => {
    const { status, json } = await ask('server/discover')
    expect([status, json.id]).toEqual([200, 7])
    expect(json.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [version],
      capabilities: { tools: {} },
      ttlMs: 300_000,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'quittance' } },
    })
  })

  test('lists the same tools as older revisions', async () => {
    const { json } = await ask('tools/list')
    const older = await post(app, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(json.result).toMatchObject({ resultType: 'complete', cacheScope: 'public' })
    expect(json.result.tools).toEqual(older.json.result.tools)
  })

  test('calls a tool', async () => {
    const { status, json } = await ask('tools/call', { name: 'service_get_pricing', arguments: {} })
    expect(status).toBe(200)
    expect(json.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { section_id: 'pricing' },
    })
    expect(json.result).not.toHaveProperty('ttlMs')
  })

  test('takes the name of a tool in base64', async () => {
    const name = 'service_get_pricing'
    const headers = { 'mcp-name': `=?base64?${btoa(name)}?=` }
    expect((await ask('tools/call', { name }, { headers })).status).toBe(200)
  })

  const older = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }
  const later = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const call = { name: 'service_get_pricing' }
  test.each<[string, string, Record<string, unknown>, Over, number, number]>([
    ['no _meta', 'tools/list', {}, { meta: {} }, 400, -32_602],
    ['another version in the header', 'tools/list', {}, { meta: older }, 400, -32_020],
    [
      'a later version',
      'tools/list',
      {},
      { meta: later, headers: { 'mcp-protocol-version': '2099-01-01' } },
      400,
      -32_022,
    ],
    [
      'another method in the header',
      'tools/list',
      {},
      { headers: { 'mcp-method': 'x' } },
      400,
      -32_020,
    ],
    [
      'another tool in the header',
      'tools/call',
      call,
      { headers: { 'mcp-name': 'x' } },
      400,
      -32_020,
    ],
    ['the handshake of older revisions', 'initialize', {}, {}, 404, -32_601],
    ['a method that is not served', 'prompts/list', {}, {}, 404, -32_601],
    ['a tool that does not exist', 'tools/call', { name: 'nothing' }, {}, 200, -32_602],
    ['a call that names no tool', 'tools/call', {}, {}, 200, -32_602],
  ])('refuses %s', async (_, method, params, over, status, code) => {
    const answer = await ask(method, params, over)
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, 7])
  })

  test('names the versions it serves to a client of another', async () => {
    const headers = { 'mcp-protocol-version': '2099-01-01' }
    const { json } = await ask('tools/list', {}, { meta: later, headers })
    expect(json.error.data).toEqual({ supported: [version], requested: '2099-01-01' })
  })

  test('knows no batches', async () => {
    const one = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
    const { status, json } = await post(app, [one])
    expect([status, json.error.code]).toEqual([400, -32_600])
  })

  test('refuses bad arguments as older revisions do', async () => {
    const params = { name: 'service_query_mandate', arguments: {} }
    const { json } = await ask('tools/call', params)
    expect(json.result).toMatchObject({ isError: true, resultType: 'complete' })
  })
})
