import { beforeAll, describe, expect, test } from 'bun:test'
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose'
import { issueKey, type NewAccount } from '../../../src/operator/accounts.ts'
import { revokeKey } from '../../../src/storage/accounts/api-keys.ts'
import { anInvoice, testSecretsKey } from '../../support/app.ts'
import { addTotals } from '../../support/totals.ts'
import { earlyInAMinute, eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })
let token: string

beforeAll(async () => {
  token = await tokenOf(app.account.v1Key)
})

const tokenPath = '/api/v1/auth/token'
const path = '/api/v1/dashboard/tax-summary'

async function tokenOf(key: string): Promise<string> {
  const { json } = await app.send('POST', tokenPath, undefined, { 'x-api-key': key })
  return json.data.token
}

function read(bearer: string, query = '') {
  return app.keyless('GET', path + query, undefined, { authorization: `Bearer ${bearer}` })
}

function error(code: string, status: number) {
  return { error: { code, status, message: expect.any(String) } }
}

const unauthorized = [401, error('UNAUTHORIZED', 401)]

describe('POST /api/v1/auth/token', () => {
  test('200 a token for 60 minutes that names the account, and is not to be kept by caches', async () => {
    const before = Date.now()
    const { status, json, headers } = await app.send('POST', tokenPath)
    expect([status, json]).toEqual([
      200,
      { success: true, data: { token: expect.any(String), expiresAt: expect.any(String) } },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(Date.parse(json.data.expiresAt) - before).toBeWithin(3_598_001, 3_602_001)
    expect(decodeProtectedHeader(json.data.token)).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      kid: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    const claims = decodeJwt(json.data.token)
    expect(claims).toEqual({
      iss: 'quittance',
      sub: app.account.account.id,
      aud: 'dashboard',
      key: expect.any(String),
      iat: expect.any(Number),
      exp: Date.parse(json.data.expiresAt) / 1_000,
    })
    expect(claims.exp! - claims.iat!).toBe(3_600)
  })

  test('401 with a token instead of a key', async () => {
    const bearer = { authorization: `Bearer ${token}` }
    expect((await app.keyless('POST', tokenPath, undefined, bearer)).status).toBe(401)
  })
})

describe('GET /api/v1/dashboard/tax-summary', () => {
  describe('200', () => {
    test('an account without settled invoices', async () => {
      const { status, json } = await read(token)
      expect([status, json]).toEqual([
        200,
        {
          success: true,
          data: {
            invoiceCount: 0,
            currencies: [],
            purchases: { invoiceCount: 0, currencies: [] },
          },
        },
      ])
    })

    test('what has been settled and completed, by currency and country; nothing open, nothing of others', async () => {
      const owner = await app.newAccount()
      await settled(owner, { amount: 100, currency: 'EUR', taxCountry: 'FI' }, 'settled')
      await settled(owner, { amount: 0.004, currency: 'EUR', taxCountry: 'FI' }, 'completed')
      await settled(owner, { amount: 0.004, currency: 'EUR', taxCountry: 'FI' }, 'completed')
      await settled(owner, { amount: 2.5 }, 'settled')
      await settled(owner, { amount: 1_000, currency: 'EUR', taxCountry: 'DE' }, 'paid')
      await settled(app.other, { amount: 7, taxCountry: 'DE' }, 'settled')
      const { json } = await read(await tokenOf(owner.v1Key))
      // 0.004 EUR and its tax of 0.001 EUR are nothing in cents.
      const euros = figures({ subtotal: 10_000, tax: 2_550, totalWithTax: 12_550 }, 3)
      const usdc = figures({ subtotal: 2_500_000, tax: 0, totalWithTax: 2_500_000 }, 1)
      const finland = { countryCode: 'FI', country: 'Finland', taxRate: 25.5, category: 'standard' }
      const nowhere = { countryCode: null, country: null, taxRate: 0, category: 'outside_scope' }
      expect(json).toEqual({
        success: true,
        data: {
          invoiceCount: 4,
          currencies: [
            {
              currency: 'EUR',
              ...euros,
              byCountry: [{ ...finland, ...euros }],
            },
            {
              currency: 'USDC',
              ...usdc,
              byCountry: [{ ...nowhere, ...usdc }],
            },
          ],
          purchases: { invoiceCount: 0, currencies: [] },
        },
      })
    })

    test('the account is the token’s, whatever the query says', async () => {
      const { json } = await read(token, `?accountId=${app.other.account.id}`)
      expect(json.data.invoiceCount).toBe(0)
    })

    test('what counts in a period: by year, quarter, month, and from day to day', async () => {
      const owner = await app.newAccount()
      const accountId = owner.account.id
      const { sql } = app.database
      const days = ['2026-06-30', '2026-07-01', '2026-09-30', '2026-10-01']
      for (const day of days) await addTotals(sql, { accountId, day })
      const credit = { kind: 'credit', netMinor: 400n, taxMinor: 76n, usdcBase: 500_000n }
      await addTotals(sql, { accountId, day: '2026-08-15', ...credit })
      const bearer = await tokenOf(owner.v1Key)
      const of = async (query: string) => {
        const { json } = await read(bearer, query)
        const [euros] = json.data.currencies
        return [json.data.invoiceCount, euros?.subtotal, euros?.credits.tax, euros?.net.subtotal]
      }
      expect(await of('')).toEqual([4, 4_000, 76, 3_600])
      expect(await of('?period=2026')).toEqual([4, 4_000, 76, 3_600])
      expect(await of('?period=2026-Q3')).toEqual([2, 2_000, 76, 1_600])
      expect(await of('?from=2026-07-01&to=2026-10-01')).toEqual([2, 2_000, 76, 1_600])
      expect(await of('?from=2026-07-01T02:00:00%2B02:00')).toEqual([3, 3_000, 76, 2_600])
      expect(await of('?to=2026-07-01T00:00:00Z')).toEqual([1, 1_000, 0, 1_000])
      expect(await of('?period=2026-08')).toEqual([0, 0, 76, -400])
      expect(await of('?period=2025')).toEqual([0, undefined, undefined, undefined])
      const headers = { authorization: `Bearer ${bearer}`, accept: 'text/csv' }
      const csv = await app.keyless('GET', `${path}?period=2026-Q3`, undefined, headers)
      expect(csv.text.split('\r\n').slice(1, -1)).toEqual([
        'EUR,DE,Germany,19,2000,380,2380,2,sale,standard',
        'EUR,DE,Germany,19,400,76,476,1,credit,standard',
      ])
    })

    test('it counts against the rate limit of the key that the token was issued to', async () => {
      await earlyInAMinute()
      const { v1Key } = await app.newAccount('free')
      const bearer = await tokenOf(v1Key)
      const { headers } = await read(bearer)
      expect(headers.get('x-ratelimit-limit')).toBe('60')
      expect(Number(headers.get('x-ratelimit-remaining'))).toBe(58)
    })
  })

  test.each([
    ['period', 'period=2026-Q5'],
    ['period', 'period='],
    ['period', 'period=2026-Q3&from=2026-07-01'],
    ['period', 'period=2026-Q3&to=2026-10-01'],
    ['period', 'period=2026&period=2025'],
    ['from', 'from=2026-02-30'],
    ['from', 'from=2026-07-01T12:00:00Z'],
    ['from', 'from=2026-07-01T00:00:00%2B02:00'],
    ['from', 'from=2026-W27'],
    ['to', 'to=tomorrow'],
    ['to', 'from=2026-07-01&to=2026-07-01'],
  ])('400 B5 names %s in %s', async (field, query) => {
    for (const of of [path, '/api/v1/dashboard/overview']) {
      const headers = { authorization: `Bearer ${token}` }
      const { status, json } = await app.keyless('GET', `${of}?${query}`, undefined, headers)
      expect([status, json.error.code, json.error.details[0].path]).toEqual([
        400,
        'INVALID_REQUEST',
        field,
      ])
    }
  })

  describe('401', () => {
    test('an API key as the token, and a token beside a key', async () => {
      const { v1Key, apiKey } = app.account
      for (const key of [v1Key, apiKey]) expect(await outcome(key)).toEqual(unauthorized)
      const both = { authorization: `Bearer ${token}`, 'x-api-key': v1Key }
      expect((await app.keyless('GET', path, undefined, both)).status).toBe(401)
    })

    test('a token with anything about it changed', async () => {
      const [header, payload, signature] = token.split('.') as [string, string, string]
      const other = (await tokenOf(app.other.v1Key)).split('.')
      for (const changed of [
        `${header}.${other[1]}.${signature}`,
        `${header}.${payload}.${other[2]}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${token}.`,
        `${token}x`,
        token.slice(0, -1),
        'a.b.c',
        '..',
      ]) {
        expect([changed, ...(await outcome(changed))]).toEqual([changed, ...unauthorized])
      }
    })

    test('a token of ours in all but one thing', async () => {
      const good = { ...decodeJwt(token) }
      const header = { ...decodeProtectedHeader(token), alg: 'HS256' }
      const sign = (claims: object, over: object = {}, secret = testSecretsKey) =>
        new SignJWT({ ...good, ...claims })
          .setProtectedHeader({ ...header, ...over })
          .sign(new TextEncoder().encode(secret))
      expect((await read(await sign({}))).status).toBe(200)
      const seconds = Math.floor(Date.now() / 1_000)
      for (const [what, forged] of Object.entries({
        'alg none': new UnsecuredJWT(good).encode(),
        'another algorithm': await sign({}, { alg: 'HS512' }),
        'another secret': await sign({}, {}, 'cd'.repeat(32)),
        'another kid': await sign({}, { kid: '../../dev/null' }),
        'no kid': await sign({}, { kid: undefined }),
        'a key in the header': await sign(
          {},
          { jwk: { kty: 'oct', k: 'cd'.repeat(32) } },
          'cd'.repeat(32),
        ),
        expired: await sign({ exp: seconds - 1 }),
        'no expiry': await sign({ exp: undefined }),
        'not yet valid': await sign({ nbf: seconds + 60 }),
        'another issuer': await sign({ iss: 'somebody' }),
        'another audience': await sign({ aud: 'admin' }),
        'no audience': await sign({ aud: undefined }),
        'another account': await sign({ sub: app.other.account.id }),
        'no account': await sign({ sub: undefined }),
        'no key': await sign({ key: undefined }),
        'a key nobody has': await sign({ key: Bun.randomUUIDv7() }),
        'a key that is none': await sign({ key: 'x' }),
      })) {
        expect([what, ...(await outcome(forged))]).toEqual([what, ...unauthorized])
      }
    })

    test('a token of a revoked key, within 5 s', async () => {
      const accountId = app.account.account.id
      const wanted = { accountId, kind: 'inv_', name: 'test', scopes: ['dashboard:read'] } as const
      const { id, key } = await issueKey(app.database.sql, wanted)
      const bearer = await tokenOf(key)
      expect((await read(bearer)).status).toBe(200)
      await revokeKey(app.database.sql, accountId, id)
      const revokedAtMs = performance.now()
      while ((await read(bearer)).status !== 401) await Bun.sleep(50)
      expect(performance.now() - revokedAtMs).toBeLessThan(5_000)
    })

    test('a token anywhere else', async () => {
      const bearer = { authorization: `Bearer ${token}` }
      for (const elsewhere of ['/v1/invoices', '/v1/webhooks', '/api/v1/tax/rates'])
        expect((await app.keyless('GET', elsewhere, undefined, bearer)).status).toBe(401)
    })

    test('what a token tells of its key, shown as that key', async () => {
      const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
      const { key } = JSON.parse(claims) as { key: string }
      expect((await read(token)).status).toBe(200)
      for (const shown of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }])
        expect((await app.keyless('GET', '/v1/invoices', undefined, shown)).status).toBe(401)
    })
  })
})

