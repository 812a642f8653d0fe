import { describe, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { paymentAddresses } from '../../../src/storage/invoices/payment-addresses.ts'
import { refused, testApp, testRates, testWallet } from '../../support/app.ts'
import { madeInTime, passed } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const valid = {
  amount: 12.5,
  currency: 'USDC',
  chain: 'base',
  customerName: 'Ada Example',
  customerEmail: 'ada@example.com',
}

const path = '/v1/invoices'

function post(over: object = {}, headers: Record<string, string> = {}) {
  return app.send('POST', path, { ...valid, ...over }, headers)
}

function error(code: string, status: number, message: unknown = expect.any(String)) {
  return { success: false, error: expect.objectContaining({ code, status, message }) }
}

describe('201', () => {
  test('the currency is USDC where none is sent', async () => {
    const { status, json } = await post({ currency: undefined })
    expect([status, json.data.currency, json.data.paymentDetails.amountDue]).toEqual([
      201,
      'USDC',
      '12.50',
    ])
  })

  test('means that the address is watched, also by a database that has forgotten what the process knows', async () => {
    const { sql } = app.database
    for (const made of ['first', 'after the database was restored']) {
      await sql`delete from payment_addresses`
      expect((await post({ customerName: made })).status).toBe(201)
      expect(await paymentAddresses(sql, 'base', null)).toEqual([testWallet.toLowerCase()])
    }
  })

  test('answers the whole invoice, with the address to pay and what to send there', async () => {
    const { status, json, headers } = await post({
      taxCountry: 'de',
      serviceDescription: 'Work',
      metadata: { order: 7 },
    })
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/json')
    expect(json).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
        ),
        invoiceNumber: expect.any(Number),
        status: 'PENDING',
        kind: 'sale',
        amount: 12.5,
        subtotal: 12.5,
        taxRate: 19,
        taxAmount: 2.375,
        total: 14.875,
        currency: 'USDC',
        taxCountry: 'DE',
        description: 'Work',
        buyer: { companyName: 'Ada Example', email: 'ada@example.com', address: null, vat: null },
        seller: { name: null, wallet: null, address: null, vat: null },
        paymentDetails: {
          chain: 'base',
          paymentAddress: testWallet,
          usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          amountDue: '14.875',
          amountReceived: '0.00',
          reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          paymentUri: `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=${testWallet}&uint256=14875000`,
          fx: null,
          accepting: false,
        },
        agentId: null,
        mandateId: null,
        payer: null,
        dueAt: null,
        metadata: { order: 7 },
        receiptId: null,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    })
  })

  test('GET answers the very same bytes', async () => {
    const created = await post({
      description: 'ignored',
      serviceDescription: 'Zoë "quoted" \\ ✓ \u{1f600}',
    })
    const { id } = created.json.data
    const read = await app.send('GET', `${path}/${id}`)
    expect(read.text).toBe(created.text)
  })

  test('numbers are gapless per account from 1, however many requests come at once', async () => {
    const { v1Key } = await app.newAccount()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => post({}, { 'x-api-key': v1Key })),
    )
    const numbers = answers.map(({ json }) => json.data.invoiceNumber as number)
    const gapless = Array.from({ length: 100 }, (_, n) => n + 1)
    expect(numbers.toSorted((a, b) => a - b)).toEqual(gapless)
  })

  test('a refused request takes no number', async () => {
    const { v1Key } = await app.newAccount()
    const first = await post({}, { 'x-api-key': v1Key })
    await post({ amount: 0 }, { 'x-api-key': v1Key })
    const second = await post({}, { 'x-api-key': v1Key })
    expect([first, second].map(({ json }) => json.data.invoiceNumber)).toEqual([1, 2])
  })

  test('other currencies are converted at the configured rate, which the invoice shows', async () => {
    const { json } = await post({ amount: '10.00', currency: 'EUR' })
    expect(json.data).toMatchObject({
      amount: '10.00',
      total: 10,
      paymentDetails: { amountDue: '10.80' },
    })
    expect(json.data.paymentDetails.fx).toEqual({
      rate: '1.08',
      source: 'FX_RATES',
      asOf: `${testRates.FX_RATES_AS_OF}T00:00:00.000Z`,
      stale: false,
    })
  })

  const amounts = ['0.01', '0.000001', '1.10', '1e-6', '1.005', '1000000', '"0.5"']
  test.each(amounts)('amount %s', async (amount) => {
    const { status } = await app.send('POST', path, JSON.stringify(valid).replace('12.5', amount))
    expect(status).toBe(201)
  })
})

