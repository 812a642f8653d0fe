import { expect, test } from 'bun:test'
import { sendRaw } from '../../support/raw-socket.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const chunked = 'transfer-encoding: chunked'

test.each([
  ['breaks off before its length', 'POST', '/v1/invoices', 'content-length: 50', '{"a'],
  ['breaks off within a chunk', 'POST', '/api/invoices', chunked, '5\r\n{"a'],
  ['has chunks of no length', 'POST', '/api/v1/invoices', chunked, 'zz\r\n{"a\r\n'],
  ['breaks off at the tools', 'POST', '/agent-tools/mcp', 'content-length: 50', '{"a'],
  ['breaks off on its way', 'PUT', '/api/x402/proxy', 'content-length: 50', '{"a'],
])(
  'a body that %s is counted as 400, not as a fault of ours',
  async (_, method, path, framing, body) => {
    const { host } = new URL(app.url)
    const query = path.endsWith('/proxy') ? `?url=${app.url}` : ''
    const lines = [
      `${method} ${path}${query} HTTP/1.1`,
      `Host: ${host}`,
      `x-api-key: ${app.account.v1Key}`,
      'content-type: application/json',
      framing,
    ]
    await sendRaw(app.url, `${lines.join('\r\n')}\r\n\r\n${body}`, 100)
    await eventually(async () => (await statusesOf(path)).length > 0)
    expect(await statusesOf(path)).toEqual(['400'])
  },
)

async function statusesOf(route: string): Promise<readonly string[]> {
  const { text } = await app.keyless('GET', '/metrics')
  const counts = new RegExp(`_count{[^}]*route="${route}",status="(\\d+)"}`, 'g')
  return Array.from(text.matchAll(counts), ([, status = '']) => status)
}
