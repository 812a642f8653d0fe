import { beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, testWallet } from '../../support/app.ts'
import { aMandate } from '../../support/mandates.ts'
import { useWorld } from '../../support/world.ts'

const { app } = useWorld({ env: { ROLE: 'http', FX_RATES: 'EUR=1,JPY=0.01,KWD=3' } })

const flat = {
  currency: 'EUR',
  taxCountry: 'DE',
  customerName: 'Ada Example Ltd',
  customerEmail: 'ada@example.com',
  buyerCountry: 'at',
  sellerName: 'Grace Example GmbH',
  sellerVat: 'DE123456788',
}
const nested = {
  currency: 'EUR',
  taxCountry: 'DE',
  buyer: { companyName: 'Ada Example Ltd', email: 'ada@example.com', country: 'at' },
  seller: { name: 'Grace Example GmbH', wallet: testWallet, vat: 'DE123456788' },
}
const priced = (two: unknown, three: unknown) => [
  { description: 'Translation', quantity: 2.5, unit: 'HUR', unitPrice: two },
  {
    description: 'Three books',
    quantity: '3',
    unitPrice: three,
    taxCategory: 'reduced',
    taxRate: 7,
  },
  {
    description: 'A gift',
    quantity: 1,
    unitPrice: 0,
    taxCategory: 'reduced',
    unit: null,
    taxRate: null,
  },
]
const inMinor = priced(8_000, '1033.5')
const inDecimals = priced(80, '10.335')

const families = [
  { path: '/api/invoices', body: { ...nested, lines: inMinor }, minor: 1n },
  { path: '/api/v1/invoices', body: { ...flat, lines: inMinor }, minor: 1n },
  { path: '/v1/invoices', body: { ...flat, lines: inDecimals }, minor: 100n },
]

function dataOf({ json }: Answer) {
  return json.data ?? json
}