describe('400', () => {
  const amounts = '0 -1 1e-7 1.0000001 1e400 9007199254.740993 null true "abc" "1e2" [1]'.split(' ')
  test.each(amounts)('amount %s is INVALID_AMOUNT', async (amount) => {
    const answer = await app.send('POST', path, JSON.stringify(valid).replace('12.5', amount))
    expect(refused(answer)).toEqual([400, 'INVALID_AMOUNT'])
  })

  test.each<[string, object]>([
    ['amount missing', { amount: undefined }],
    ['customerEmail missing', { customerEmail: undefined }],
    ['customerEmail malformed', { customerEmail: 'x' }],
    ['customerEmail with a line break', { customerEmail: 'a@b.co\r\nBcc: x@y.z' }],
    ['customerName empty', { customerName: '' }],
    ['customerName too long', { customerName: 'a'.repeat(257) }],
    ['currency unknown', { currency: 'XXQ' }],
    ['currency in lower case', { currency: 'usd' }],
    ['currency without a rate', { currency: 'JPY' }],
    ['chain unknown', { chain: 'tron' }],
    ['chain in upper case', { chain: 'BASE' }],
    ['chain that is only detected', { chain: 'ethereum' }],
    ['chain without a wallet', { chain: 'polygon' }],
    ['country unknown', { taxCountry: 'XX' }],
    ['country empty', { taxCountry: '' }],
    ['country of the prototype', { country: '__proto__' }],
    ['two countries', { taxCountry: 'DE', country: 'FR' }],
    ['dueAt in the past', { dueAt: '2020-01-01' }],
    ['dueAt that does not exist', { dueAt: '2099-02-30T00:00:00Z' }],
    ['payer that is no address', { payer: 'bob' }],
    ['metadata that is no object', { metadata: [1] }],
    ['metadata over 4 KiB', { metadata: { a: 'x'.repeat(4_100) } }],
    ['description with a NUL', { serviceDescription: 'a\u0000b' }],
    ['description that is a number', { serviceDescription: 1 }],
  ])('%s is INVALID_REQUEST', async (_, over) => {
    const { status, json } = await post(over)
    expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400)])
    expect(json.error.details[0]).toEqual({
      path: expect.stringMatching(/^\w/),
      message: expect.any(String),
    })
  })

  test.each([
    ['empty', ''],
    ['no JSON', '{"amount":1,'],
    ['an array', '[]'],
    ['null', 'null'],
    ['two documents', '{}{}'],
    ['a member twice', '{"amount":1,"amount":2}'],
    ['a __proto__ member', '{"__proto__":{"a":1}}'],
    ['a lone surrogate', '{"customerName":"\\ud800"}'],
    ['33 levels deep', `{"metadata":${'['.repeat(32)}${']'.repeat(32)}}`],
  ])('a body that is %s', async (_, body) => {
    expect(refused(await app.send('POST', path, body))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('invalid UTF-8 is refused, not replaced', async () => {
    const headers = { 'x-api-key': app.account.v1Key, 'content-type': 'application/json' }
    const body = Buffer.from('{"customerName":"\xff\xfe"}', 'latin1')
    const { status } = await fetch(app.url + path, { method: 'POST', headers, body })
    expect(status).toBe(400)
  })

  const queries =
    'limit=0 limit=101 limit=abc limit=10.5 limit=1&limit=2 page=0 status=settled cursor=!! agentId=%00 ' +
    'startDate=yesterday startDate=0 startDate=0000-01-01 startDate=0001-01-01T00:00:00%2B00:01 ' +
    'endDate=9999-12-31T23:59:59-00:01'
  test.each(queries.split(' '))('a list with %s', async (query) => {
    expect(refused(await app.send('GET', `${path}?${query}`))).toEqual([400, 'INVALID_REQUEST'])
  })

  test.each(['2026-11-22T00:00:00', '2026-11-22T00:00:00+02:00'])(
    'a list from %s says what a time needs, and how a + is written in a query',
    async (date) => {
      const { json } = await app.send('GET', `${path}?startDate=${date}`)
      const message =
        'must be an ISO 8601 date or timestamp with Z or an offset; in a query + is written %2B'
      expect(json.error.details).toEqual([{ path: 'startDate', message }])
    },
  )
})

describe('401, 404, 405, 409, 413, 415', () => {
  test('a request without a valid key is UNAUTHORIZED before its body is looked at', async () => {
    for (const key of ['', 'nope', `sk_${'0'.repeat(64)}`]) {
      expect(refused(await app.send('POST', path, '{"amount":', { 'x-api-key': key }))).toEqual([
        401,
        'UNAUTHORIZED',
      ])
    }
  })

  test('either kind of key works in either header', async () => {
    const bearer = await app.send('GET', path, undefined, { 'x-api-key': app.account.apiKey })
    const { apiKey } = app.account
    const response = await fetch(app.url + path, { headers: { authorization: `Bearer ${apiKey}` } })
    expect([bearer.status, response.status]).toEqual([200, 200])
  })

  test.each([
    'nope',
    '%00',
    '%zz',
    "1'%20OR%20'1'='1",
    'a'.repeat(300),
    '__proto__',
    '%F0%9F%98%80',
    '0190a000-0000-7000-8000-000000000000',
  ])('an id that names nothing (%s) is NOT_FOUND', async (id) => {
    expect(refused(await app.send('GET', `${path}/${id}`))).toEqual([404, 'NOT_FOUND'])
  })

  test('an unknown path is NOT_FOUND, a wrong method METHOD_NOT_ALLOWED with Allow', async () => {
    expect((await app.send('GET', '/v1/nothing')).json).toEqual(error('NOT_FOUND', 404))
    const wrong = await app.send('DELETE', path)
    expect(refused(wrong)).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(wrong.headers.get('allow')).toBe('POST, GET, HEAD')
    expect((await app.send('GET', '/api/nothing')).json).toEqual({
      error: { code: 'NOT_FOUND', message: expect.any(String), status: 404 },
    })
  })

  test('a receipt id that names nothing is NOT_FOUND, whatever is in it', async () => {
    for (const id of ['nope', '%00', 'drs_%00', 'drs_0190a000-0000-7000-8000-000000000000']) {
      for (const url of [`/v1/receipts/${id}`, `/v1/public/receipts/${id}/bundle`]) {
        expect((await app.send('GET', url)).json).toEqual(error('NOT_FOUND', 404))
      }
    }
  })

  test('a mandate that is not active is refused', async () => {
    expect(refused(await post({ mandateId: 'mnd_0190a000-0000-7000-8000-000000000000' }))).toEqual([
      409,
      'MANDATE_NOT_ACTIVE',
    ])
  })

  test('a body over 1 MiB is PAYLOAD_TOO_LARGE, another content type UNSUPPORTED_MEDIA_TYPE', async () => {
    const large = await app.send('POST', path, `{"a":"${'x'.repeat(1_048_576)}"}`)
    expect(refused(large)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const types = ['text/plain', 'application/jsonx', 'application/x-www-form-urlencoded', '']
    for (const type of types) {
      const answer = await app.send('POST', path, '{}', { 'content-type': type })
      expect(refused(answer)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
    expect((await post({}, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(201)
  })

  test('a compressed body is UNSUPPORTED_MEDIA_TYPE, and told which coding is taken', async () => {
    for (const coding of ['gzip', 'br', 'identity, gzip']) {
      const { status, json, headers } = await post({}, { 'content-encoding': coding })
      expect([status, json]).toEqual([415, error('UNSUPPORTED_MEDIA_TYPE', 415)])
      expect(headers.get('accept-encoding')).toBe('identity')
    }
    expect((await post({}, { 'content-encoding': 'identity' })).status).toBe(201)
  })
})

describe('Idempotency-Key', () => {
  test('the same key and body answer the same bytes, and make one invoice', async () => {
    const { v1Key } = await app.newAccount()
    const headers = { 'x-api-key': v1Key, 'idempotency-key': 'order-1' }
    const first = await post({}, headers)
    const second = await post({}, headers)
    expect([second.status, second.text]).toEqual([201, first.text])
    const replays = [first, second].map(({ headers }) => headers.get('idempotent-replayed'))
    expect(replays).toEqual([null, 'true'])
    expect((await app.send('GET', path, undefined, { 'x-api-key': v1Key })).json.total).toBe(1)
  })

  test('two hundred replays of a finished request at once all have its answer', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await post({}, headers)
    const replays = await Promise.all(Array.from({ length: 200 }, () => post({}, headers)))
    for (const { status, text } of replays) expect([status, text]).toEqual([201, first.text])
  })

  test('the same key with another body is IDEMPOTENCY_KEY_REUSED', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await post({}, headers)
    expect(refused(await post({ amount: 13 }, headers))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('is a key of its account: another account’s same key makes another invoice', async () => {
    const headers = { 'idempotency-key': 'shared' }
    const mine = await post({}, headers)
    const theirs = await post({}, { ...headers, 'x-api-key': app.other.v1Key })
    expect(theirs.json.data.id).not.toBe(mine.json.data.id)
  })

  test('fifty at once make one invoice; the others replay it or are told it is IN_PROGRESS', async () => {
    const { v1Key } = await app.newAccount()
    const headers = { 'x-api-key': v1Key, 'idempotency-key': 'burst' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({}, headers)))
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json.data.id)
    expect(new Set(made).size).toBe(1)
    for (const answer of answers)
      if (answer.status !== 201) expect(refused(answer)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  })

  test('a refused request leaves its key unused', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await post({ amount: 0 }, headers)
    expect((await post({}, headers)).status).toBe(201)
  })

  test('replays the first answer although the same request would be refused by now', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { made: first, endsAt } = await madeInTime(async (at) => {
      const answer = await post({ dueAt: at.toISOString() }, headers)
      return answer.status === 201 ? answer : null
    })
    await passed(endsAt)
    const second = await post({ dueAt: endsAt.toISOString() }, headers)
    expect([second.status, second.text]).toEqual([201, first.text])
  })

  test('must have 1 to 255 characters', async () => {
    expect((await post({}, { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400)
  })
})

describe('lists', () => {
  test('pages and cursors walk through every invoice once, newest first', async () => {
    const { v1Key } = await app.newAccount()
    const headers = { 'x-api-key': v1Key }
    for (let n = 1; n <= 5; n++) await post({ agentId: n % 2 ? 'odd' : 'even' }, headers)
    const get = async (query: string) =>
      (await app.send('GET', `${path}?${query}`, undefined, headers)).json
    const numbersOf = ({ data }: { data: { invoiceNumber: number }[] }) =>
      data.map(({ invoiceNumber }) => invoiceNumber)
    const page = await get('limit=2&page=2')
    expect(page).toMatchObject({ success: true, total: 5, page: 2, limit: 2, hasMore: true })
    expect(numbersOf(page)).toEqual([3, 2])
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const json = await get(`limit=2${cursor && `&cursor=${cursor}`}`)
      seen.push(...numbersOf(json))
      cursor = json.nextCursor
    }
    expect(seen).toEqual([5, 4, 3, 2, 1])
    const wholeTime = 'status=PENDING&startDate=2020-01-01&endDate=2999-01-01T00:00:00Z'
    for (const [query, total] of [
      ['agentId=even', 2],
      ['status=SETTLED', 0],
      [wholeTime, 5],
    ])
      expect([query, (await get(`${query}`)).total]).toEqual([query, total])
  })
})

describe('every answer', () => {
  test('has a request id, ours or a valid one of the caller', async () => {
    expect((await app.send('GET', '/v1/nothing')).headers.get('x-request-id')).toMatch(
      /^[\w-]{36}$/,
    )
    const given = await app.send('GET', path, undefined, { 'x-request-id': 'abc-123' })
    expect(given.headers.get('x-request-id')).toBe('abc-123')
    const bad = await app.send('GET', path, undefined, { 'x-request-id': 'a b' })
    expect(bad.headers.get('x-request-id')).not.toBe('a b')
  })

  test('has the rate-limit headers, refusals included', async () => {
    for (const request of [
      post(),
      post({ amount: 0 }),
      app.send('GET', '/v1/nothing'),
      app.send('POST', path, '{}', { 'x-api-key': 'nope' }),
    ]) {
      const { headers } = await request
      for (const name of ['limit', 'remaining', 'reset'])
        expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
  })

  test('over the limit is RATE_LIMITED with Retry-After, and exactly the plan’s 60 pass', async () => {
    const { v1Key } = await app.newAccount('free')
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => app.send('GET', path, undefined, { 'x-api-key': v1Key })),
    )
    // A new minute may start in between.
    expect([60, 80]).toContain(answers.filter(({ status }) => status === 200).length)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(refused(answer)).toEqual([429, 'RATE_LIMITED'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('/healthz and /readyz say how things are', async () => {
    expect((await app.send('GET', '/healthz')).json).toEqual({ status: 'ok' })
    const ready = await app.send('GET', '/readyz')
    expect([ready.status, ready.json.status]).toEqual([200, 'ready'])
    expect(ready.json.notes.join()).toContain('base')
  })
})

test('a wallet configured in capitals is told in the spelling that a payer’s client takes', async () => {
  const other = await testApp({ ROLE: 'http', BASE_WALLET: `0x${'AB'.repeat(20)}` })
  const { json } = await other.send('POST', path, valid)
  await other.stop()
  const { paymentAddress, paymentUri } = json.data.paymentDetails
  expect(paymentAddress).toBe(getAddress(`0x${'ab'.repeat(20)}`))
  expect(paymentUri).toContain(paymentAddress)
})
