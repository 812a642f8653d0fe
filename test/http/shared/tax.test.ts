import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtIn } from '../../../src/domain/money/tax-rates.ts'
import { nextAddress } from '../../support/addresses.ts'
import { useWorld } from '../../support/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
const TAX_RATES = join(folder, 'rates.json')
const dayMs = 86_400_000
const [today = '', tomorrow = ''] = [0, dayMs].map((ms) =>
  new Date(Date.now() + ms).toISOString().slice(0, 10),
)
/** Hungary changes its rates today; Norway's first are of tomorrow. */
const added = [
  {
    country: 'HU',
    name: 'Hungary',
    from: '2012-01-01',
    standard: 27,
    reduced: 5,
    source: 'Áfa tv.',
  },
  { country: 'HU', name: 'Hungary', from: today, standard: 28, reduced: 6.25, source: 'new' },
  { country: 'NO', name: 'Norway "N"', from: tomorrow, standard: 25, reduced: 15, source: 'Mval.' },
]
writeFileSync(TAX_RATES, JSON.stringify(added))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const { app } = useWorld({ env: { ROLE: 'http', TRUST_PROXY: 'true', TAX_RATES } })

/** Sends a request without a key, from its own address: an address may send a hundred a minute. */
function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return app.keyless(method, path, body, { 'x-forwarded-for': nextAddress(), ...headers })
}

function error(code: string, status: number, path: string) {
  return {
    error: {
      code,
      status,
      message: expect.any(String),
      details: [{ path, message: expect.any(String) }],
    },
  }
}

