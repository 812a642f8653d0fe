import { describe, expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http' } })

const valid = {
  amount: 1_000,
  currency: 'EUR',
  chain: 'base',
  customerName: 'Ada Example Ltd',
  customerEmail: 'ada@example.com',
}

const path = '/api/v1/invoices'

function post(over: object = {}, headers: Record<string, string> = {}) {
  return app.send('POST', path, { ...valid, ...over }, headers)
}

function error(code: string, status: number) {
  return { error: expect.objectContaining({ code, status, message: expect.any(String) }) }
}

describe('201', () => {
  test('the currency is USD where none is sent', async () => {
    for (const currency of [undefined, null]) {
      const { status, json } = await post({ currency })
      expect([status, json.currency, json.paymentDetails.amountDue]).toEqual([201, 'USD', '10.00'])
    }
  })

  test('answers the invoice itself: the flat form in, minor units and the tax of the country out', async () => {
    const { status, json } = await post({
      taxCountry: 'DE',
      sellerName: 'Grace Example GmbH',
      sellerVat: 'FR12345678901',
      sellerAddress: '2 Example Road',
      buyerVat: 'DE123456789',
      buyerAddress: '1 Example Street',
      serviceDescription: 'Work in April',
    })
    expect(status).toBe(201)
    expect(json).toMatchObject({
      invoiceNumber: expect.stringMatching(/^INV-\d{4}-\d{4}$/),
      status: 'draft',
      amount: 1_000,
      subtotal: 1_000,
      taxRate: 19,
      taxAmount: 190,
      total: 1_190,
      currency: 'EUR',
      taxCountry: 'DE',
      description: 'Work in April',
      buyer: {
        companyName: 'Ada Example Ltd',
        email: 'ada@example.com',
        address: '1 Example Street',
        vat: 'DE123456789',
      },
      seller: {
        name: 'Grace Example GmbH',
        wallet: null,
        address: '2 Example Road',
        vat: 'FR12345678901',
      },
      paymentDetails: { chain: 'base', amountDue: '12.85' },
    })
  })

  test('is read here and in /api/invoices as the very same bytes', async () => {
    const created = await post()
    for (const family of [path, '/api/invoices']) {
      const read = await app.send('GET', `${family}/${created.json.id}`)
      expect([read.status, read.text]).toEqual([200, created.text])
    }
  })

  test('is listed here and in /api/invoices alike', async () => {
    const { apiKey } = await app.newAccount()
    const headers = { 'x-api-key': apiKey }
    await post({}, headers)
    await post({ amount: 2_000 }, headers)
    const lists = await Promise.all(
      [path, '/api/invoices'].map((family) =>
        app.send('GET', `${family}?status=draft`, undefined, headers),
      ),
    )
    expect(lists[0]?.json.data.map(({ amount }: { amount: number }) => amount)).toEqual([
      2_000, 1_000,
    ])
    expect(lists[0]?.text).toBe(lists[1]?.text as string)
  })

  test('a repeated Idempotency-Key answers the first bytes', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await post({}, headers)
    const second = await post({}, headers)
    expect([second.status, second.text]).toEqual([201, first.text])
    expect((await post({ amount: 1 }, headers)).json).toEqual(error('IDEMPOTENCY_KEY_REUSED', 422))
  })
})

describe('400', () => {
  test.each([[0], [-1], [10.5], ['1000'], [null], [2 ** 53]])(
    'amount %p is INVALID_AMOUNT',
    async (amount) => {
      const { status, json } = await post({ amount })
      expect([status, json]).toEqual([400, error('INVALID_AMOUNT', 400)])
    },
  )

  test.each<[string, object]>([
    ['amount missing', { amount: undefined }],
    ['customerName missing', { customerName: undefined }],
    ['customerEmail malformed', { customerEmail: 'x' }],
    ['country unknown', { taxCountry: 'XX' }],
    ['chain unknown', { chain: 'tron' }],
  ])('%s is INVALID_REQUEST', async (_, over) => {
    const { status, json } = await post(over)
    expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400)])
  })

  test('a list with limit=101', async () => {
    const { status, json } = await app.send('GET', `${path}?limit=101`)
    expect([status, json]).toEqual([400, error('INVALID_REQUEST', 400)])
  })
})
