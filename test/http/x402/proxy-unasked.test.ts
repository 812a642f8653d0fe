import { beforeEach, describe, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, demand, option, through, useServer } from '../../support/x402-proxy.ts'

/** Payments sent through the proxy without asking for the price first. */

type Seen = { readonly method: string; readonly payment: string | null; readonly body: string }

/** The upstream's price in base units; null: free. */
let priceUsdcBase: string | null = null
let seen: Seen[] = []
const agent = 'agent-7'

const { app } = useWorld({ env: { ROLE: 'http' } })
const { allow, budgetOf } = buyerIn(app)
const upstream = useServer(async (request) => {
  const { method, headers } = request
  const payment = headers.get('payment-signature') ?? headers.get('x-payment')
  seen.push({ method, payment, body: await request.text() })
  if (priceUsdcBase === null || payment !== null) return new Response('the report')
  const elsewhere = { ...option, amount: '1', payTo: `0x${'5f'.repeat(20)}` }
  return demand([elsewhere, { ...option, amount: priceUsdcBase }])
})

beforeEach(async () => {
  seen = []
  await allow(100, agent)
})

/** A payment of 0.01 USDC to the upstream. */
function aPayment(): Record<string, string> {
  const payload = unsignedPayload(option.payTo, '10000')
  return { 'x-payment': btoa(JSON.stringify({ x402Version: 1, network: 'base', payload })) }
}

let made = 0
const aResource = () => through(`${upstream.url.origin}/report?n=${made++}`)

function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  return app.send(method, path, body, { 'x-agent-id': agent, ...headers })
}

async function invoices(): Promise<number> {
  return (await app.send('GET', '/api/invoices')).json.total
}

async function spent(): Promise<number> {
  const { spent, reserved } = await budgetOf(agent)
  return spent + reserved
}

describe('a payment of what costs nothing', () => {
  test('stays here: the answer is free, and there is no invoice and no budget entry', async () => {
    priceUsdcBase = null
    const [made, cost] = [await invoices(), await spent()]
    const payment = aPayment()
    const { status, text, headers } = await send('GET', aResource(), payment)
    expect([status, text, headers.get('x-invoice-id')]).toEqual([200, 'the report', null])
    expect(seen).toEqual([{ method: 'GET', payment: null, body: '' }])
    expect([await invoices(), await spent()]).toEqual([made, cost])
    priceUsdcBase = '10000'
    const paid = await send('GET', aResource(), payment)
    expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, expect.any(String)])
    expect([await invoices(), await spent()]).toEqual([made + 1, cost + 1])
  })

  test('does not send what is to be done twice', async () => {
    priceUsdcBase = null
    await send('POST', aResource(), aPayment(), '{"a":1}')
    expect(seen).toEqual([{ method: 'POST', payment: null, body: '{"a":1}' }])
  })
})

describe('a payment of what costs', () => {
  test('just that is sent on once it is asked for, with the same body', async () => {
    priceUsdcBase = '10000'
    const payment = aPayment()
    const { status, headers } = await send('POST', aResource(), payment, '{"a":1}')
    expect([status, headers.get('x-invoice-id')]).toEqual([200, expect.any(String)])
    expect(seen).toEqual([
      { method: 'POST', payment: null, body: '{"a":1}' },
      { method: 'POST', payment: payment['x-payment'] ?? '', body: '{"a":1}' },
    ])
  })

  test('something else stays here: 402, with an invoice of what is asked for', async () => {
    priceUsdcBase = '20000'
    const cost = await spent()
    const { status, json } = await send('GET', aResource(), aPayment())
    expect([status, json.invoice.amount]).toEqual([402, 1])
    expect(seen.map(({ payment }) => payment)).toEqual([null])
    expect(await spent()).toBe(cost)
  })
})

test('one payment for many things at once buys one, and nobody is told of a key that they never sent', async () => {
  priceUsdcBase = '10000'
  const [payment, cost] = [aPayment(), await spent()]
  const paths = [aResource(), aResource()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => send('GET', paths[n % 2] ?? '', payment)),
  )
  for (const { status, json } of answers.filter(({ status }) => status !== 200)) {
    expect(status).toBe(409)
    expect(json.error.message).not.toContain('Idempotency-Key')
    expect(['INVALID_STATE', 'IDEMPOTENCY_IN_PROGRESS']).toContain(json.error.code)
  }
  const bought = answers.filter(({ status }) => status === 200)
  expect(new Set(bought.map(({ headers }) => headers.get('x-invoice-id'))).size).toBe(1)
  expect(await spent()).toBe(cost + 1)
})

test('a payment of what nobody sells, as nobody is there, is 502 and costs nothing', async () => {
  const cost = await spent()
  const answer = await send('GET', through('http://127.0.0.1:1/report'), aPayment())
  expect(refused(answer)).toEqual([502, 'UPSTREAM_FAILED'])
  expect(answer.json.error.details.payment).toBe('not_taken')
  expect(await spent()).toBe(cost)
})
