import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, option, requiring } from '../../support/x402-proxy.ts'

/**
 * An upstream that accepts either of two payments of 0.01 USDC. The invoice of its 402 is of the
 * first one, and some buyers have their USDC on the other chain.
 */

type Chain = 'base' | 'polygon'

const { amount, payTo } = option
const acceptingBoth = (amounts: Record<Chain, string>) => {
  const networks = { base: 'eip155:8453', polygon: 'eip155:137' }
  return requiring(
    (['base', 'polygon'] as const).map((chain) => ({
      ...option,
      network: networks[chain],
      asset: 'USDC',
      amount: amounts[chain],
    })),
  )
}
const goods = () => new Response('the report')

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy: send, allow, ...buyer } = buyerIn(app)
let upstream: Bun.Server<undefined>
/** How the upstream answers a payment. */
let answerPaid: () => Response | Promise<Response>
/** What its 402 asks for. */
let required: string

beforeAll(() => {
  upstream = startUpstream()
})
afterAll(() => upstream.stop(true))
beforeEach(() => {
  answerPaid = goods
  required = acceptingBoth({ base: amount, polygon: amount })
})

function startUpstream(port = 0) {
  return Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: ({ headers }) =>
      headers.has('x-payment')
        ? answerPaid()
        : new Response('{}', { status: 402, headers: { 'payment-required': required } }),
  })
}

