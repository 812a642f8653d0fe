import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { scopes } from '../../src/domain/accounts/scopes.ts'
import { anInvoice, keyWith } from '../support/app.ts'
import { drawnOnce } from '../support/pdf.ts'
import { nameOf, routeExamples, routes } from '../support/route-examples.ts'
import { useWorld } from '../support/world.ts'

/** Calls every route with two accounts: neither can see anything of the other. */

const { app } = useWorld({ read: ['base'], env: { ROLE: 'http', TRUST_PROXY: 'true' } })
const upstream = Bun.serve({ port: 0, fetch: () => new Response('free') })
const { examples, bodies } = routeExamples(app, upstream.url)
const unshared = /^(?:no-store|private)\b/
const isDashboard = (path: string) => path.startsWith('/api/v1/dashboard/')

/** Each from another address: one has 100 requests a minute without a key. */
let calls = 0
const elsewhere = () => ({ 'x-forwarded-for': `10.0.${calls >> 8}.${calls++ & 255}` })

type Caller = { readonly key: string; readonly token: string }
let owner: Caller
let stranger: Caller
/** What the owner has. */
const ids: string[] = []

beforeAll(async () => {
  owner = await caller(app.account.v1Key)
  stranger = await caller(app.other.v1Key)
  const makers = new Set(
    routes.flatMap((route) => (route.scope && examples[nameOf(route)]?.of) ?? []),
  )
  for (const make of makers) ids.push(await make())
  await drawnOnce(app, await anInvoice(app))
})
afterAll(() => upstream.stop(true))

test('every route has an example, and every example a route', () => {
  expect(routes.map(nameOf).sort()).toEqual(Object.keys(examples).sort())
})

describe.each(routes.map((route) => [nameOf(route), route] as const))('%s', (name, route) => {
  const { method, path, scope, docs } = route
  const { of, queries = [''], missing: code = 'NOT_FOUND' } = examples[name] ?? {}
  const { isOwnName, isForOperators, isPaid, isEndless } = examples[name] ?? {}
  const send = (id: string, headers: Record<string, string> = {}) =>
    app.keyless(
      method,
      path.replace(/:\w+/, encodeURIComponent(id)) + queries[0],
      bodies.get(id) ?? docs?.exampleBody,
      { ...elsewhere(), ...headers },
    )
  const credentials = ({ key, token }: Caller): Record<string, string> =>
    isDashboard(path) ? { authorization: `Bearer ${token}` } : { 'x-api-key': key }

  if (scope === null) {
    test(isPaid ? 'is open to anybody who pays' : 'is open to anybody', async () => {
      const { status } = await send(of ? await of() : '')
      if (isPaid) expect(status).toBe(402)
      else expect(status).toBeLessThan(300)
    })
    return
  }

  test('401 without a key', async () => {
    const { status, json } = await send(of ? await of() : '')
    expect([status, json.error.code]).toEqual([401, 'UNAUTHORIZED'])
  })

  test(isDashboard(path) ? '401 with a key' : `403 with a key that lacks ${scope}`, async () => {
    const key = await keyWith(
      app,
      scopes.filter((one) => one !== scope && !(path === '/api/transfers' && one === 'admin')),
    )
    const { status, json } = await send(of ? await of() : '', { 'x-api-key': key })
    expect([status, json.error.code]).toEqual(
      isDashboard(path) ? [401, 'UNAUTHORIZED'] : [403, 'FORBIDDEN'],
    )
  })

  test('no cache that many share keeps what a key is told, or refused', async () => {
    const answers = [await send('none', { 'x-api-key': await keyWith(app, ['admin']) })]
    if (!isForOperators && !isEndless) answers.push(await send('none', credentials(owner)))
    for (const { headers } of answers) expect(headers.get('cache-control')).toMatch(unshared)
  })

  if (isForOperators || isEndless) return

  if (!of || isOwnName) {
    test('answers the caller, and shows another account nothing of it', async () => {
      const id = of ? await of() : ''
      const answer = await send(id, credentials(stranger))
      expect(answer.status).toBeLessThan(300)
      expect(ids.filter((one) => one !== id && answer.text.includes(one))).toEqual([])
    })
    return
  }

  test('404 to another account, as if it did not exist, and not to its own', async () => {
    const id = await of()
    const foreign = await send(id, credentials(stranger))
    expect([foreign.status, foreign.json.error.code]).toEqual([404, code])
    const nobodys = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const body = bodies.get(id)
    if (body) bodies.set(nobodys, body)
    const missing = await send(nobodys, credentials(stranger))
    expect(foreign.text).toBe(missing.text)
    const own = await send(id, credentials(owner))
    expect(own.status).toBeLessThan(300)
    expect(own.headers.get('cache-control')).toMatch(unshared)
  })
})

async function caller(key: string): Promise<Caller> {
  const { json } = await app.keyless('POST', '/api/v1/auth/token', undefined, { 'x-api-key': key })
  return { key, token: json.data.token }
}