describe.each(families)('POST $path with lines', ({ path, body }) => {
  const isMinor = path !== '/v1/invoices'
  const amounts = (...minor: readonly number[]) => minor.map((n) => (isMinor ? n : n / 100))
  let made: Answer

  beforeAll(async () => {
    made = await app.send('POST', path, { ...body, buyerReference: 'Department 7' })
  })

  test('answers the lines, the tax of each category, and sums that follow from them', () => {
    expect(made.status).toBe(201)
    const [amount, taxAmount, total, one, two, tax1, tax2] = amounts(
      23_101,
      4_017,
      27_118,
      20_000,
      3_101,
      3_800,
      217,
    )
    const line = { unit: 'C62', taxCategory: 'reduced', taxRate: 7, taxExemptionReason: null }
    expect(dataOf(made)).toMatchObject({
      amount,
      subtotal: amount,
      taxAmount,
      total,
      taxRate: null,
      taxCountry: 'DE',
      buyerReference: 'Department 7',
      lines: [
        {
          ...line,
          description: 'Translation',
          quantity: '2.5',
          unit: 'HUR',
          unitPrice: isMinor ? '8000' : '80',
          net: one,
          taxCategory: 'standard',
          taxRate: 19,
        },
        {
          ...line,
          description: 'Three books',
          quantity: '3',
          unitPrice: isMinor ? '1033.5' : '10.335',
          net: two,
        },
        { ...line, description: 'A gift', quantity: '1', unitPrice: '0', net: 0 },
      ],
      taxBreakdown: [
        { category: 'standard', rate: 19, base: one, tax: tax1 },
        { category: 'reduced', rate: 7, base: two, tax: tax2 },
      ],
      paymentDetails: { amountDue: '271.18' },
    })
    const { buyer, seller } = dataOf(made)
    expect([buyer.country, seller.country]).toEqual(['AT', 'DE'])
  })

  test('is read again as it was answered, and a list has no lines', async () => {
    const { id } = dataOf(made)
    expect((await app.send('GET', `${path}/${id}`)).text).toBe(made.text)
    const [listed] = (await app.send('GET', `${path}?limit=1&search=${id}`)).json.data
    expect(listed.id).toBe(id)
    expect(Object.keys(listed)).not.toContain('lines')
    expect(Object.keys(listed)).not.toContain('taxBreakdown')
  })

  test('reads in the other families in their units', async () => {
    const { id } = dataOf(made)
    for (const other of families) {
      const read = dataOf(await app.send('GET', `${other.path}/${id}`))
      const unit = other.minor === 100n ? 100 : 1
      expect(read.lines.map(({ net }: { net: number }) => Math.round(net * unit))).toEqual([
        20_000, 3_101, 0,
      ])
      expect(read.lines[1].unitPrice).toBe(unit === 1 ? '1033.5' : '10.335')
    }
  })

  test('a repeated request gets the same bytes', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await app.send('POST', path, body, key)
    const again = await app.send('POST', path, body, key)
    expect([again.headers.get('idempotent-replayed'), again.text]).toEqual(['true', first.text])
    expect(dataOf(first).lines).toEqual(dataOf(made).lines)
  })

  test('an amount beside the lines is checked and repeated', async () => {
    const amount = isMinor ? 23_101 : '231.010'
    const said = await app.send('POST', path, { ...body, amount })
    expect([said.status, dataOf(said).amount]).toEqual([201, amount])
    const wrong = await app.send('POST', path, { ...body, amount: 1 })
    expect([wrong.status, wrong.json.error.code, wrong.json.error.details[0].path]).toEqual([
      400,
      'INVALID_AMOUNT',
      'amount',
    ])
    const absent = await app.send('POST', path, { ...body, amount: null })
    expect(absent.status).toBe(201)
  })

  const [line] = body.lines
  const withLine = (over: object) => ({ lines: [{ ...line, ...over }] })

  test.each<[string, object, string, string]>([
    ['no lines', { lines: [] }, 'INVALID_REQUEST', 'lines'],
    ['no list', { lines: { 0: line } }, 'INVALID_REQUEST', 'lines'],
    ['101 lines', { lines: Array(101).fill(line) }, 'INVALID_REQUEST', 'lines'],
    [
      'more than 64 KiB',
      { lines: Array(20).fill({ ...line, description: 'x'.repeat(4_000) }) },
      'INVALID_REQUEST',
      'lines',
    ],
    ['neither lines nor amount', { lines: undefined }, 'INVALID_REQUEST', 'amount'],
    ['null lines and no amount', { lines: null }, 'INVALID_REQUEST', 'amount'],
    ['a line that is no object', { lines: [7] }, 'INVALID_REQUEST', 'lines/0'],
    [
      'no description',
      withLine({ description: undefined }),
      'INVALID_REQUEST',
      'lines/0/description',
    ],
    [
      'an empty description',
      withLine({ description: '' }),
      'INVALID_REQUEST',
      'lines/0/description',
    ],
    ['no quantity', withLine({ quantity: undefined }), 'INVALID_REQUEST', 'lines/0/quantity'],
    ['a quantity of 0', withLine({ quantity: 0 }), 'INVALID_REQUEST', 'lines/0/quantity'],
    ['a quantity of null', withLine({ quantity: null }), 'INVALID_REQUEST', 'lines/0/quantity'],
    ['seven places', withLine({ quantity: '0.0000001' }), 'INVALID_REQUEST', 'lines/0/quantity'],
    ['no price', withLine({ unitPrice: undefined }), 'INVALID_REQUEST', 'lines/0/unitPrice'],
    ['a negative price', withLine({ unitPrice: -1 }), 'INVALID_REQUEST', 'lines/0/unitPrice'],
    ['a price as a list', withLine({ unitPrice: [1] }), 'INVALID_REQUEST', 'lines/0/unitPrice'],
    ['only free lines', withLine({ unitPrice: 0 }), 'INVALID_AMOUNT', 'amount'],
    ['an unknown unit', withLine({ unit: 'hours' }), 'INVALID_REQUEST', 'lines/0/unit'],
    [
      'an unknown category',
      withLine({ taxCategory: 'S' }),
      'INVALID_REQUEST',
      'lines/0/taxCategory',
    ],
    ['a rate as a text', withLine({ taxRate: '19' }), 'INVALID_REQUEST', 'lines/0/taxRate'],
    [
      'another rate than the country’s',
      withLine({ taxRate: 20 }),
      'INVALID_REQUEST',
      'lines/0/taxRate',
    ],
    [
      'exempt without a reason',
      withLine({ taxCategory: 'exempt' }),
      'INVALID_REQUEST',
      'lines/0/taxExemptionReason',
    ],
    [
      'a rate without a tax country',
      { ...withLine({ taxCategory: 'standard' }), taxCountry: undefined },
      'INVALID_REQUEST',
      'taxCountry',
    ],
    ['a tax country without rates', { taxCountry: 'CH' }, 'INVALID_REQUEST', 'taxCountry'],
  ])('400 for %s', async (_, over, code, named) => {
    const { status, json } = await app.send('POST', path, { ...body, ...over })
    expect([status, json.error.code, json.error.details[0].path]).toEqual([400, code, named])
  })

  test('400 names what EN 16931 misses by the path of the family', async () => {
    const isNested = path === '/api/invoices'
    const parties = isNested
      ? { buyer: { ...nested.buyer, country: undefined }, seller: { wallet: testWallet } }
      : { buyerCountry: undefined, sellerName: undefined, sellerVat: undefined }
    const { status, json } = await app.send('POST', path, { ...body, ...parties })
    const named = isNested
      ? ['seller/name', 'seller/country', 'buyer/country', 'seller/vat']
      : ['sellerName', 'sellerCountry', 'buyerCountry', 'sellerVat']
    expect([status, json.error.details.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      named,
    ])
  })

  test('400 for a country that is none', async () => {
    const over =
      path === '/api/invoices'
        ? { buyer: { ...nested.buyer, country: 'ZZ' } }
        : { buyerCountry: 'ZZ' }
    const { status, json } = await app.send('POST', path, { ...body, ...over })
    const named = path === '/api/invoices' ? 'buyer/country' : 'buyerCountry'
    expect([status, json.error.details[0].path]).toEqual([400, named])
  })
})

