import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'

/** Payments that are sent again in other words, to an upstream that takes a payment once. */

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const [from, payTo] = [`0x${'Aa'.repeat(20)}`, `0x${'5e'.repeat(20)}`]
const accepted = {
  ...{ scheme: 'exact', network: 'eip155:8453', asset: usdc, amount: '10000', payTo },
  maxTimeoutSeconds: 60,
}

let app: TestApp
let upstream: Bun.Server<undefined>
const taken = new Set<string>()

beforeAll(async () => {
  app = await testApp({ ROLE: 'http' })
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
})

afterAll(async () => {
  await app.stop()
  await upstream.stop(true)
})

/** Delivers for each URL once, to whatever is sent as a payment. */
function answer({ url, headers }: Request): Response {
  if (headers.has('payment-signature') && !taken.has(url)) {
    taken.add(url)
    return new Response('the report')
  }
  const required = btoa(JSON.stringify({ x402Version: 2, accepts: [accepted] }))
  return new Response('{}', { status: 402, headers: { 'payment-required': required } })
}

const permit = (permit2Authorization: object) => ({ signature: '0x5e', permit2Authorization })
const permitted = { token: usdc, amount: '10000' }
const until = { deadline: '99999999999' }

describe.each([
  [
    'by Permit2 whose members are in another order',
    permit({ from, permitted, nonce: '7', ...until, witness: { to: payTo, validAfter: '0' } }),
    {
      permit2Authorization: {
        ...{ witness: { validAfter: '0', to: payTo }, ...until, nonce: '7' },
        ...{ permitted: { amount: '10000', token: usdc }, from },
      },
      signature: '0x5e',
    },
  ],
  [
    'by Permit2 whose numbers and addresses are written otherwise',
    permit({ from, permitted, nonce: '17', ...until, witness: { to: payTo } }),
    permit({
      ...{ from: from.toLowerCase(), nonce: `0x${'11'.padStart(64, '0')}`, ...until },
      ...{ permitted: { token: usdc.toLowerCase(), amount: '10000' }, witness: { to: payTo } },
    }),
  ],
  [
    'that only its upstream can read, whose members are in another order',
    { delegation: 'AQ', salt: { high: 1, low: 2 } },
    { salt: { low: 2, high: 1 }, delegation: 'AQ' },
  ],
])('a payment %s', (name, first, again) => {
  test('is known again: it counts once, and nobody is asked for money again', async () => {
    const agentId = crypto.randomUUID()
    await app.send('PUT', `/api/budget/${agentId}`, { limit: 10 })
    const url = encodeURIComponent(`${upstream.url}${encodeURIComponent(name)}`)
    const buy = (payload: object) =>
      app.send('GET', `/api/x402/proxy?url=${url}`, undefined, {
        'x-agent-id': agentId,
        'payment-signature': btoa(JSON.stringify({ x402Version: 2, accepted, payload })),
      })
    const paid = await buy(first)
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    const { status, json } = await buy(again)
    expect([status, json.error.code]).toEqual([409, 'INVALID_STATE'])
    expect(json.error.details.invoiceId).toBe(paid.headers.get('x-invoice-id'))
    expect((await app.send('GET', `/api/budget/${agentId}`)).json.data.spent).toBe(1)
  })
})
