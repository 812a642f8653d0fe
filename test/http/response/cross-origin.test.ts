import { expect, test } from 'bun:test'
import type { Operation } from '../../../src/http/operation.ts'
import { allRoutes } from '../../../src/http/server.ts'
import { aMandate } from '../../support/mandates.ts'
import { useWorld } from '../../support/world.ts'

/** What pages of other origins may read. */

const { app } = useWorld({ env: { ROLE: 'http' } })

const forEverybody = [
  'GET /.well-known/quittance',
  'GET /.well-known/x402',
  'GET /agent-tools/sections/pricing.json',
  'GET /agent-tools/sections/trust_signals.json',
  'GET /api/v1/tax/rates',
  'GET /api/x402/invoice',
  'GET /api/x402/settle',
  'GET /openapi.json',
  'GET /v1/public/mandates/:id',
  'GET /v1/public/receipts/:id/bundle',
  'POST /api/credit-notes/:id/refund-address',
  'POST /api/x402/invoice',
  'POST /api/x402/settle',
  'POST /v1/public/invoices/:id/claim',
]

const readable = ({ headers }: { readonly headers: Headers }) => ({
  by: headers.get('access-control-allow-origin'),
  withCredentials: headers.get('access-control-allow-credentials'),
})
const byAnybody = { by: '*', withCredentials: null }

test('is what docs/security.md lists, and nothing else', async () => {
  const open = allRoutes().filter(({ handler }) => {
    const { options } = handler as unknown as Partial<Operation>
    return options?.headers?.['access-control-allow-origin'] !== undefined
  })
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(forEverybody)
  const listed = await Bun.file('docs/security.md').text()
  for (const one of forEverybody) expect(listed).toContain(`\`${one.replace(/:(\w+)/g, '{$1}')}\``)
})

test('is public things, the document, and why there is none', async () => {
  const { id } = await aMandate(app)
  const answers = [
    await app.keyless('GET', `/v1/public/mandates/${id}`),
    await app.keyless('GET', '/openapi.json'),
    await app.keyless('GET', '/.well-known/x402'),
    await app.keyless('GET', '/api/v1/tax/rates'),
    await app.keyless('GET', '/agent-tools/sections/pricing.json'),
    await app.keyless('GET', '/v1/public/receipts/drs_nope/bundle'),
    await app.keyless('POST', `/v1/public/invoices/${crypto.randomUUID()}/claim`, {}),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404, 400])
  for (const answer of answers) expect(readable(answer)).toEqual(byAnybody)
  const exposed = answers[0]?.headers.get('access-control-expose-headers')
  expect(exposed).toBe('Retry-After, X-Request-Id')
})

test('is the answer to a claim: its preflight is answered, and allows no key', async () => {
  const path = `/v1/public/invoices/${crypto.randomUUID()}/claim`
  const preflight = await app.keyless('OPTIONS', path)
  expect([preflight.status, readable(preflight)]).toEqual([204, byAnybody])
  const { headers } = preflight
  expect(headers.get('access-control-allow-methods')).toBe('POST')
  expect(headers.get('access-control-allow-headers')).toBe('Content-Type, X-Request-Id')
})

test('is nothing that needs a key', async () => {
  const answer = await app.send('GET', '/v1/invoices')
  expect([answer.status, readable(answer).by]).toEqual([200, null])
})
