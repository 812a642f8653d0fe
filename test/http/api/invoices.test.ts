import { describe, expect, test } from 'bun:test'
import { createdInvoice, anInvoice as inV1, refused, testWallet } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const solanaWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'
const { app } = useWorld({
  env: {
    ROLE: 'http',
    SOLANA_WALLET: solanaWallet,
    FX_RATES: 'EUR=1.08,JPY=0.0066,KWD=3.25',
  },
})

const wallet = '0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB'
const valid = {
  amount: 1_000,
  currency: 'USD',
  chain: 'base',
  buyer: { companyName: 'Ada Example Ltd', email: 'ada@example.com' },
  seller: { name: 'Grace Example GmbH', wallet },
}

const path = '/api/invoices'

function post(over: object = {}, headers: Record<string, string> = {}) {
  return app.send('POST', path, { ...valid, ...over }, headers)
}

async function anInvoice(over: object = {}): Promise<string> {
  return (await post(over)).json.id
}

const flat = { customerName: 'Ada', customerEmail: 'ada@example.com' }

describe('201', () => {
  test.each(['/api/invoices', '/api/v1/invoices', '/v1/invoices'])(
    '%s: what is due today can be paid in time until today ends',
    async (path) => {
      const today = new Date().toISOString().slice(0, 10)
      const { status, json } = await app.send('POST', path, { ...valid, ...flat, dueAt: today })
      expect([status, (json.data ?? json).dueAt]).toEqual([201, `${today}T23:59:59.999Z`])
    },
  )

  test('answers the invoice itself, in minor units, with the address to pay and what to send there', async () => {
    const { status, json, headers } = await post({
      taxCountry: 'de',
      description: 'Work in April',
      buyer: { ...valid.buyer, address: '1 Example Street\nBerlin', vat: 'DE123456789' },
      seller: { ...valid.seller, address: '2 Example Road, Paris', vat: 'FR12345678901' },
      agentId: 'agent-7',
      payer: wallet,
      dueAt: '2099-01-01',
      metadata: { order: 7 },
    })
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      invoiceNumber: expect.stringMatching(/^INV-\d{4}-\d{4}$/),
      status: 'draft',
      statusDetail: 'draft',
      kind: 'sale',
      amount: 1_000,
      subtotal: 1_000,
      taxRate: 19,
      taxAmount: 190,
      tax: 190,
      total: 1_190,
      currency: 'USD',
      taxCountry: 'DE',
      description: 'Work in April',
      buyer: {
        companyName: 'Ada Example Ltd',
        email: 'ada@example.com',
        address: '1 Example Street\nBerlin',
        vat: 'DE123456789',
      },
      seller: {
        name: 'Grace Example GmbH',
        wallet,
        address: '2 Example Road, Paris',
        vat: 'FR12345678901',
      },
      paymentDetails: {
        chain: 'base',
        paymentAddress: testWallet,
        usdcAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        amountDue: '11.90',
        amountReceived: '0.00',
        reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        paymentUri: expect.stringContaining('uint256=11900000'),
        fx: null,
        accepting: false,
      },
      agentId: 'agent-7',
      mandateId: null,
      payer: wallet.toLowerCase(),
      dueAt: '2099-01-01T23:59:59.999Z',
      metadata: { order: 7 },
      receiptId: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
  })

  test('GET answers the very same bytes', async () => {
    const created = await post()
    const read = await app.send('GET', `${path}/${created.json.id}`)
    expect([read.status, read.text]).toEqual([200, created.text])
  })

  test('without a country there is no tax; the chain is base unless it is named', async () => {
    const { json } = await post({ chain: undefined })
    expect(json).toMatchObject({ taxRate: 0, taxAmount: 0, tax: 0, total: 1_000, taxCountry: null })
    expect(json.paymentDetails.chain).toBe('base')
  })

  test('on solana the wallets are those of solana', async () => {
    const seller = { name: 'S', wallet: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' }
    const { status, json } = await post({ chain: 'solana', seller })
    expect([status, json.seller.wallet]).toEqual([201, seller.wallet])
    expect(json.paymentDetails.paymentAddress).toBe(solanaWallet)
  })

  test('numbers are one sequence with those of the other families, whatever they look like', async () => {
    const { v1Key } = await app.newAccount()
    const headers = { 'x-api-key': v1Key }
    const year = new Date().getUTCFullYear()
    const inApiV1 = await app.send('POST', '/api/v1/invoices', { ...valid, ...flat }, headers)
    const numbers = [
      inApiV1.json.invoiceNumber,
      (await createdInvoice(app, {}, v1Key)).invoiceNumber,
      (await post({}, headers)).json.invoiceNumber,
    ]
    expect(numbers).toEqual([`INV-${year}-0001`, 2, `INV-${year}-0003`])
  })
})

describe('in the other families', () => {
  test.each<[string, number, object, object]>([
    ['USD', 1_005, { amount: 1_005, total: 1_196 }, { amount: 10.05, total: 11.96 }],
    ['JPY', 1_005, { amount: 1_005, total: 1_196 }, { amount: 1_005, total: 1_196 }],
    ['KWD', 1_005, { amount: 1_005, total: 1_196 }, { amount: 1.005, total: 1.196 }],
    ['USDC', 1_005, { amount: 1_005, total: 1_196 }, { amount: 0.001005, total: 0.001196 }],
  ])('an amount in %s reads as decimals of the currency', async (currency, amount, api, v1) => {
    const id = await anInvoice({ currency, amount, country: 'DE' })
    expect((await app.send('GET', `${path}/${id}`)).json).toMatchObject(api)
    expect((await app.send('GET', `/v1/invoices/${id}`)).json.data).toMatchObject(v1)
  })

  test('one made in /v1 reads as minor units; what is finer is rounded, and still adds up', async () => {
    const id = await inV1(app, { currency: 'USD', amount: 0.005, country: 'GB' })
    const { json } = await app.send('GET', `${path}/${id}`)
    expect(json).toMatchObject({ status: 'draft', amount: 1, subtotal: 1, tax: 0, total: 1 })
    expect(json.invoiceNumber).toMatch(/^INV-\d{4}-\d{4}$/)
    expect(json.paymentDetails.amountDue).toBe('0.006')
    expect(json.buyer).toMatchObject({ companyName: 'Ada Example', email: 'ada@example.com' })
  })
})

describe('400', () => {
  test.each(['0', '-1', '0.1', '10.5', '1e-7', '"1000"', 'null', 'true', '[1000]', '1e21'])(
    'amount %s is INVALID_AMOUNT',
    async (amount) => {
      const body = JSON.stringify(valid).replace('1000', amount)
      expect(refused(await app.send('POST', path, body))).toEqual([400, 'INVALID_AMOUNT'])
    },
  )

  test.each([
    [null, 'must be an integer'],
    [true, 'must be an integer'],
    ['1000', 'must be an integer, not a string'],
  ])('of amount %j it is said that it %s', async (amount, message) => {
    const { json } = await post({ amount })
    expect(json.error.details).toEqual([{ path: 'amount', message }])
  })

  test.each<[string, object, string]>([
    ['amount missing', { amount: undefined }, 'amount'],
    ['currency missing', { currency: undefined }, 'currency'],
    ['currency unknown', { currency: 'XXQ' }, 'currency'],
    ['buyer missing', { buyer: undefined }, 'buyer'],
    ['buyer a text', { buyer: 'Ada' }, 'buyer'],
    ['buyer an array', { buyer: [valid.buyer] }, 'buyer'],
    ['buyer without a company name', { buyer: { email: 'a@b.co' } }, 'buyer/companyName'],
    [
      'buyer with an empty name',
      { buyer: { ...valid.buyer, companyName: '' } },
      'buyer/companyName',
    ],
    ['buyer without an email', { buyer: { companyName: 'A' } }, 'buyer/email'],
    ['buyer with no email address', { buyer: { ...valid.buyer, email: 'x' } }, 'buyer/email'],
    ['seller missing', { seller: undefined }, 'seller'],
    ['seller without a wallet', { seller: { name: 'S' } }, 'seller/wallet'],
    ['seller with half a wallet', { seller: { name: 'S', wallet: '0xab' } }, 'seller/wallet'],
    ['wallet of another chain', { chain: 'solana' }, 'seller/wallet'],
    ['chain unknown', { chain: 'toString' }, 'chain'],
    ['chain without a wallet of ours', { chain: 'polygon' }, 'chain'],
    ['country unknown', { taxCountry: 'ZZ' }, 'taxCountry'],
    ['country unknown by its other name', { country: 'ZZ' }, 'country'],
    ['two countries', { taxCountry: 'DE', country: 'FR' }, 'taxCountry'],
    ['dueAt in the past', { dueAt: '2020-01-01' }, 'dueAt'],
    ['description a number', { description: 1 }, 'description'],
    ['metadata a text', { metadata: 'a' }, 'metadata'],
  ])('%s is INVALID_REQUEST naming it', async (_, over, field) => {
    const answer = await post(over)
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(field)
  })

  test.each([
    'limit=0',
    'limit=101',
    'page=0',
    'status=PENDING',
    'status=draft,paid',
    'startDate=yesterday',
    'cursor=!!',
  ])('a list with %s', async (query) => {
    expect(refused(await app.send('GET', `${path}?${query}`))).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('404', () => {
  test.each(['nope', '%00', '0190a000-0000-7000-8000-000000000000'])(
    'an id that names nothing (%s)',
    async (id) => {
      for (const [method, tail] of [
        ['GET', ''],
        ['GET', '/pdf'],
        ['GET', '/timeline'],
        ['GET', '/xml'],
        ['POST', '/send'],
        ['POST', '/void'],
      ] as const) {
        expect(refused(await app.send(method, `${path}/${id}${tail}`))).toEqual([404, 'NOT_FOUND'])
      }
    },
  )
})

describe('Idempotency-Key', () => {
  test('the same key and body answer the same bytes, number included, and make one invoice', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey, 'idempotency-key': 'order-1' }
    const first = await post({}, headers)
    const second = await post({}, headers)
    expect([second.status, second.text]).toEqual([201, first.text])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect((await app.send('GET', path, undefined, { 'x-api-key': apiKey })).json.total).toBe(1)
  })

  test('answers with the invoice as it was created, though it has been sent and voided since', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey, 'idempotency-key': 'order-2' }
    const wanted = { dueAt: '2099-01-01', metadata: { b: 1, a: [1.5, '\u00e9'] }, agentId: 'a' }
    const first = await post(wanted, headers)
    for (const change of ['send', 'void'])
      await app.send('POST', `${path}/${first.json.id}/${change}`, undefined, headers)
    expect((await post(wanted, headers)).text).toBe(first.text)
  })

  test('with another body is IDEMPOTENCY_KEY_REUSED; on another path it is another key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await post({}, headers)
    const other = await post({ amount: 1 }, headers)
    expect(refused(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    const elsewhere = await app.send('POST', '/api/v1/invoices', { ...valid, ...flat }, headers)
    expect(elsewhere.status).toBe(201)
  })
})

describe('send', () => {
  test('answers the invoice as sent, once and again, and changes it once', async () => {
    const id = await anInvoice()
    const first = await app.send('POST', `${path}/${id}/send`)
    const second = await app.send('POST', `${path}/${id}/send`)
    expect([first.status, first.json.status]).toEqual([200, 'sent'])
    expect([second.status, second.text]).toEqual([200, first.text])
    expect((await app.send('GET', `${path}/${id}`)).text).toBe(first.text)
    expect((await app.send('GET', `/v1/invoices/${id}`)).json.data.status).toBe('PENDING')
  })

  test('of a voided invoice is 409 INVALID_STATE, and changes nothing', async () => {
    const id = await anInvoice()
    await app.send('POST', `${path}/${id}/void`)
    expect(refused(await app.send('POST', `${path}/${id}/send`))).toEqual([409, 'INVALID_STATE'])
    expect((await app.send('GET', `${path}/${id}`)).json.status).toBe('failed')
  })

  test('works on what was made in /v1', async () => {
    const id = await inV1(app)
    expect((await app.send('POST', `${path}/${id}/send`)).json.status).toBe('sent')
  })
})

describe('void', () => {
  test('answers the invoice as failed, once and again, from draft and from sent', async () => {
    for (const isSent of [false, true]) {
      const id = await anInvoice()
      if (isSent) await app.send('POST', `${path}/${id}/send`)
      const first = await app.send('POST', `${path}/${id}/void`)
      const second = await app.send('POST', `${path}/${id}/void`)
      expect([first.status, first.json.status, second.text]).toEqual([200, 'failed', first.text])
      expect((await app.send('GET', `/v1/invoices/${id}`)).json.data.status).toBe('FAILED')
    }
  })

  test('at once with send: both answer, and whoever looks afterwards sees it failed', async () => {
    const id = await anInvoice()
    const answers = await Promise.all(
      ['send', 'void', 'send', 'void'].map((move) => app.send('POST', `${path}/${id}/${move}`)),
    )
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect((await app.send('GET', `${path}/${id}`)).json.status).toBe('failed')
  })
})

describe('lists', () => {
  test('show summaries, newest first', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    const first = (await post({ country: 'DE' }, headers)).json
    const second = (await post({ amount: 7, currency: 'JPY' }, headers)).json
    const { status, json } = await app.send('GET', path, undefined, headers)
    const { companyName, email } = valid.buyer
    const shown = 'id invoiceNumber status statusDetail kind amount currency total createdAt'.split(
      ' ',
    )
    const summary = (invoice: typeof first) => ({
      ...Object.fromEntries(shown.map((name) => [name, invoice[name]])),
      buyer: { companyName, email },
      counterparty: { name: companyName, wallet: null },
    })
    const data = [summary(second), summary(first)]
    const paging = { total: 2, page: 1, limit: 10, hasMore: false, nextCursor: null }
    expect([status, json]).toEqual([200, { data, ...paging }])
  })

  test('filters narrow together, and count what they let through', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    for (let n = 1; n <= 6; n++) {
      const { json } = await post({ agentId: n % 2 ? 'odd' : 'even' }, headers)
      if (n <= 3) await app.send('POST', `${path}/${json.id}/send`, undefined, headers)
    }
    const numbersOf = async (query: string) => {
      const { json } = await app.send('GET', `${path}?${query}`, undefined, headers)
      const numbers = json.data.map((one: { invoiceNumber: string }) =>
        Number(one.invoiceNumber.slice(-4)),
      )
      return [numbers, json.total, json.hasMore]
    }
    expect(await numbersOf('status=sent')).toEqual([[3, 2, 1], 3, false])
    expect(await numbersOf('status=sent&agentId=odd')).toEqual([[3, 1], 2, false])
    expect(await numbersOf('status=sent&agentId=odd&limit=1&page=2')).toEqual([[1], 2, false])
    expect(await numbersOf('agentId=odd&limit=2')).toEqual([[5, 3], 3, true])
    expect(await numbersOf('status=draft&startDate=2999-01-01')).toEqual([[], 0, false])
    expect(await numbersOf('status=draft&endDate=2999-01-01')).toEqual([[6, 5, 4], 3, false])
    expect(await numbersOf('status=completed')).toEqual([[], 0, false])
  })

  test('an invoice made at the very instant where two ranges meet is in the later one, and in no other', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    const { json } = await post({}, headers)
    const totalOf = async (query: string) =>
      (await app.send('GET', `${path}?${query}`, undefined, headers)).json.total
    const linesOf = async (query: string) => {
      const csv = { ...headers, accept: 'text/csv' }
      const { text } = await app.send('GET', `${path}?${query}`, undefined, csv)
      return text.trim().split('\r\n').length - 1
    }
    const [from, before] = [`startDate=${json.createdAt}`, `endDate=${json.createdAt}`]
    expect([await totalOf(from), await totalOf(before)]).toEqual([1, 0])
    expect([await linesOf(from), await linesOf(before)]).toEqual([1, 0])
  })

  test('an export of a period has what settled in it, in every family; other lists know no period', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    for (const at of ['2026-06-30T23:59:59.999Z', '2026-07-01T00:00:00.000Z', null]) {
      const { json } = await post({}, headers)
      await app.database.sql`update invoices set settled_at = ${at} where id = ${json.id}`
    }
    const linesOf = async (route: string, query: string) => {
      const csv = { ...headers, accept: 'text/csv' }
      const { status, text, json } = await app.send('GET', `${route}?${query}`, undefined, csv)
      return status === 200 ? text.trim().split('\r\n').length - 1 : json.error.details[0].path
    }
    for (const route of [path, '/api/v1/invoices', '/v1/invoices']) {
      expect(await linesOf(route, 'period=2026-Q3')).toBe(1)
      expect(await linesOf(route, 'period=2026')).toBe(2)
      expect(await linesOf(route, 'from=2026-06-30&to=2026-07-01')).toBe(1)
      expect(await linesOf(route, 'to=2026-07-01&startDate=2999-01-01')).toBe(0)
      expect(await linesOf(route, 'period=2026&to=2026-07-01')).toBe('period')
      const { status } = await app.send('GET', `${route}?period=2026`, undefined, headers)
      expect(status).toBe(400)
    }
  })

  test('pages and cursors walk through every invoice once; a page behind the last is empty', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    for (let n = 1; n <= 7; n++) await post({}, headers)
    const get = async (query: string) =>
      (await app.send('GET', `${path}?${query}`, undefined, headers)).json
    const numbersOf = ({ data }: { data: { invoiceNumber: string }[] }) =>
      data.map(({ invoiceNumber }) => Number(invoiceNumber.slice(-4)))
    for (const filter of ['', '&status=draft']) {
      const pages = await Promise.all(
        [1, 2, 3, 4].map((page) => get(`limit=3&page=${page}${filter}`)),
      )
      expect(pages.map(numbersOf)).toEqual([[7, 6, 5], [4, 3, 2], [1], []])
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false, false])
      expect(pages.map(({ total, page }) => [total, page])).toEqual([1, 2, 3, 4].map((n) => [7, n]))
      const second = await get(`limit=3&cursor=${pages[0].nextCursor}${filter}`)
      expect(numbersOf(second)).toEqual([4, 3, 2])
      const third = await get(`limit=3&cursor=${second.nextCursor}${filter}`)
      expect([numbersOf(third), third.nextCursor]).toEqual([[1], null])
    }
  })
})
