import { expect, test } from 'bun:test'
import { validatorOf } from '../../support/mcp.ts'
import { demandIn, path, useSeller } from '../../support/x402-seller.ts'

/** What callers without a payment are told. */

const { app } = useSeller(undefined, { relayed: false })
const settlePath = '/api/x402/settle'
const unknownId = '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'
test.each([
  ['GET', path, undefined, undefined],
  ['GET', settlePath, undefined, /invoice_id/],
  ['POST', path, undefined, undefined],
  ['POST', path, '', undefined],
  ['POST', path, '{', /JSON/],
  ['POST', path, '[]', /object/],
  ['POST', path, { amount: -1 }, /amount/],
  ['POST', path, { email: 5 }, /email/],
  ['POST', path, ' '.repeat(1_048_577), /1 MiB/],
  ['POST', settlePath, undefined, /invoice_id/],
  ['POST', settlePath, { invoice_id: 'x' }, /invoice/],
  ['POST', settlePath, { invoice_id: unknownId }, /No such invoice/],
])(
  '%s %s with the body %p is 402 without a payment, and details say what is wrong with it',
  async (method, path, body, problem) => {
    const answer = await app.keyless(method, path, body)
    const { status, json } = answer
    expect([status, json.x402Version, json.accepts[0].network]).toEqual([402, 1, 'base'])
    expect(demandIn(answer).accepts).toHaveLength(1)
    if (problem) expect(JSON.stringify(json.details)).toMatch(problem)
    else expect(json.details).toBeUndefined()
  },
)

test('of another content type, too', async () => {
  const headers = { 'content-type': 'text/plain' }
  const answer = await app.keyless('POST', path, 'hello', headers)
  expect([answer.status, answer.json.details[0].message]).toEqual([
    402,
    'Send the body as application/json',
  ])
})

test('crawlers read in the header what to send and what comes back, as the extension bazaar has it', async () => {
  for (const path of ['/api/x402/invoice', '/api/x402/settle']) {
    const { bazaar } = demandIn(await app.keyless('GET', path)).extensions
    const { $schema: _, ...schema } = bazaar.schema
    const validate = validatorOf(schema)
    expect(validate(bazaar.info).errorMessage ?? null).toBeNull()
    expect(bazaar.info.input).toMatchObject({ type: 'http', method: 'POST', bodyType: 'json' })
    const sent = await app.keyless('POST', path, bazaar.info.input.body)
    expect([sent.status, sent.json.details?.[0].message]).toEqual([
      402,
      path === settlePath ? 'No such invoice' : undefined,
    ])
    expect(validate({ input: { ...bazaar.info.input, method: 'DELETE' } }).valid).toBe(false)
  }
})

test('the document says what paid operations cost, and no other has a price', async () => {
  const { paths } = (await app.keyless('GET', '/openapi.json')).json
  const priced = Object.entries<Record<string, { 'x-payment-info'?: object }>>(paths).flatMap(
    ([at, operations]) =>
      Object.entries(operations).flatMap(([method, { 'x-payment-info': info }]) =>
        info ? [[method, at, info]] : [],
      ),
  )
  const info = (amount: string) => {
    return { price: { mode: 'fixed', currency: 'USD', amount }, protocols: [{ x402: {} }] }
  }
  expect(priced).toEqual([
    ['post', path, info('0.01')],
    ['get', path, info('0.01')],
    ['post', settlePath, info('0.005')],
    ['get', settlePath, info('0.005')],
  ])
  const { resources } = (await app.keyless('GET', '/.well-known/x402')).json
  expect(resources).toEqual([app.url + path, app.url + settlePath])
})
