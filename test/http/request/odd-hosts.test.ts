import { beforeAll, describe, expect, test } from 'bun:test'
import { anInvoice, keyWith } from '../../support/app.ts'
import { sendRaw } from '../../support/raw-socket.ts'
import { useWorld } from '../../support/world.ts'

/** An invalid or missing `Host` header changes no answer, even where no URL is built from it. */

const { app } = useWorld({ env: { ROLE: 'http' } })
let invoiceId: string
let admin: string

beforeAll(async () => {
  invoiceId = await anInvoice(app)
  admin = await keyWith(app, ['admin'])
})

describe.each([
  ['a port that is none', 'HTTP/1.1', 'Host: h:99999\r\n'],
  ['half an IPv6 address', 'HTTP/1.1', 'Host: [::1\r\n'],
  ['a broken escape', 'HTTP/1.1', 'Host: a%zz\r\n'],
  ['two words', 'HTTP/1.1', 'Host: a b\r\n'],
  ['nothing', 'HTTP/1.1', 'Host:\r\n'],
  ['no host at all', 'HTTP/1.0', ''],
])('a client that calls %s', (_, version, host) => {
  test.each([
    ['GET /api/v1/tax/rates?country=DE', 200],
    ['GET /api/v1/tax/rates??country=DE', 400],
    ['GET /api/v1/tax/rates?country=D%45%20', 400],
    ['POST /api/x402/invoice', 402],
    ['GET /api/x402/invoice', 402],
    ['GET /v1/invoices?limit=1', 200],
    ['GET /v1/invoices?limit=0', 400],
    ['GET /api/invoices/:id/xml?format=cii', 200],
    ['GET /api/invoices/:id/xml?format=pdf', 400],
    ['GET /api/x402/proxy?url=none', 400],
    ['GET /api/x402/proxy', 400],
    ['GET /v1/nothing?limit=1', 404],
    ['DELETE /v1/invoices', 405],
    ['GET /v1//', 404],
    ['GET /', 302],
    ['GET /dashboard/events?x', 200],
    ['GET /admin/queues?page=1', 200],
  ])('%s is answered like one that calls us: %i', async (route, expected) => {
    const [odd, usual] = [
      await ask(version, host, route),
      await ask('HTTP/1.1', `Host: ${new URL(app.url).host}\r\n`, route),
    ]
    expect(usual.statuses).toEqual([expected])
    expect(odd).toEqual(usual)
  })
})

async function ask(version: string, host: string, route: string) {
  const [method = '', path = ''] = route.split(' ')
  const key = path.startsWith('/admin')
    ? `authorization: Basic ${btoa(`any:${admin}`)}`
    : `x-api-key: ${app.account.v1Key}`
  const body = method === 'POST' ? '{"amount":1,"currency":"USDC"}' : ''
  const lines = [
    `${method} ${path.replace(':id', invoiceId)} ${version}\r\n${host}${key}`,
    `content-type: application/json\r\ncontent-length: ${body.length}`,
    'connection: close',
  ]
  const isStream = path.startsWith('/dashboard')
  const sent = `${lines.join('\r\n')}\r\n\r\n${body}`
  const { statuses, text } = await sendRaw(app.url, sent, 20_000, isStream ? 50 : 20_000)
  return { statuses, body: isStream ? null : text.split('\r\n\r\n')[1] }
}
