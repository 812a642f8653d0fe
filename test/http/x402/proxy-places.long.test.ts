import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startSocketReceiver } from '../../support/receiver.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { through } from '../../support/x402-proxy.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let upstream: Awaited<ReturnType<typeof startSocketReceiver>>
let answer: Parameters<typeof startSocketReceiver>[0] = () => {}
/** How many requests of one account may be under way in a process. */
const most = 32

beforeAll(async () => {
  upstream = await startSocketReceiver((socket) => answer(socket))
})
afterAll(() => upstream.stop())

function proxied(apiKey = app.account.apiKey, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-api-key': apiKey }
  return fetch(app.url + through(upstream.url), { ...init, headers })
}

const beginning = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\nconnection: close\r\n\r\nx'

describe('answers that never end', () => {
  test('are so many of one account; the next one is 503 until one of them is given up, and others are served', async () => {
    answer = (socket) => void socket.write(beginning)
    const endless = await Promise.all(Array.from({ length: most }, () => proxied()))
    expect(endless.map(({ status }) => status)).toEqual(Array(most).fill(200))
    const refused = await proxied()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
    const other = await proxied(app.other.apiKey)
    expect(other.status).toBe(200)
    await endless[0]!.body!.cancel()
    const next = await proxied()
    expect(next.status).toBe(200)
    for (const { body } of [other, next, ...endless.slice(1)]) await body!.cancel()
  })
})

describe('a place is free again', () => {
  const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
  const endings: Record<string, { raw: string; broken?: true; give?: 'up' }> = {
    'once the answer has been read': { raw: whole },
    'once the upstream has broken off': { raw: beginning, broken: true },
    'once the caller is gone': { raw: beginning, give: 'up' },
    'after an answer without a body': {
      raw: 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n',
    },
    'after a 402 that cannot be invoiced': {
      raw: 'HTTP/1.1 402 Payment Required\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}',
    },
    'after no answer at all': { raw: '', broken: true },
  }
  test.each(Object.entries(endings))('%s', async (_, { raw, broken, give }) => {
    answer = (socket) => {
      socket.write(raw)
      if (broken) socket.end()
    }
    for (let n = 0; n <= most; n++) {
      const caller = new AbortController()
      // If the answer is broken off, the client may not even receive its headers.
      const { signal } = caller
      const response = await proxied(app.account.apiKey, { signal }).catch(() => null)
      expect(response?.status).not.toBe(503)
      if (give === 'up') caller.abort()
      await response?.text().catch(() => {})
    }
  })
})

describe('nothing of an upstream stays open', () => {
  const endless = 'content-length: 1000000000000\r\n\r\nx'
  const heads: Record<string, { line: string; status: number }> = {
    'when its answer cannot be passed on': { line: 'HTTP/1.1 600 Odd', status: 502 },
    'when its answer must not have a body': { line: 'HTTP/1.1 205 Reset Content', status: 205 },
  }
  test.each(Object.entries(heads))('%s and has an endless one', async (_, { line, status }) => {
    answer = (socket) => void socket.write(`${line}\r\n${endless}`)
    for (let n = 0; n <= most; n++) expect((await proxied()).status).toBe(status)
    await eventually(() => upstream.count().open === 0)
  })
})
