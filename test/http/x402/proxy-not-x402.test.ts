import { describe, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import {
  aPayment,
  buyerIn,
  demand,
  idIn,
  option,
  requiring,
  useServer,
} from '../../support/x402-proxy.ts'

/** A 402 that demands nothing by x402, or something else beside it. */

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf } = buyerIn(app)
/** What the upstream demands. */
let unpaid: () => Response
/** How it answers a payment. */
let paid: () => Response
const upstream = useServer(({ headers }) =>
  headers.has('payment-signature') || headers.has('authorization') ? paid() : unpaid(),
)

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`
const count = async () => (await app.send('GET', '/api/invoices')).json.total

const request = (members: object) => Buffer.from(JSON.stringify(members)).toString('base64url')
// As mppx 0.11.0 writes it.
const mpp = (method: string, members: object) =>
  `Payment id="x7Tg", realm="127.0.0.1", method="${method}", intent="charge", request="${request(members)}", expires="2099-01-01T00:00:00.000Z"`
const tempo = mpp('tempo', { amount: '1000000', currency: '0x20c0', recipient: '0x742d' })
const stripe = mpp('stripe', { amount: '500', currency: 'usd', methodDetails: {} })

describe('passes unchanged, and no invoice is made of it', () => {
  test.each([
    ['an account without money', '{"error":{"message":"Insufficient Balance"}}', {}],
    ['a text', 'please pay', { 'content-type': 'text/plain' }],
    ['nothing', '', {}],
    ['what only looks like x402', '{"accepts":7}', { 'payment-required': '%%%' }],
    ['a long text', 'x'.repeat(400_000), {}],
    ['another challenge', 'no', { 'www-authenticate': 'Bearer realm="a"' }],
  ])('%s', async (_, body, headers) => {
    unpaid = () => new Response(body, { status: 402, headers: { 'x-theirs': 'yes', ...headers } })
    const before = await count()
    const answer = await buy(aResource(), { 'x-agent-id': await allow(0) })
    expect([answer.status, answer.text === body, idIn(answer)]).toEqual([402, true, ''])
    for (const [name, value] of Object.entries({ 'x-theirs': 'yes', ...headers }))
      expect(answer.headers.get(name)).toBe(value)
    expect(await count()).toBe(before)
  })

  test('but an answer like that to a payment is a refusal, with the upstream’s words', async () => {
    unpaid = demand
    const said = btoa(JSON.stringify({ success: false, errorReason: 'insufficient_funds' }))
    paid = () =>
      new Response('{"error":"no money"}', { status: 402, headers: { 'payment-response': said } })
    const agentId = await allow(1)
    const asked = await buy(aResource(), { 'x-agent-id': agentId })
    const answer = await buy(asked.json.invoice.metadata.x402.url, {
      ...{ 'x-agent-id': agentId },
      ...aPayment(),
    })
    expect(refused(answer)).toEqual([502, 'UPSTREAM_FAILED'])
    expect(answer.json.error.details).toEqual({
      ...{ invoiceId: idIn(asked), payment: 'pending', upstreamStatus: 402 },
      ...{ upstreamError: 'no money', errorReason: 'insufficient_funds' },
    })
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 1 })
  })
})

describe('MPP', () => {
  test.each([
    ['one method', tempo],
    ['two methods', `${tempo}, ${stripe}`],
  ])(
    'beside x402 is dropped, as its client would answer with our key (%s)',
    async (_, challenge) => {
      unpaid = () => {
        const answer = demand()
        answer.headers.set('www-authenticate', challenge)
        return answer
      }
      paid = () => new Response('the report')
      const url = aResource()
      const answer = await buy(url)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([402, null])
      expect(answer.headers.get('payment-required')).toBe(requiring([option]))
      expect((await buy(url, aPayment())).text).toBe('the report')
    },
  )

  test('alone is 502 UPSTREAM_UNSUPPORTED, which names what was offered, and passes the challenge on', async () => {
    const both = `${tempo}, ${stripe}`
    unpaid = () =>
      new Response('{"type":"https://paymentauth.org/problems/payment-required"}', {
        status: 402,
        headers: { 'www-authenticate': both },
      })
    const before = await count()
    const answer = await buy(aResource())
    expect(refused(answer)).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
    const charge = { intent: 'charge', unsupported: ['scheme'] }
    expect(answer.json.error.details.offered).toEqual([
      { method: 'tempo', ...charge, amount: '1000000', currency: '0x20c0' },
      { method: 'stripe', ...charge, amount: '500', currency: 'usd' },
    ])
    expect(answer.headers.get('www-authenticate')).toBe(both)
    expect(await count()).toBe(before)
  })

  test('beside x402 that cannot be paid is named with it', async () => {
    const other = { ...option, network: 'eip155:84532' }
    const required = requiring([other])
    unpaid = () =>
      new Response('{}', {
        status: 402,
        headers: { 'www-authenticate': tempo, 'payment-required': required },
      })
    const answer = await buy(aResource())
    expect(refused(answer)).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
    expect(answer.json.error.details.offered).toMatchObject([
      { scheme: 'exact', network: 'eip155:84532', unsupported: ['network'] },
      { method: 'tempo', amount: '1000000' },
    ])
    expect(answer.headers.get('payment-required')).toBe(required)
  })
})

describe('UPSTREAM_UNSUPPORTED says which members stood in the way', () => {
  test.each([
    [{ ...option, scheme: 'upto' }, ['scheme']],
    [{ ...option, network: 'eip155:84532' }, ['network']],
    [{ ...option, asset: option.payTo }, ['asset']],
    [{ ...option, amount: '0.01' }, ['amount']],
    [{ ...option, amount: '0' }, ['amount']],
    [{ ...option, payTo: '0x5E' }, ['payTo']],
    [{ ...option, payTo: `0x${'00'.repeat(20)}` }, ['payTo']],
    [{ ...option, extra: { name: 'GatewayWalletBatched', version: '1' } }, ['extra']],
    [{ ...option, scheme: 'upto', amount: null }, ['scheme', 'amount']],
  ])('%j: %p', async (offered, unsupported) => {
    unpaid = () => demand([offered])
    const answer = await buy(aResource())
    expect(refused(answer)).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
    expect(answer.json.error.details.offered).toMatchObject([{ unsupported }])
    expect(answer.headers.get('payment-required')).toBe(requiring([offered]))
  })
})

test.each([
  ['amount', 20_000],
  ['maxAmountRequired', 20_000],
])('a JSON number for %s is understood where it is an integer', async (member, number) => {
  const { amount: _, ...others } = option
  unpaid = () => demand([{ ...others, [member]: number }])
  const { status, json } = await buy(aResource())
  expect([status, json.invoice.amount]).toEqual([402, 20_000])
  for (const odd of [0.5, -1, 1e300]) {
    unpaid = () => demand([{ ...others, [member]: odd }])
    expect(refused(await buy(aResource()))).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
  }
})