describe.each(['/api/tax/calculate', '/api/v1/tax/calculate'])('POST %s', (path) => {
  const valid = { amount: 1_000, countryCode: 'DE' }
  const post = (over: object = {}) => send('POST', path, { ...valid, ...over })

  describe('200', () => {
    test('answers the whole calculation to anybody', async () => {
      const { status, json, headers } = await post()
      expect(status).toBe(200)
      expect(headers.get('x-ratelimit-limit')).toBe('100')
      expect(json).toEqual({
        success: true,
        data: {
          subtotal: 1_000,
          taxRate: 19,
          taxAmount: 190,
          totalAmount: 1_190,
          currency: 'USD',
          countryCode: 'DE',
          country: 'Germany',
          rateType: 'standard',
          breakdown: [{ description: 'Standard VAT DE (19%)', rate: 19, amount: 190 }],
        },
      })
    })

    test('at the reduced rate, in the currency named, for a country in any case', async () => {
      const wanted = { amount: 10, countryCode: 'fr', currency: 'EUR', rateType: 'reduced' }
      const { json } = await post(wanted)
      expect(json.data).toEqual({
        subtotal: 10,
        taxRate: 5.5,
        taxAmount: 1,
        totalAmount: 11,
        currency: 'EUR',
        countryCode: 'FR',
        country: 'France',
        rateType: 'reduced',
        breakdown: [{ description: 'Reduced VAT FR (5.5%)', rate: 5.5, amount: 1 }],
      })
    })

    test('at the rates of today, of a country that the operator has added', async () => {
      const { json } = await post({ countryCode: 'HU', rateType: 'reduced' })
      expect(json.data).toMatchObject({ country: 'Hungary', taxRate: 6.25, taxAmount: 63 })
    })

    test('an amount is the same number as 1000.0', async () => {
      const { json } = await send('POST', path, '{"amount":1000.0,"countryCode":"DE"}')
      expect(json.data.subtotal).toBe(1_000)
    })

    test('a rate of zero is a rate', async () => {
      const { json } = await post({ countryCode: 'DK', rateType: 'reduced' })
      expect(json.data).toMatchObject({ taxRate: 0, taxAmount: 0, totalAmount: 1_000 })
    })

    test('with a key the request counts against the key', async () => {
      const key = { 'x-api-key': app.account.v1Key }
      const { status, headers } = await send('POST', path, valid, key)
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '100000'])
    })

    test('unknown keys of the body are ignored', async () => {
      expect((await post({ accountId: 'x', rate: 99 })).json.data.taxRate).toBe(19)
    })
  })

  describe('400', () => {
    const amounts = '0 -1 10.5 "1000" 1e400 9007199254740991 null true [1] {}'.split(' ')
    test.each(amounts)('amount %s is INVALID_AMOUNT', async (amount) => {
      const { status, json } = await send('POST', path, `{"amount":${amount},"countryCode":"DE"}`)
      expect([status, json]).toEqual([400, error('INVALID_AMOUNT', 400, 'amount')])
    })

    test.each([
      ['amount', { amount: undefined }],
      ['countryCode', { countryCode: undefined }],
      ['countryCode', { countryCode: 'ZZ' }],
      // Its first rates are of tomorrow.
      ['countryCode', { countryCode: 'NO' }],
      ['countryCode', { countryCode: '' }],
      ['countryCode', { countryCode: 49 }],
      // Dotless i and long s have the capitals I and S.
      ['countryCode', { countryCode: 'ıe' }],
      ['countryCode', { countryCode: 'eſ' }],
      ['countryCode', { countryCode: 'АT' }],
      ['countryCode', { countryCode: '__proto__' }],
      ['countryCode', { countryCode: 'constructor' }],
      ['currency', { currency: 'EURO' }],
      ['rateType', { rateType: 'REDUCED' }],
    ])('%s of %j is INVALID_REQUEST', async (field, over) => {
      const { status, json } = await post(over)
      expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400, field)])
    })
  })

  test('401 a key that is none, although none is needed', async () => {
    const { status, headers } = await send('POST', path, valid, { 'x-api-key': 'nope' })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('405 another method', async () => {
    const { status, headers } = await send('GET', path)
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('429 the hundred and first call of one address in a minute', async () => {
    const address = path.includes('v1') ? '192.0.2.1' : '192.0.2.2'
    const answers = await Promise.all(
      // Entries that a caller adds stand before the address the proxy saw, and are ignored.
      Array.from({ length: 220 }, (_, n) =>
        send('POST', path, valid, { 'x-forwarded-for': `10.8.0.${n}, ${address}` }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 429)
    // If a minute ends meanwhile there are two windows of a hundred requests.
    expect(refused.length).toBeGreaterThanOrEqual(20)
    expect(refused[0]?.json.error.code).toBe('RATE_LIMITED')
  })
})

describe('GET /api/v1/tax/rates', () => {
  const path = '/api/v1/tax/rates'

  const germany = { standard: 19, reduced: 7, from: '2021-01-01', source: 'UStG § 12' }

  test('200 B2 all countries to anybody: the fifteen, and those of the operator', async () => {
    const { status, json } = await send('GET', path)
    expect([status, json.success]).toEqual([200, true])
    const codes = json.data.map((row: { countryCode: string }) => row.countryCode)
    expect(codes).toEqual([...builtIn.keys(), 'HU', 'NO'])
    const names = { countryCode: 'DE', country: 'Germany' }
    expect(json.data[0]).toEqual({ ...names, ...germany, dated: [germany] })
  })

  test('200 B2 the rates of today, all that are dated, and the first of what is to come', async () => {
    const dated = added.map(({ country: _, name: __, ...row }) => row)
    const of = async (code: string) => (await send('GET', `${path}?country=${code}`)).json.data
    const hungary = { countryCode: 'HU', country: 'Hungary' }
    expect(await of('HU')).toEqual({ ...hungary, ...dated[1], dated: dated.slice(0, 2) })
    const norway = { countryCode: 'NO', country: 'Norway "N"' }
    expect(await of('NO')).toEqual({ ...norway, ...dated[2], dated: dated.slice(2) })
  })

  test('200 one country, in any case, as one object', async () => {
    for (const country of ['IE', 'ie'])
      expect((await send('GET', `${path}?country=${country}`)).json).toMatchObject({
        success: true,
        data: { countryCode: 'IE', country: 'Ireland', standard: 23, reduced: 13.5 },
      })
  })

  test('404 a country without rates', async () => {
    const { status, json } = await send('GET', `${path}?country=ZZ`)
    expect([status, json.error.code]).toEqual([404, 'NOT_FOUND'])
  })

  test.each(['country=', 'country=__proto__', 'country=DEU', 'country=DE&country=FR'])(
    '400 %s',
    async (query) => {
      const { status, json } = await send('GET', `${path}?${query}`)
      expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400, 'country')])
    },
  )
})

describe('a new invoice', () => {
  const flat = { amount: 100, customerName: 'Ada', customerEmail: 'ada@example.com' }
  const nested = {
    amount: 100,
    currency: 'EUR',
    buyer: { companyName: 'Ada', email: 'ada@example.com' },
    seller: { name: 'Grace', wallet: `0x${'ab'.repeat(20)}` },
  }

  test.each([
    ['/v1/invoices', flat],
    ['/api/v1/invoices', flat],
    ['/api/invoices', nested],
  ])('by %s is taxed at the rate of its day', async (route, body) => {
    const made = await app.send('POST', route, { ...body, taxCountry: 'hu' })
    const { taxCountry, taxRate } = made.json.data ?? made.json
    expect([made.status, taxCountry, taxRate]).toEqual([201, 'HU', 28])
    for (const field of ['taxCountry', 'country'])
      for (const code of ['NO', 'ZZ'])
        expect(
          (await app.send('POST', route, { ...body, [field]: code })).json.error,
        ).toMatchObject(error('INVALID_REQUEST', 400, field).error)
  })

  test('by the proxy is refused before anything is forwarded', async () => {
    const url = encodeURIComponent('http://localhost:1/')
    const path = `/api/x402/proxy?url=${url}`
    const { status, json } = await app.send('GET', path, undefined, { 'x-invoice-country': 'NO' })
    expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400, 'X-Invoice-Country')])
  })
})