function paymentOn(network: Chain, value = amount): Record<string, string> {
  const payload = unsignedPayload(payTo, value)
  return { 'x-payment': btoa(JSON.stringify({ x402Version: 1, network, payload })) }
}

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`

async function agreedFor(limit: string) {
  return { 'x-mandate-id': await buyer.agreedFor(limit) }
}

async function invoice(id: string | null) {
  const { status, mandateId } = await buyer.invoice(id)
  const [{ chain } = {}] = await app.database.sql`
    select chain from purchases where invoice_id = ${id}`
  return { status, chain, mandateId }
}

const idIn = ({ headers }: Answer) => headers.get('x-invoice-id')

describe('under a mandate with room for one', () => {
  test('any option can be bought: its invoice supersedes that of the first', async () => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const asked = await send(url, under)
    const paid = await send(url, { ...under, ...paymentOn('polygon') })
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    const mandateId = under['x-mandate-id']
    expect(await invoice(idIn(asked))).toEqual({ status: 'failed', chain: 'base', mandateId })
    expect(await invoice(idIn(paid))).toMatchObject({ chain: 'polygon', mandateId })
    expect(refused(await send(aResource(), under))).toEqual([402, 'MANDATE_LIMIT_EXCEEDED'])
  })

  const rounds = Array.from({ length: 10 }, (_, n) => n + 1)
  test.each(rounds)('twenty copies of one payment buy one thing (round %d)', async () => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    await send(url, under)
    const payment = paymentOn('polygon')
    const copies = Array.from({ length: 20 }, () => send(url, { ...under, ...payment }))
    const answers = await Promise.all(copies)
    const bought = answers.filter(({ status }) => status === 200)
    expect(new Set(bought.map(idIn)).size).toBe(1)
    for (const one of answers)
      if (one.status !== 200) expect(refused(one)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  })

  async function expectToStay(url: string, under: Record<string, string>, asked: Answer) {
    const other = { ...under, ...paymentOn('polygon') }
    expect(refused(await send(url, other))).toEqual([402, 'MANDATE_LIMIT_EXCEEDED'])
    const named = { ...other, 'x-invoice-id': `${idIn(asked)}` }
    expect(refused(await send(url, named))).toEqual([404, 'NOT_FOUND'])
    expect((await invoice(idIn(asked))).status).not.toBe('failed')
  }

  test.each([
    ['may have been taken', () => new Response('broken', { status: 500 })],
    ['was taken', goods],
  ])('no invoice is superseded whose payment %s', async (_, answered) => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const asked = await send(url, under)
    answerPaid = answered
    await send(url, { ...under, ...paymentOn('base') })
    await expectToStay(url, under, asked)
  })

  test('no invoice is superseded whose payment is under way', async () => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const asked = await send(url, under)
    const [reached, done] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()]
    answerPaid = () => {
      reached.resolve()
      return done.promise
    }
    const first = send(url, { ...under, ...paymentOn('base') })
    await reached.promise
    await expectToStay(url, under, asked)
    done.resolve(goods())
    expect((await first).status).toBe(200)
  })
})

describe('an invoice whose payment was certainly not sent is superseded by one of another option', () => {
  /** Tries to pay a quote for an agent, whose budget has no room for that yet. */
  async function refusedByBudget(url: string, under: Record<string, string>) {
    const agent = { 'x-agent-id': `agent-${made}` }
    await allow(0, agent['x-agent-id'])
    const asked = await send(url, { ...under, ...agent })
    const tried = await send(url, { ...under, ...agent, ...paymentOn('base') })
    expect(refused(tried)).toEqual([402, 'BUDGET_EXCEEDED'])
    await allow(100, agent['x-agent-id'])
    return { asked, headers: { ...under, ...agent } }
  }

  /** Tries to pay a quote while nobody is where the upstream was. */
  async function notReached(url: string, under: Record<string, string>) {
    const asked = await send(url, under)
    const { port } = upstream
    await upstream.stop(true)
    const tried = await send(url, { ...under, ...paymentOn('base') })
    expect(tried.json.error).toMatchObject({ details: { payment: 'not_taken' } })
    upstream = startUpstream(port)
    return { asked, headers: under }
  }

  test.each([
    ['its budget had no room for, unnamed', refusedByBudget, false],
    ['its budget had no room for, named', refusedByBudget, true],
    ['did not reach the upstream, unnamed', notReached, false],
    ['did not reach the upstream, named', notReached, true],
  ])('under a mandate with room for one: one which %s', async (_, tryToPay, isNamed) => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const { asked, headers } = await tryToPay(url, under)
    const named = isNamed ? { 'x-invoice-id': `${idIn(asked)}` } : {}
    const paid = await send(url, { ...headers, ...named, ...paymentOn('polygon') })
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    expect(await invoice(idIn(asked))).toMatchObject({ status: 'failed', chain: 'base' })
    expect(await invoice(idIn(paid))).toMatchObject({ chain: 'polygon' })
    expect(refused(await send(aResource(), under))).toEqual([402, 'MANDATE_LIMIT_EXCEEDED'])
  })

  test('without a mandate: one which did not reach the upstream, named', async () => {
    const url = aResource()
    const { asked } = await notReached(url, {})
    const named = { 'x-invoice-id': `${idIn(asked)}` }
    const paid = await send(url, { ...named, ...paymentOn('polygon') })
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    expect(await invoice(idIn(asked))).toMatchObject({ status: 'failed', chain: 'base' })
  })
})

describe('under a mandate with room for both', () => {
  test('no invoice is superseded by a payment that does not name it', async () => {
    const [url, under] = [aResource(), await agreedFor('1')]
    const asked = [await send(url, under), await send(url, under)]
    expect((await send(url, { ...under, ...paymentOn('polygon') })).status).toBe(200)
    for (const one of asked) {
      expect((await invoice(idIn(one))).status).toBe('sent')
      const named = { ...under, 'x-invoice-id': `${idIn(one)}`, ...paymentOn('base') }
      expect(idIn(await send(url, named))).toBe(idIn(one))
    }
  })

  test('what a superseded invoice had reserved is free for another purchase', async () => {
    const [url, under] = [aResource(), await agreedFor('0.02')]
    const named = { 'x-invoice-id': `${idIn(await send(url, under))}` }
    expect((await send(url, { ...under, ...named, ...paymentOn('polygon') })).status).toBe(200)
    expect(refused(await send(aResource(), under))).toEqual([402, 'PAYMENT_REQUIRED'])
  })
})

test('no invoice of another resource, agent or mandate, or of none, is superseded', async () => {
  const [url, under] = [aResource(), await agreedFor('0.02')]
  const others = [
    await send(aResource(), under),
    await send(url, { ...under, 'x-agent-id': 'agent-8' }),
    await send(url, await agreedFor('1')),
    await send(url, {}),
  ]
  const paid = await send(url, { ...under, ...paymentOn('polygon') })
  expect(refused(paid)).toEqual([402, 'MANDATE_LIMIT_EXCEEDED'])
  expect((await send(url, paymentOn('polygon'))).status).toBe(200)
  for (const other of others) expect((await invoice(idIn(other))).status).toBe('sent')
})

describe('no invoice is superseded by a payment that its mandate does not allow', () => {
  test.each([
    ['named', true],
    ['unnamed', false],
  ])('because it costs more, %s', async (_, isNamed) => {
    required = acceptingBoth({ base: amount, polygon: '20000' })
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const asked = await send(url, under)
    const named = isNamed ? { 'x-invoice-id': `${idIn(asked)}` } : under
    const paid = await send(url, { ...named, ...paymentOn('polygon', '20000') })
    expect(refused(paid)).toEqual([402, 'MANDATE_LIMIT_EXCEEDED'])
    expect(paid.json.error.details).toMatchObject({ used: '0.01', requested: '0.02' })
    expect((await invoice(idIn(asked))).status).toBe('sent')
  })

  test.each([
    ['named', true],
    ['unnamed', false],
  ])('because it has ended, %s', async (_, isNamed) => {
    const [url, under] = [aResource(), await agreedFor('0.01')]
    const asked = await send(url, under)
    await app.database.sql`
      update mandates set state = 'disputed' where id = ${under['x-mandate-id']}`
    const named = isNamed ? { 'x-invoice-id': `${idIn(asked)}` } : under
    const paid = await send(url, { ...named, ...paymentOn('polygon') })
    expect(refused(paid)).toEqual([409, 'MANDATE_NOT_ACTIVE'])
    expect((await invoice(idIn(asked))).status).toBe('sent')
  })
})

describe('the invoice of a 402 that is named with a payment of another option', () => {
  test.each([
    ['without a mandate', null],
    ['under its mandate, which need not be named', '0.01'],
  ])('is replaced, %s', async (_, limit) => {
    const [url, under] = [aResource(), limit === null ? {} : await agreedFor(limit)]
    const asked = await send(url, { ...under, 'x-agent-id': 'agent-9' })
    const payment = { ...paymentOn('polygon'), 'x-invoice-id': `${idIn(asked)}` }
    const paid = await send(url, payment)
    expect([paid.status, paid.text]).toEqual([200, 'the report'])
    const { mandateId } = await invoice(idIn(asked))
    expect(await invoice(idIn(asked))).toMatchObject({ status: 'failed', chain: 'base' })
    expect(await invoice(idIn(paid))).toMatchObject({ chain: 'polygon', mandateId })
    const again = await send(url, payment)
    expect([again.status, idIn(again)]).toEqual([200, idIn(paid)])
  })

  test('404 NOT_FOUND, and the payment goes nowhere, where it is not of this resource, account or mandate', async () => {
    answerPaid = () => {
      throw new Error('a payment has left')
    }
    const url = aResource()
    const [elsewhere, bound] = [await send(aResource(), {}), await send(url, await agreedFor('1'))]
    const name = (answer: Answer) => ({ 'x-invoice-id': `${idIn(answer)}` })
    const payment = paymentOn('polygon')
    for (const headers of [
      name(elsewhere),
      { ...name(bound), ...(await agreedFor('1')) },
      { ...name(bound), 'x-api-key': app.other.v1Key },
    ]) {
      expect(refused(await send(url, { ...payment, ...headers }))).toEqual([404, 'NOT_FOUND'])
    }
    expect((await invoice(idIn(bound))).status).toBe('sent')
  })

  /** What is counted against, with the mandate and agent of a quote that is named alone. */
  async function aQuote() {
    const [url, under] = [aResource(), await agreedFor('1')]
    const bound = { ...under, 'x-agent-id': 'agent-9' }
    const asked = await send(url, bound)
    const named = { 'x-invoice-id': `${idIn(asked)}` }
    return { url, named, asked, mandateId: under['x-mandate-id'], agentId: 'agent-9' }
  }

  async function countsAgainst(answer: Answer) {
    const [row] = await app.database.sql`
      select mandate_id as "mandateId", agent_id as "agentId" from purchases where invoice_id = ${idIn(answer)}`
    return { ...row }
  }

  test('is what the payment counts by, also where it is void by now', async () => {
    const { url, named, asked, ...bound } = await aQuote()
    expect((await send(url, { ...named, ...paymentOn('polygon') })).status).toBe(200)
    expect((await invoice(idIn(asked))).status).toBe('failed')
    const again = await send(url, { ...named, ...paymentOn('polygon') })
    expect(again.status).toBe(200)
    expect(await countsAgainst(again)).toEqual(bound)
  })

  test('is what the invoice of another 402 counts by, where the upstream offers no more what was signed', async () => {
    const { url, named, asked: _, ...bound } = await aQuote()
    const asked = await send(url, { ...named, ...paymentOn('polygon', '9999') })
    expect(refused(asked)).toEqual([402, 'PAYMENT_REQUIRED'])
    expect(await countsAgainst(asked)).toEqual(bound)
  })

  test('is what the invoice of another 402 counts by, where the upstream refuses the payment', async () => {
    const { url, named, asked: first, ...bound } = await aQuote()
    answerPaid = () =>
      new Response('{}', { status: 402, headers: { 'payment-required': required } })
    const asked = await send(url, { ...named, ...paymentOn('base') })
    expect(refused(asked)).toEqual([402, 'PAYMENT_REQUIRED'])
    expect(idIn(asked)).not.toBe(idIn(first))
    expect(await countsAgainst(asked)).toEqual(bound)
  })
})
