import { afterAll, expect, test } from 'bun:test'
import { dayAgo, ecbXml, startEcb } from '../support/ecb.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const ecb = startEcb()
afterAll(() => ecb.stop())
const { app, start } = useWorld({
  env: () => ({ ROLE: 'http', FX_SOURCE: 'ecb', FX_ECB_URL: ecb.url }),
})

const buyer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
const worker = { ROLE: 'worker', LOG_LEVEL: 'info' }
const create = (currency: string) =>
  app.send('POST', '/v1/invoices', { amount: '10.00', currency, ...buyer })

test('two workers read the ECB once, and invoices made elsewhere lock its rate', async () => {
  ecb.answer = () => new Response(ecbXml(dayAgo(9)))
  const refused = await create('EUR')
  expect([refused.status, refused.json.error.message]).toEqual([
    400,
    expect.stringMatching(/no exchange rate is configured for EUR; .*FX_SOURCE=ecb/),
  ])
  await Promise.all([start(worker), start(worker)])
  await eventually(async () => (await create('EUR')).status === 201)
  expect(ecb.reads).toBe(1)
  const { json } = await create('EUR')
  expect(json.data.paymentDetails).toMatchObject({
    amountDue: '10.80',
    fx: { rate: '1.08', source: 'ECB', asOf: `${dayAgo(9)}T00:00:00.000Z`, stale: true },
  })
  const page = await app.keyless('GET', `/pay/${json.data.id}`)
  expect(page.text).toContain('1 EUR = 1.08 USDC, ECB, ')
  const missing = await create('CHF')
  expect([missing.status, missing.json.error.message]).toEqual([
    400,
    expect.stringContaining('use USD, USDC, EUR, JPY, GBP.'),
  ])
})
