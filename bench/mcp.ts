/**
 * What does the protocol cost? `bun bench/mcp.ts [rounds]` compares `tools/call` at 64 keep-alive
 * connections:
 *
 * - (a) the ceiling: Elysia answers the same POST with the same text, without the protocol;
 * - (b) the service, complete, with limits, keys and one SDK server kept for all requests;
 * - (c) the SDK's pattern: a server and a transport for every request, as in its examples;
 * - (d) as (c), but with the schemas made once.
 *
 * All answers must be equal, byte for byte. The variants take turns, so ratios within a round are
 * meaningful even if the machine's speed drifts. Targets: b/a at least 0.45, b/c at least 6.
 */
import { testEnv } from '../test/support/app.ts'
import { startService } from '../test/support/service.ts'
import { wireRequest } from './load.ts'
import { report } from './results.ts'
import { openAccounts, rival, startPostgres } from './servers.ts'
import { ratio, show, takeParts } from './turns.ts'

const rounds = Number(process.argv[2] ?? 5)
const path = '/agent-tools/mcp'
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'service_get_pricing', arguments: {} },
})
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}

const postgres = await startPostgres()
try {
  const plain = await rival('mcp', 'plain')
  const perRequest = await rival('mcp', 'per-request')
  const thrifty = await rival('mcp', 'thrifty')
  const service = await startService(testEnv(postgres.url, { ROLE: 'http', LOG_LEVEL: 'info' }))
  const port = Number(new URL(service.url).port)
  const accounts = await openAccounts(postgres.url, 16)
  const answers = await Promise.all([plain.port, port, perRequest.port, thrifty.port].map(answerAt))
  if (new Set(answers).size !== 1) throw new Error(`answers differ: ${answers.join('\n')}`)
  const variants = {
    '(a) no protocol': { port: plain.port, requests: [request()] },
    '(b) POST /agent-tools/mcp': {
      port,
      requests: accounts.map(({ v1Key }) => request({ 'x-api-key': v1Key })),
    },
    '(c) SDK server per request': { port: perRequest.port, requests: [request()] },
    '(d) its schemas made once': { port: thrifty.port, requests: [request()] },
  }
  const turns = await takeParts(variants, { connections: 64, rounds, seconds: 2 })
  show(64, turns)
  const b = turns['(b) POST /agent-tools/mcp']
  const overA = ratio(b, turns['(a) no protocol'])
  const overC = ratio(b, turns['(c) SDK server per request'])
  const overD = ratio(b, turns['(d) its schemas made once'])
  report({
    'calling a tool: over the same without protocol': overA.toFixed(2),
    'calling a tool: over a server of the SDK per request': overC.toFixed(1),
    'calling a tool: over the same with schemas made once': overD.toFixed(1),
  })
  await service.stop()
  for (const server of [plain, perRequest, thrifty]) server.stop()
} finally {
  await postgres.stop()
}

async function answerAt(port: number): Promise<string> {
  const response = await fetch(`http://localhost:${port}${path}`, { method: 'POST', headers, body })
  return response.text()
}

function request(more: Record<string, string> = {}): Uint8Array {
  return wireRequest('POST', path, { ...headers, ...more }, body)
}