describe('GET /api/v1/dashboard/overview', () => {
  const overviewPath = '/api/v1/dashboard/overview'
  const overviewOf = (bearer: string) =>
    app.keyless('GET', overviewPath, undefined, { authorization: `Bearer ${bearer}` })

  test('200 what is open and what is being confirmed, and the last 30 days with what settled on each, in millionths of a USDC', async () => {
    const owner = await app.newAccount()
    await settled(owner, { amount: 2.5 }, 'settled')
    await settled(owner, { amount: 3 }, 'draft')
    await settled(owner, { amount: 4, taxCountry: 'DE' }, 'sent')
    await settled(owner, { amount: 5 }, 'paid')
    const { status, json } = await overviewOf(await tokenOf(owner.v1Key))
    expect([status, json]).toEqual([
      200,
      {
        success: true,
        data: {
          currency: 'USDC',
          open: { amount: 7_760_000, invoiceCount: 2 },
          confirming: { amount: 5_000_000, invoiceCount: 1 },
          settledByDay: expect.any(Array),
          settled: { amount: 2_500_000, invoiceCount: 1 },
          credited: { amount: 0, creditNoteCount: 0 },
          net: { amount: 2_500_000 },
        },
      },
    ])
    const days = json.data.settledByDay as { day: string; amount: number; invoiceCount: number }[]
    expect(days.length).toBe(30)
    expect(days.map(({ day }) => day).toSorted()).toEqual(days.map(({ day }) => day))
    expect(days.filter(({ invoiceCount }) => invoiceCount > 0)).toEqual([
      { day: expect.any(String), amount: 2_500_000, invoiceCount: 1 },
    ])
  })

  test('200 B5 the days of a period, with their sums', async () => {
    const owner = await app.newAccount()
    const accountId = owner.account.id
    const { sql } = app.database
    for (const day of ['2026-07-31', '2026-08-01', '2026-08-31'])
      await addTotals(sql, { accountId, day, usdcBase: 2_000_000n })
    await addTotals(sql, { accountId, day: '2026-08-02', kind: 'credit', usdcBase: 500_000n })
    const headers = { authorization: `Bearer ${await tokenOf(owner.v1Key)}` }
    const of = (query: string) => app.keyless('GET', `${overviewPath}?${query}`, undefined, headers)
    const { data } = (await of('period=2026-08')).json
    expect(data.settledByDay).toHaveLength(31)
    expect(data.settledByDay[0]).toEqual({ day: '2026-08-01', amount: 2_000_000, invoiceCount: 1 })
    expect([data.settled, data.credited, data.net]).toEqual([
      { amount: 4_000_000, invoiceCount: 2 },
      { amount: 500_000, creditNoteCount: 1 },
      { amount: 3_500_000 },
    ])
    const tooLong = await of('from=2025-01-01&to=2026-12-31')
    expect([tooLong.status, tooLong.json.error.details[0].path]).toEqual([400, 'from'])
  })

  test('200 an account without invoices: nothing, on every day', async () => {
    const { v1Key } = await app.newAccount()
    const { json } = await overviewOf(await tokenOf(v1Key))
    expect(json.data.open).toEqual({ amount: 0, invoiceCount: 0 })
    expect(json.data.confirming).toEqual({ amount: 0, invoiceCount: 0 })
    expect(json.data.settledByDay.every((one: { amount: number }) => one.amount === 0)).toBe(true)
  })

  test('200 to all who ask while it is worked out, which is done once; then it is worked out anew', async () => {
    const owner = await app.newAccount()
    const token = await tokenOf(owner.v1Key)
    const lock = await app.database.sql.reserve()
    await lock`begin`
    await lock`lock table invoices`
    const asked = Array.from({ length: 5 }, () => overviewOf(token))
    const waiting = async () => {
      const rows = await app.database.sql`
        select from pg_locks join pg_database on oid = database
        where datname = current_database() and relation = 'invoices'::regclass and not granted`
      return rows.length
    }
    await eventually(async () => (await waiting()) > 0)
    await Bun.sleep(100)
    expect(await waiting()).toBe(1)
    await lock`rollback`
    lock.release()
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
    await settled(owner, { amount: 3 }, 'draft')
    await eventually(async () => (await overviewOf(token)).json.data.open.amount === 3_000_000)
  })
})

