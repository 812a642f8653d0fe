import { beforeEach, describe, expect, test } from 'bun:test'
import { useWorld } from '../../support/world.ts'
import { random32 } from '../../support/x402-payload.ts'
import { aPayment, buyerIn, demand, option, through, useServer } from '../../support/x402-proxy.ts'

/** Upstreams that take a payment and redirect to what was bought, as the official servers may. */

const agent = 'agent-7'

/** How the upstream answers a payment. */
let answerPaid: () => Response
/** The paths that were asked for with a payment, and without one. */
let seen: { readonly path: string; readonly isPaid: boolean }[] = []
/** What is answered where the redirect leads. */
let bought: () => Response

const { app } = useWorld({ env: { ROLE: 'http' } })
const { allow, budgetOf, invoice } = buyerIn(app)
const upstream = useServer(({ url, headers }) => {
  const { pathname: path } = new URL(url)
  const isPaid = headers.has('payment-signature')
  seen.push({ path, isPaid })
  if (path === '/bought') return bought()
  return isPaid ? answerPaid() : demand()
})

beforeEach(async () => {
  seen = []
  bought = () => new Response('the report')
  await allow(100, agent)
})

/** An answer that says, if `success` is not null, what became of the payment. */
function moved(status: number, success: boolean | null, body: string | null = null): Response {
  const transaction = success ? random32() : ''
  const said = btoa(JSON.stringify({ success, transaction, network: option.network }))
  return new Response(body, {
    status,
    headers: { location: '/bought', ...(success !== null && { 'payment-response': said }) },
  })
}

/** The redirect's target, through the proxy. */
function onward(): string {
  return `?url=${encodeURIComponent(new URL('/bought', upstream.url).href)}`
}

let made = 0

/** Asks for the price of a resource, and pays it. */
async function buy(more: Record<string, string> = {}, init: RequestInit = {}) {
  const key = 'x-api-key' in more ? {} : { authorization: `Bearer ${app.account.apiKey}` }
  const headers = { 'x-agent-id': agent, ...key, ...more }
  const path = through(`${upstream.url.origin}/report?n=${made++}`)
  const payment = aPayment()
  const send = (payment: Record<string, string>) =>
    fetch(app.url + path, { redirect: 'manual', ...init, headers: { ...headers, ...payment } })
  const invoiceId = (await send({})).headers.get('x-invoice-id')
  seen = []
  return { invoiceId, response: await send(payment), again: () => send(payment) }
}

async function statusOf(invoiceId: string | null): Promise<string> {
  return (await invoice(invoiceId)).status
}

describe('a redirect that says that it took the payment is what was bought', () => {
  test.each([301, 302, 303, 307, 308])('%i: passed on, its invoice is paid', async (status) => {
    const before = await budgetOf(agent)
    answerPaid = () => moved(status, true)
    const { invoiceId, response } = await buy()
    expect([response.status, response.headers.get('location')]).toEqual([status, onward()])
    expect(response.headers.get('x-invoice-id')).toBe(invoiceId)
    expect(response.headers.get('link')).toContain(`/api/invoices/${invoiceId}/pdf`)
    expect(response.headers.get('payment-response')).not.toBeNull()
    expect(response.headers.get('cache-control')).toBe('private')
    expect(seen).toEqual([{ path: '/report', isPaid: true }])
    expect(await statusOf(invoiceId)).toBe('paid')
    expect(await budgetOf(agent)).toEqual({ spent: before.spent + 1, reserved: 0 })
  })

  test('so is a 304, which has no body', async () => {
    answerPaid = () => moved(304, true)
    const { invoiceId, response } = await buy({ 'if-none-match': '"a"' })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(await statusOf(invoiceId)).toBe('paid')
  })

  test('with its text and the PDF as two parts, where that is wanted', async () => {
    answerPaid = () => moved(303, true, 'See /bought')
    const { response } = await buy({ accept: 'multipart/mixed' })
    expect([response.status, response.headers.get('location')]).toEqual([303, expect.any(String)])
    const text = await response.text()
    expect(text).toContain('See /bought')
    expect(text).toContain('%PDF-')
  })

  test('and is answered again to the same payment', async () => {
    answerPaid = () => moved(303, true)
    const { invoiceId, again } = await buy()
    const response = await again()
    expect([response.status, response.headers.get('x-invoice-id')]).toEqual([303, invoiceId])
    expect(response.headers.get('link')).toContain(`/api/invoices/${invoiceId}/pdf`)
  })
})

test.each([
  ['nothing of the payment', null],
  ['that the payment failed', false],
])(
  'a redirect that says %s is passed on, and the payment counts while it may come',
  async (_, success) => {
    const before = await budgetOf(agent)
    answerPaid = () => moved(307, success)
    const { invoiceId, response } = await buy()
    expect([response.status, response.headers.get('x-invoice-id')]).toEqual([307, invoiceId])
    expect(response.headers.get('location')).toBe(onward())
    expect(await statusOf(invoiceId)).toBe('sent')
    expect(await budgetOf(agent)).toEqual({ ...before, reserved: before.reserved + 1 })
  },
)

describe('a client that follows it through the proxy, with the payment still in its headers,', () => {
  const followed = (key = {}) => buy(key, { redirect: 'follow' })

  test.each(['Authorization', 'X-API-Key'])(
    'gets what was bought, and the payment goes nowhere else: %s',
    async (header) => {
      answerPaid = () => moved(303, true)
      const { response } = await followed(
        header === 'X-API-Key' ? { 'x-api-key': app.account.v1Key } : {},
      )
      expect([response.status, await response.text()]).toEqual([200, 'the report'])
      expect(seen).toEqual([
        { path: '/report', isPaid: true },
        { path: '/bought', isPaid: false },
      ])
    },
  )

  test('409 INVALID_STATE where that costs anew', async () => {
    bought = demand
    answerPaid = () => moved(303, true)
    const { response } = await followed()
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { error: { code: 'INVALID_STATE' } },
    ])
    expect(seen.at(-1)).toEqual({ path: '/bought', isPaid: false })
  })
})
