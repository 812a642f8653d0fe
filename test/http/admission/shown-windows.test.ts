import { describe, expect, test } from 'bun:test'
import { allRoutes } from '../../../src/http/server.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { TRUST_PROXY: 'true' } })

const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
let callers = 0

/** From an address of its own, unless `from` names one. */
async function ask(method: string, path: string, init: RequestInit = {}, from = ++callers) {
  const headers = { ...init.headers, 'x-forwarded-for': `198.51.100.${from}` }
  const options = { redirect: 'manual', ...init, method, headers } as const
  const response = await fetch(`${app.url}${path}`, options)
  await response.body?.cancel()
  return response
}

const someId = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('the rate-limit headers', () => {
  test.each(
    allRoutes().map(({ method, path }) => [method === 'ALL' ? 'GET' : method, path] as const),
  )('stand on the answer to %s %s', async (method, route) => {
    const path = route.replaceAll(/:\w+/g, someId).replace('*', 'nothing')
    const { headers } = await ask(method, path)
    expect(names.filter((name) => !/^\d+$/.test(headers.get(name) ?? ''))).toEqual([])
  })

  test.each([
    ['an unknown path', 'GET', '/nothing/here', undefined, 404],
    ['a wrong method', 'DELETE', '/healthz', undefined, 405],
    ['a body that is no JSON', 'POST', '/api/tax/calculate', '{', 400],
    ['a body that is too large', 'POST', '/api/tax/calculate', `"${'x'.repeat(2 ** 20)}"`, 413],
    ['a wrong key', 'GET', '/api/keys', undefined, 401],
  ])('stand on the refusal of %s', async (_, method, path, body, status) => {
    const response = await ask(method, path, {
      headers: {
        'content-type': 'application/json',
        ...(status === 401 && { authorization: `Bearer sk_${'1'.repeat(48)}` }),
      },
      ...(body !== undefined && { body }),
    })
    expect([response.status, names.filter((name) => !response.headers.has(name))]).toEqual([
      status,
      [],
    ])
  })

  test('show the keyless minute where nothing is counted, and do not count it', async () => {
    const counted = await ask('GET', '/api/v1/tax/rates', {}, 250)
    const left = counted.headers.get('x-ratelimit-remaining')
    for (const path of ['/healthz', '/dashboard', '/readyz', '/healthz']) {
      const { headers } = await ask('GET', path, {}, 250)
      const isSameMinute =
        headers.get('x-ratelimit-reset') === counted.headers.get('x-ratelimit-reset')
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        '100',
        isSameMinute ? left : '100',
      ])
    }
  })
})
