import { beforeEach, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { signedPayment } from '../../support/x402-buyer.ts'
import { useShop } from '../../support/x402-proxy.ts'

/**
 * A payment that the upstream answers with 402: it still has the signed authorisation and may use
 * it later.
 */

const shop = useShop({ env: { BASE_CONFIRMATIONS: '2' } })
const { node, upstream, becomes, allow, budgetOf, sign } = shop
let agentId: string

beforeEach(async () => {
  agentId = await allow(2)
})

function buy(headers: Record<string, string> = {}) {
  return shop.buy(upstream.url, { 'x-agent-id': agentId, ...headers })
}

test('a payment that the upstream refuses and then takes settles its own invoice and counts, and so does the next one', async () => {
  const unpaid = await buy()
  const first = await signedPayment(node.wallet(1), unpaid)
  upstream.behaviour = 'refuse'
  const next = await buy(first.headers)
  expect(next.status).toBe(402)
  expect(next.json.invoice.id).not.toBe(unpaid.json.invoice.id)
  expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })

  await node.transferWithAuthorization({
    from: node.wallet(1),
    to: upstream.payTo,
    usdcBase: 10_000n,
    reference: first.nonce,
  })
  await node.mine(3)
  await becomes(unpaid.json.invoice.id, 'settled')
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })

  upstream.behaviour = 'settle'
  const paid = await buy(await sign(next))
  expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, next.json.invoice.id])
  await node.mine(3)
  await becomes(next.json.invoice.id, 'settled')
  expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
}, 60_000)

test('a payment signed anew for another amount, or for longer, is not sent out under what was held for the first', async () => {
  const nonce = `0x${'7'.repeat(64)}`
  await buy()
  expect((await buy(authorized(nonce, {}))).status).toBe(402)
  const before = upstream.requests.length
  for (const other of [{ value: '5000000' }, { validBefore: '4000000000' }]) {
    expect(refused(await buy(authorized(nonce, other)))).toEqual([409, 'INVALID_STATE'])
  }
  expect(upstream.requests.length).toBe(before)
}, 60_000)

/** The parts of a signed payment that the proxy reads. */
function authorized(nonce: string, other: { value?: string; validBefore?: string }) {
  const authorization = {
    from: node.wallet(1).address,
    to: upstream.payTo,
    value: '10000',
    validAfter: '0',
    validBefore: '3000000000',
    nonce,
    ...other,
  }
  const payload = { signature: '0x5e', authorization }
  const payment = { x402Version: 1, scheme: 'exact', network: 'base', payload }
  return { 'x-payment': btoa(JSON.stringify(payment)) }
}
