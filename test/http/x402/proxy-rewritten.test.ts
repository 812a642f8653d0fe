import { describe, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { usdcOnBase as usdc } from '../../support/evm-node.ts'
import { useWorld } from '../../support/world.ts'
import { random32, unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, demand, option, useServer } from '../../support/x402-proxy.ts'

/** Payments that are sent again in other words, to an upstream that takes a payment once. */

const from = `0x${'AA'.repeat(20)}`
const { payTo } = option
const accepted = { ...option, maxTimeoutSeconds: 60 }
const taken = new Set<string>()

const { app } = useWorld({ env: { ROLE: 'http' } })
const { allow, budgetOf, ...buyer } = buyerIn(app)
/** Delivers for each URL once, to whatever is sent as a payment. */
const upstream = useServer(({ url, headers }) => {
  if (!headers.has('payment-signature') || taken.has(url)) return demand([accepted])
  taken.add(url)
  return new Response('the report')
})

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
    const agentId = await allow(10)
    const buy = (payload: object) =>
      buyer.buy(`${upstream.url}${encodeURIComponent(name)}`, {
        'x-agent-id': agentId,
        'payment-signature': btoa(JSON.stringify({ x402Version: 2, accepted, payload })),
      })
    const paid = await buy(first)
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    const answer = await buy(again)
    expect(refused(answer)).toEqual([409, 'INVALID_STATE'])
    expect(answer.json.error.details.invoiceId).toBe(paid.headers.get('x-invoice-id'))
    expect((await budgetOf(agentId)).spent).toBe(1)
  })
})

test('a payment signed anew for another amount, or for longer, is not sent out under what was held for the first', async () => {
  const [url, nonce] = [`${upstream.url}anew`, random32()]
  const agentId = await allow(600)
  const buy = (over: object) => {
    const { signature, authorization } = unsignedPayload(payTo, '10000')
    const payload = { signature, authorization: { ...authorization, nonce, ...over } }
    const payment = btoa(JSON.stringify({ x402Version: 1, network: 'base', payload }))
    return buyer.buy(url, { 'x-agent-id': agentId, 'x-payment': payment })
  }
  expect((await buy({})).status).toBe(402)
  for (const over of [{ value: '5000000' }, { validBefore: '4000000001' }])
    expect(refused(await buy(over))).toEqual([409, 'INVALID_STATE'])
  expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 1 })
})
