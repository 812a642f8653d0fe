import { beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, demand, idIn, option, through, useServer } from '../../support/x402-proxy.ts'

/** Asks for the price of 0.01 USDC, or for what else the upstream demands. */

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf, agreedFor, boundTo, invoice } = buyerIn(app)
let offered: readonly object[]
const upstream = useServer(({ headers }) =>
  headers.has('x-payment') ? new Response('the report') : demand(offered),
)

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`

beforeEach(() => {
  offered = [option]
})

function paymentOf(amount: string): Record<string, string> {
  const payload = unsignedPayload(option.payTo, amount)
  return { 'x-payment': btoa(JSON.stringify({ x402Version: 1, network: 'base', payload })) }
}

/** Where each row is that asks could write: an update moves it. */
async function rows(): Promise<string> {
  const tables = ['invoices', 'purchases', 'purchase_deliveries', 'events', 'outbox']
  const others = ['invoice_numbers', 'budgets', 'mandates', 'payment_addresses', 'asked_amounts']
  const places: string[] = []
  for (const table of [...tables, ...others]) {
    const { sql } = app.database
    const [row] = await sql`
      select string_agg(concat(ctid, xmin), ' ' order by ctid) as places from ${sql(table)}`
    places.push(`${table}: ${row?.places}`)
  }
  return places.join('\n')
}

describe('asked again', () => {
  test('the same is answered with the same invoice, and nothing is written', async () => {
    const url = aResource()
    const who = { 'x-agent-id': await allow(100), 'x-mandate-id': await agreedFor('1') }
    const first = await buy(url, who)
    const before = await rows()
    for (let n = 0; n < 5; n++) {
      const again = await buy(url, who)
      expect([again.status, again.text]).toEqual([402, first.text])
      expect(again.headers.get('payment-required')).toBe(first.headers.get('payment-required'))
    }
    expect(await rows()).toBe(before)
  })

  test('by twenty at once it is one quote', async () => {
    const url = aResource()
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(url)))
    expect(new Set(answers.map(idIn)).size).toBe(1)
    expect(await quotesLike(answers[0] as Answer)).toEqual(['quoted'])
  })

  test('after a quarter of an hour it is a new quote, and a payment for either pays it', async () => {
    const url = aResource()
    const old = await buy(url)
    await app.database.sql`
      update purchases set created_at = created_at - interval '15 minutes' where invoice_id = ${idIn(old)}`
    const next = await buy(url)
    expect(idIn(next)).not.toBe(idIn(old))
    expect(await quotesLike(next)).toEqual(['replaced', 'quoted'])
    for (const quote of [old, next]) {
      const paid = await buy(url, { ...paymentOf('10000'), 'x-invoice-id': idIn(quote) })
      expect([paid.status, idIn(paid)]).toEqual([200, idIn(quote)])
    }
  })

  test('where it has been paid it is a new quote', async () => {
    const url = aResource()
    await buy(url)
    const paid = await buy(url, paymentOf('10000'))
    const next = await buy(url)
    expect([paid.status, next.status, idIn(next) === idIn(paid)]).toEqual([200, 402, false])
  })
})

describe('a quote of its own has', () => {
  const url = aResource
  test('each agent, mandate, method, URL and body', async () => {
    const target = through(`${upstream.url.origin}/own`)
    const ask = (method: string, body?: string, headers = {}, path = target) =>
      app.send(method, path, body, headers)
    const asks = [
      () => ask('GET'),
      () => ask('GET', undefined, { 'x-agent-id': 'agent-a' }),
      () => ask('GET', undefined, { 'x-agent-id': 'agent-b' }),
      () => ask('GET', undefined, {}, `${target}2`),
      () => ask('POST', ''),
      () => ask('POST', '{"q":"small"}'),
      () => ask('POST', '{"q":"big"}'),
      () => ask('PUT', '{"q":"big"}'),
    ]
    const mandates = [await agreedFor('1'), await agreedFor('1')]
    for (const mandate of mandates) {
      asks.push(() => ask('GET', undefined, { 'x-mandate-id': mandate }))
      asks.push(() => ask('GET', undefined, { 'x-agent-id': 'agent-a', 'x-mandate-id': mandate }))
    }
    const first: string[] = []
    for (const one of asks) first.push(idIn(await one()))
    expect(new Set(first).size).toBe(asks.length)
    const again: string[] = []
    for (const one of asks) again.push(idIn(await one()))
    expect(again).toEqual(first)
  })

  test('each account', async () => {
    const target = url()
    const own = await buy(target)
    const other = await buy(target, { 'x-api-key': app.other.v1Key })
    expect(idIn(other)).not.toBe(idIn(own))
  })
})

test.each([
  ['costs more', [{ ...option, amount: '20000' }], '20000'],
  ['costs less', [{ ...option, amount: '5000' }], '5000'],
  ['is paid to another address', [{ ...option, payTo: `0x${'5f'.repeat(20)}` }], null],
  ['has one option more', [option, { ...option, amount: '30000' }], '30000'],
])(
  'an offer that %s replaces the quote, and a payment for the old one still pays it',
  async (_, changed, amount) => {
    const url = aResource()
    const old = await buy(url)
    offered = changed
    const next = await buy(url)
    expect(idIn(next)).not.toBe(idIn(old))
    expect(idIn(await buy(url))).toBe(idIn(next))
    expect(await quotesLike(next)).toEqual(['replaced', 'quoted'])
    const late = await buy(url, { ...paymentOf('10000'), 'x-invoice-id': idIn(old) })
    expect([late.status, idIn(late)]).toEqual([200, idIn(old)])
    if (amount === null) return
    const paid = await buy(url, paymentOf(amount))
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(next)])
  },
)

describe('where there is no room for the cheapest option', () => {
  const dear = { ...option, amount: '30000' }

  async function expectNothingMade(ask: () => Promise<Answer>): Promise<Answer> {
    const before = await rows()
    const answer = await ask()
    const { headers } = answer
    expect(await rows()).toBe(before)
    const ofPayment = [...headers.keys()].filter((name) => /payment|www-authenticate/.test(name))
    expect([ofPayment, headers.get('x-invoice-id')]).toEqual([[], null])
    return answer
  }

  test('of a budget: 402 BUDGET_EXCEEDED with the numbers, and nothing is made', async () => {
    offered = [dear, { ...option, amount: '20000' }]
    const agentId = await allow(1)
    const answer = await expectNothingMade(() => buy(aResource(), { 'x-agent-id': agentId }))
    expect(refused(answer)).toEqual([402, 'BUDGET_EXCEEDED'])
    const numbers = { limit: 1, used: 0, requested: 2, remaining: 1, currency: 'USD' }
    expect(answer.json.error.details).toMatchObject({ term: 'amount', ...numbers })
  })

  test('of a mandate: 403 MANDATE_LIMIT_EXCEEDED with the numbers, and nothing is made', async () => {
    offered = [dear, { ...option, amount: '20000' }]
    const under = { 'x-mandate-id': await agreedFor('0.015') }
    const answer = await expectNothingMade(() => buy(aResource(), under))
    expect(refused(answer)).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
    expect(answer.json.error.details).toEqual({
      ...{ term: 'amount', limit: '0.015', used: '0.00', requested: '0.02', remaining: '0.015' },
      currency: 'USDC',
    })
  })

  test('what has been paid counts, and the numbers say so', async () => {
    const [agentId, mandateId] = [await allow(1), await agreedFor('0.015')]
    const used = { 'x-agent-id': agentId }
    expect((await buy(aResource(), { ...used, ...paymentOf('10000') })).status).toBe(200)
    const over = await buy(aResource(), used)
    expect(over.json.error.details).toMatchObject({ limit: 1, used: 1, remaining: 0 })
    const under = { 'x-mandate-id': mandateId }
    expect((await buy(aResource(), { ...under, ...paymentOf('10000') })).status).toBe(200)
    const { details } = (await buy(aResource(), under)).json.error
    expect(details).toMatchObject({ used: '0.01', requested: '0.01', remaining: '0.005' })
  })

  test('room for the cheapest is enough, and the dearer one is refused when it is paid', async () => {
    offered = [dear, option]
    const url = aResource()
    const who = { 'x-agent-id': await allow(1) }
    expect((await buy(url, who)).status).toBe(402)
    expect(refused(await buy(url, { ...who, ...paymentOf('30000') }))).toEqual([
      402,
      'BUDGET_EXCEEDED',
    ])
    expect((await buy(url, { ...who, ...paymentOf('10000') })).status).toBe(200)
  })
})

test('three hundred asks use up nothing of a mandate or budget, and what they asked for can be bought', async () => {
  offered = [{ ...option, amount: '1000' }]
  const [agentId, mandateId] = [await allow(1), await agreedFor('0.003')]
  const who = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
  const urls = Array.from({ length: 30 }, aResource)
  for (let round = 0; round < 10; round++)
    for (const { status } of await Promise.all(urls.map((url) => buy(url, who))))
      expect(status).toBe(402)
  expect([await boundTo(mandateId), await budgetOf(agentId)]).toEqual([
    0,
    { spent: 0, reserved: 0 },
  ])
  const paid = await buy(urls.at(-1) ?? '', { ...who, ...paymentOf('1000') })
  expect([paid.status, (await invoice(idIn(paid))).total]).toEqual([200, 1_000])
})

/** The states of the purchases of the same resource, oldest first. */
async function quotesLike(answer: Answer): Promise<readonly string[]> {
  const found = await app.database.sql<{ state: string }[]>`
    select state from purchases
    where resource = (select resource from purchases where invoice_id = ${idIn(answer)}) order by invoice_id`
  return found.map(({ state }) => state)
}
