import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { sendRaw } from '../../support/raw-socket.ts'
import { useWorld } from '../../support/world.ts'
import { option, requiring, through } from '../../support/x402-proxy.ts'

/** An upstream that answers with exact bytes, and how the proxy passes them on. */

const { app } = useWorld({ env: { ROLE: 'http' } })
let said = Buffer.alloc(0)
let seen = ''
const upstream = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    seen += bytes.toString('latin1')
    if (seen.includes('\r\n\r\n')) socket.end(said)
  })
})

beforeAll(() => new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve)))
afterAll(() => void upstream.close())
beforeEach(() => {
  seen = ''
})

function path(): string {
  const { port } = upstream.address() as AddressInfo
  return through(`http://127.0.0.1:${port}/`)
}

function answers(lines: readonly string[], body: Uint8Array = new Uint8Array()) {
  const head = [...lines, `content-length: ${body.length}`, '', ''].join('\r\n')
  said = Buffer.concat([Buffer.from(head, 'latin1'), body])
}

function ask(headers: Record<string, string> = {}): Promise<Response> {
  return fetch(app.url + path(), {
    headers: { 'x-api-key': app.account.v1Key, ...headers },
    redirect: 'manual',
    decompress: false,
  } as RequestInit)
}

test.each([
  ['UTF-8', Buffer.from('/käse/🧀?q=é').toString('latin1')],
  ['Latin-1, where it is no UTF-8', '/k\xe4se/%F0%9F%A7%80?q=%C3%A9'],
])('a redirect whose target is written in %s leads there', async (_, target) => {
  answers(['HTTP/1.1 302 Found', `location: ${target}`])
  const response = await ask()
  const next = new URL(response.headers.get('location') ?? '', app.url)
  const there = new URL(next.searchParams.get('url') ?? '')
  expect(there.pathname + there.search).toBe('/k%C3%A4se/%F0%9F%A7%80?q=%C3%A9')
})

describe('byte for byte', () => {
  test('what is packed stays packed, though nobody asked for that', async () => {
    const packed = Bun.gzipSync('the report')
    answers(['HTTP/1.1 200 OK', 'content-encoding: gzip', 'content-type: text/plain'], packed)
    const response = await ask({ 'accept-encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.bytes()).toEqual(packed)
    expect(seen).toContain('Accept-Encoding: identity\r\n')
  })

  test('a part is asked for and comes as a part', async () => {
    const range = 'content-range: bytes 1-3/9'
    answers(['HTTP/1.1 206 Partial Content', range, 'content-type: a/b'], Buffer.from('bcd'))
    const response = await ask({ range: 'bytes=1-3' })
    const { status, headers } = response
    expect([status, headers.get('content-range')]).toEqual([206, 'bytes 1-3/9'])
    expect(await response.text()).toBe('bcd')
    expect(seen.toLowerCase()).toContain('range: bytes=1-3\r\n')
  })

  test('a header is passed with the bytes it has, and as often as it comes', async () => {
    const odd = Buffer.from('Łódź ✓').toString('latin1')
    const lines = [`x-odd: ${odd}`, 'x-latin: M\u00fcller', 'link: </a>', 'link: </b>']
    answers(['HTTP/1.1 200 OK', ...lines])
    const { headers } = await ask()
    expect([headers.get('x-odd'), headers.get('x-latin'), headers.get('link')]).toEqual([
      odd,
      'M\u00fcller',
      '</a>, </b>',
    ])
  })
})

test('what has no type gets none', async () => {
  answers(['HTTP/1.1 200 OK'], Buffer.from('hello'))
  const response = await ask()
  expect([await response.text(), response.headers.get('content-type')]).toEqual(['hello', null])
})

test('a 402 that breaks off counts for what its headers say', async () => {
  const required = requiring([{ ...option, amount: '5' }])
  const head = ['HTTP/1.1 402 Payment Required', `payment-required: ${required}`]
  said = Buffer.from([...head, 'content-length: 100', '', '{'].join('\r\n'))
  const response = await ask()
  const { invoice } = (await response.json()) as { invoice: { amount: number } }
  expect([response.status, invoice.amount]).toEqual([402, 5])
})

describe('502 UPSTREAM_FAILED', () => {
  test.each([
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade'],
    ['a status there is not', 'HTTP/1.1 600 Odd'],
    ['something else than HTTP', 'SSH-2.0-OpenSSH'],
  ])('for %s', async (_, line) => {
    answers([line])
    const response = await ask()
    const { error } = (await response.json()) as { error: { code: string } }
    expect([response.status, error.code]).toEqual([502, 'UPSTREAM_FAILED'])
  })
})

test('a connection is not upgraded through us', async () => {
  answers(['HTTP/1.1 200 OK'], Buffer.from('plain'))
  const lines = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13']
  const head = [`GET ${path()} HTTP/1.1`, 'host: a', `x-api-key: ${app.account.v1Key}`, ...lines]
  const { statuses } = await sendRaw(app.url, `${head.join('\r\n')}\r\n\r\n`, 20_000, 1_000)
  expect(statuses).toEqual([200])
  expect(seen.toLowerCase()).not.toContain('upgrade')
})
