import { expect, test } from 'bun:test'
import { aMandate } from '../../support/mandates.ts'
import { nameOf, routes } from '../../support/route-examples.ts'
import { useWorld } from '../../support/world.ts'

/** What pages of other origins may send and read. */

const { app } = useWorld({ env: { ROLE: 'http' } })

const pathOf = (path: string) => path.replace(/:\w+/g, crypto.randomUUID())
const page = { origin: 'https://shop.test' }
const asked = { 'access-control-request-method': 'POST', ...page }

/** The families whose callers show a key or are anybody, without the proxy, which spends money. */
const isOpen = ({ path }: { path: string }) =>
  path === '/openapi.json' ||
  /^\/(v1|api|\.well-known|agent-tools\/sections)\//.test(path) !==
    /^\/api\/(v1\/dashboard\/|x402\/proxy$)/.test(path)

test('is not an OPTIONS that asks for nothing', async () => {
  const plain = await app.keyless('OPTIONS', '/v1/invoices')
  expect([plain.status, plain.json.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
})

test('is every route of a key, its errors too, and no other', async () => {
  expect(routes.length).toBeGreaterThan(100)
  for (const route of routes) {
    const answer = await app.keyless(route.method, pathOf(route.path), undefined, page)
    const { headers } = answer
    const origin = headers.get('access-control-allow-origin')
    expect([nameOf(route), origin]).toEqual([nameOf(route), isOpen(route) ? '*' : null])
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('is announced by a preflight, which counts against nobody, of each of these routes', async () => {
  const paths = new Set(routes.map(({ path }) => path).filter((path) => path !== '/openapi.json'))
  for (const path of [...paths, '/v1/nothing', '/api/nothing']) {
    const { status, headers } = await app.keyless('OPTIONS', pathOf(path), undefined, asked)
    const found = [path, status === 204, headers.get('access-control-allow-origin')]
    const open = isOpen({ path })
    expect(found).toEqual([path, open, open ? '*' : null])
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
  const { headers } = await app.keyless('OPTIONS', '/v1/invoices', undefined, asked)
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  for (const name of ['authorization', 'x-api-key', 'content-type', 'idempotency-key'])
    expect(allowed).toContain(name)
  // A session changes nothing without it.
  expect(allowed).not.toContain('x-requested-with')
  expect(headers.get('access-control-allow-methods')).toContain('DELETE')
  expect(headers.get('access-control-max-age')).toBe('86400')
})

test('is said to pages, and to whoever reads what caches may keep for them', async () => {
  const allowed = async (path: string) =>
    (await app.send('GET', path)).headers.get('access-control-allow-origin')
  expect(await allowed('/v1/mandates')).toBeNull()
  expect(await allowed('/v1/public/trust-signals')).toBe('*')
})

test('shows what a client reads from headers', async () => {
  const { id } = await aMandate(app)
  const { status, headers } = await app.send('GET', `/v1/mandates/${id}`, undefined, page)
  expect(status).toBe(200)
  const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
  for (const name of ['x-request-id', 'x-ratelimit-reset', 'retry-after', 'link', 'location'])
    expect(exposed).toContain(name)
  for (const name of ['payment-required', 'payment-response', 'x-payment-response'])
    expect(exposed).toContain(name)
})