test('numbers are read from the text: a float would have lost a place', async () => {
  const raw = (quantity: string) =>
    JSON.stringify({ ...flat, lines: [{ ...inDecimals[0], quantity: 'Q' }] }).replace(
      '"Q"',
      quantity,
    )
  const lost = await app.send('POST', '/v1/invoices', raw('1.00000000000000000001'))
  expect([lost.status, lost.json.error.details[0].path]).toEqual([400, 'lines/0/quantity'])
  const kept = await app.send('POST', '/v1/invoices', raw('0.123456'))
  expect(kept.json.data.lines[0].quantity).toBe('0.123456')
})

test.each([
  ['JPY', 3, 1, 3],
  ['KWD', '0.0005', 1, 0.001],
  ['USDC', '0.000001', '2.5', 0.000003],
])('in %s a net has the decimals of the currency', async (currency, unitPrice, quantity, net) => {
  const lines = [
    { description: 'One', quantity, unitPrice },
    { description: 'More', quantity: 1, unitPrice: 100 },
  ]
  const { status, json } = await app.send('POST', '/v1/invoices', { ...flat, currency, lines })
  expect([status, json.data?.lines[0].net]).toEqual([201, net])
})

test('a mandate is charged the total', async () => {
  const { id: mandateId } = await aMandate(app, undefined, undefined, {
    amount: '271.17',
    currency: 'EUR',
  })
  const body = { ...flat, mandateId, lines: inDecimals }
  const { json } = await app.send('POST', '/v1/invoices', body)
  expect(json.error).toMatchObject({
    code: 'MANDATE_LIMIT_EXCEEDED',
    details: { requested: '271.18' },
  })
})

describe('the flat form', () => {
  const asSent = {
    customerName: 'Ada "A" Example',
    customerEmail: 'ada@example.com',
    taxCountry: 'DE',
  }
  const about = `"taxRate":19,"taxCountry":"DE","description":null,"buyer":{"companyName":"Ada \\"A\\" Example","email":"ada@example.com","address":null,"vat":null},"seller":{"name":null,"wallet":null,"address":null,"vat":null},"paymentDetails":{"chain":"base","paymentAddress":"${testWallet}","usdcAddress":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",`
  const end = `"fx":null,"accepting":false},"agentId":null,"mandateId":null,"payer":null,"dueAt":null,"metadata":null,"receiptId":null,`

  test.each([
    [
      '/api/v1/invoices',
      1_000,
      '"amount":1000,"subtotal":1000,"taxAmount":190,"tax":190,"total":1190,"currency":"USD",',
    ],
    [
      '/v1/invoices',
      '10.00',
      '"amount":"10.00","subtotal":10,"taxAmount":1.9,"total":11.9,"currency":"USDC",',
    ],
  ])(
    'POST %s answers, byte by byte, what it answered before there were lines',
    async (path, amount, figures) => {
      const { text } = await app.send('POST', path, { ...asSent, amount })
      const [, between = ''] = text.split('"kind":"sale",')
      const isMinor = path === '/api/v1/invoices'
      const head = isMinor ? '"statusDetail":"draft",' : ''
      const known = between
        .replace(/"amountDue":.*?,"fx"/, '"fx"')
        .replace(/"createdAt":"[^"]*","updatedAt":"[^"]*"\}+$/, '')
      expect(known).toBe(head + figures + about + end)
    },
  )

  test('shows countries and the buyer’s reference where they were sent', async () => {
    const body = {
      ...asSent,
      amount: 1,
      buyerCountry: 'at',
      sellerCountry: 'DE',
      buyerReference: 'PO 7',
    }
    const { json } = await app.send('POST', '/v1/invoices', body)
    const { buyer, seller, buyerReference } = json.data
    expect([buyer.country, seller.country, buyerReference]).toEqual(['AT', 'DE', 'PO 7'])
  })

  test('still names everything that is missing, the amount first', async () => {
    const { json } = await app.send('POST', '/v1/invoices', {})
    expect(json.error.details).toEqual([
      { path: 'amount', message: 'is required' },
      { path: 'customerName', message: 'is required' },
      { path: 'customerEmail', message: 'is required' },
    ])
  })
})