async function outcome(bearer: string) {
  const { status, json } = await read(bearer)
  return [status, json]
}

/** Creates an invoice of `owner` and sets its state in the database, because no request could. */
async function settled(owner: NewAccount, over: object, state: string): Promise<void> {
  const id = await anInvoice(app, { amount: 1, ...over }, owner.v1Key)
  await app.database.sql`
    update invoices set state = ${state}, owed_base = case when ${state === 'draft' || state === 'sent'} then due_base end,
      settled_at = case when ${state} in ('settled', 'completed') then now() end
    where id = ${id}`
}

type Amounts = { readonly subtotal: number; readonly tax: number; readonly totalWithTax: number }

/** The figures of invoices of which nothing was credited. */
function figures(amounts: Amounts, invoiceCount: number) {
  const credits = { subtotal: 0, tax: 0, totalWithTax: 0, creditNoteCount: 0 }
  return { ...amounts, invoiceCount, credits, net: amounts }
}

describe('with a token, as everywhere else,', () => {
  const bearer = () => ({ authorization: `Bearer ${token}` })

  test('405 a wrong method, with Allow', async () => {
    const { status, json, headers } = await app.keyless('POST', path, {}, bearer())
    expect([status, json, headers.get('allow')]).toEqual([
      405,
      error('METHOD_NOT_ALLOWED', 405),
      'GET, HEAD',
    ])
  })

  test('404 an unknown path', async () => {
    const nowhere = '/api/v1/dashboard/nowhere'
    const { status, json } = await app.keyless('GET', nowhere, undefined, bearer())
    expect([status, json]).toEqual([404, error('NOT_FOUND', 404)])
    const wrong = { authorization: 'Bearer nonsense' }
    expect((await app.keyless('GET', nowhere, undefined, wrong)).status).toBe(401)
  })
})
