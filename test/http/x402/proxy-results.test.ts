import { describe, expect, test } from 'bun:test'
import { createRenderer, type Renderer, startThread } from '../../../src/documents/pdf/render.ts'
import { beginningOf, inTwoParts, passed, unpaid } from '../../../src/http/x402/proxy-results.ts'
import { after } from '../../support/invoice.ts'

const theirs = { 'content-type': 'text/x-report', 'x-theirs': 'yes' }
const packed = { 'content-encoding': 'gzip', etag: '"1"', ...theirs }

/** The upstream's answer and a document, as two parts. */
function twoParts(response: Response, render: Renderer['render'], warnings: object[] = []) {
  const log = { warn: (line: object) => void warnings.push(line) }
  const parts = { documents: { render }, language: 'en', log } as const
  return inTwoParts(passed({ method: 'GET' }, response), after([]), parts)
}

test('a resource without its PDF is still the resource: a failure to render fails nobody', async () => {
  const documents = createRenderer({
    maxWaiting: 0,
    maxWaitingPerAccount: 0,
    maxWaitMs: 1_000,
    deadlineMs: 1_000,
    startThread,
  })
  const warnings: object[] = []
  const response = new Response('the report', { headers: { 'content-type': 'text/plain' } })
  const answer = twoParts(response, documents.render, warnings)
  const text = await new Response(answer.body).text()
  const [, boundary] = /boundary=(.+)$/.exec(answer.headers?.['content-type'] ?? '') ?? []
  expect(text).toBe(
    `\r\n--${boundary}\r\ncontent-type: text/plain\r\ncontent-disposition: attachment; name="resource"\r\n\r\nthe report\r\n--${boundary}--\r\n`,
  )
  expect(warnings).toHaveLength(1)
})

test('a stream is not held back by a web server before us; what has a length may be', () => {
  const saidOf = (headers: Record<string, string>, method = 'GET') =>
    passed({ method }, new Response('x', { headers })).headers?.['x-accel-buffering']
  expect(saidOf({ 'content-type': 'text/event-stream' })).toBe('no')
  expect(saidOf({ 'x-accel-buffering': 'yes' })).toBe('no')
  expect(saidOf({ 'content-length': '1', 'x-accel-buffering': 'no' })).toBeUndefined()
  expect(saidOf({}, 'HEAD')).toBeUndefined()
})

test('nor does a document that cannot even be begun', async () => {
  const { body } = twoParts(new Response('the report'), () => {
    throw new Error('odd')
  })
  expect(await new Response(body).text()).toContain('the report')
})

test('what an upstream says of its body is said of that part, not of both', () => {
  const response = new Response(Bun.gzipSync('the report'), { headers: packed })
  const both = twoParts(response, () => Promise.resolve(new Uint8Array()))
  expect(Object.keys(both.headers ?? {}).toSorted()).toEqual([
    'cache-control',
    'content-security-policy',
    'content-type',
    'vary',
    'x-accel-buffering',
    'x-content-type-options',
    'x-theirs',
  ])
})

const quoted = { id: 'the-invoice', text: '{"status":"draft"}' }

test('of a 402 that is nested deeper than can be written only the invoice is told', () => {
  const body = JSON.parse(`{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`)
  const { body: text } = unpaid(new Response(null, { status: 402 }), body, quoted, {
    errorReason: null,
    warnings: [],
  })
  expect(JSON.parse(text as string)).toMatchObject({
    error: { code: 'PAYMENT_REQUIRED' },
    invoice: { status: 'draft' },
  })
})

test('what an upstream says of its 402 is not said of ours', () => {
  const response = new Response(null, { status: 402, headers: packed })
  const { headers = {} } = unpaid(response, {}, quoted, { errorReason: null, warnings: [] })
  expect(headers['x-theirs']).toBe('yes')
  expect(headers['content-type']).toBe('application/json')
  expect(headers).not.toHaveProperty('content-encoding')
  expect(headers).not.toHaveProperty('etag')
})

test('of a resource without a type none is said in its part either', async () => {
  const response = new Response('x', { headers: { 'content-length': '1' } })
  response.headers.delete('content-type')
  const both = twoParts(response, () => Promise.reject(new Error()))
  expect(await new Response(both.body).text()).toContain(
    '\r\ncontent-disposition: attachment; name="resource"\r\n\r\nx\r\n',
  )
})

type Controller = ReadableStreamDefaultController<Uint8Array>

describe('of the body of a 402', () => {
  const bytes = new TextEncoder().encode('pay')
  const readOf = async (response: Response) => {
    const { bytes, isWhole } = await beginningOf(response, 100)
    return [bytes.toString(), isWhole] as const
  }
  const read = (pull: (to: Controller) => Promise<void> | void, cancel = () => {}) =>
    readOf(new Response(new ReadableStream({ start: (to) => to.enqueue(bytes), pull, cancel })))

  test('what comes in time is read, and the rest is not waited for', async () => {
    let isCancelled = false
    const cancel = () => {
      isCancelled = true
    }
    expect(await read(() => new Promise(() => {}), cancel)).toEqual(['pay', false])
    expect(isCancelled).toBe(true)
  })

  test('what came before it broke off is read', async () => {
    expect(await read((to) => to.error(new Error('gone')))).toEqual(['pay', false])
    expect(await readOf(new Response('pay'))).toEqual(['pay', true])
    expect(await readOf(new Response(null))).toEqual(['', true])
  })

  test('no more is read than it may need', async () => {
    const piece = new Uint8Array(100_000)
    const { bytes, isWhole } = await beginningOf(
      new Response(new ReadableStream({ pull: (to: Controller) => to.enqueue(piece) })),
    )
    expect([bytes.length, isWhole]).toEqual([300_000, false])
  })
})
