import { beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, refused } from '../../support/app.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { aPayment, buyerIn, demand, idIn, through, useServer } from '../../support/x402-proxy.ts'

/** Purchases under an `Idempotency-Key`. */

const { app, startHere } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf, agreedFor } = buyerIn(app)
/** The payments that have reached the upstream. */
let paidWith: string[] = []
let answerPaid: (n: number) => Response | Promise<Response>
const upstream = useServer(({ headers }) => {
  const payment = headers.get('payment-signature')
  if (payment === null) return demand()
  return answerPaid(paidWith.push(payment))
})

beforeEach(() => {
  paidWith = []
  answerPaid = (n) => {
    const headers = { 'x-theirs': 'yes', 'content-type': 'text/x-report' }
    return new Response(`report ${n}`, { headers })
  }
})

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`
const aKey = () => ({ 'idempotency-key': crypto.randomUUID() })

/** Nobody who is answered waits until the answer is kept. */
function isKept(answer: Answer): Promise<void> {
  return eventually(async () => {
    const [row] = await app.database.sql`
      select from purchase_deliveries where invoice_id = ${idIn(answer)} and body is not null`
    return row !== undefined
  })
}

/** A purchase of an agent whose budget has room for it alone. */
async function bought() {
  const [url, agentId] = [aResource(), await allow(1)]
  const who = { ...aKey(), 'x-agent-id': agentId }
  await buy(url, who)
  const first = await buy(url, { ...who, ...aPayment() })
  return { url, agentId, who, first }
}

describe('a key that has bought', () => {
  test('gets the first answer at once, asked or paid again, whatever room is left', async () => {
    const { url, agentId, who, first } = await bought()
    expect([first.status, first.text]).toEqual([200, 'report 1'])
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    await isKept(first)
    for (const payment of [{}, aPayment()]) {
      const again = await buy(url, { ...who, ...payment })
      expect([again.status, again.text, idIn(again)]).toEqual([200, 'report 1', idIn(first)])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      for (const name of ['x-theirs', 'content-type', 'link'])
        expect(again.headers.get(name)).toBe(first.headers.get(name))
    }
    expect(paidWith).toHaveLength(1)
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    const { 'idempotency-key': _, ...without } = who
    expect(refused(await buy(url, without))).toEqual([402, 'BUDGET_EXCEEDED'])
  })

  test('of another URL, method or body is 422 IDEMPOTENCY_KEY_REUSED, and nothing is forwarded', async () => {
    const key = aKey()
    const path = through(aResource())
    const send = (method: string, to: string, body: string, more = {}) =>
      app.send(method, to, body, { ...key, ...more })
    const first = await send('POST', path, '{"q":1}', aPayment())
    expect(first.status).toBe(200)
    await isKept(first)
    for (const payment of [{}, aPayment()])
      for (const answer of [
        await send('POST', path, '{"q":2}', payment),
        await send('PUT', path, '{"q":1}', payment),
        await send('POST', `${path}0`, '{"q":1}', payment),
      ])
        expect(refused(answer)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await send('POST', path, '{"q":1}')).text).toBe('report 1')
    expect(paidWith).toHaveLength(1)
  })

  test('is another one in another account', async () => {
    const { url, who } = await bought()
    const other = { ...who, 'x-api-key': app.other.v1Key, ...aPayment() }
    expect((await buy(url, other)).text).toBe('report 2')
  })

  test('buys anew after 24 hours', async () => {
    const { url, agentId, who, first } = await bought()
    await allow(2, agentId)
    await app.database.sql`
      update purchases set first_forwarded_at = first_forwarded_at - interval '1 day' where invoice_id = ${idIn(first)}`
    const next = await buy(url, { ...who, ...aPayment() })
    expect([next.text, idIn(next) === idIn(first)]).toEqual(['report 2', false])
    await isKept(next)
    expect((await buy(url, who)).text).toBe('report 2')
  })
})

test('a refusal does not use a key up', async () => {
  const [url, agentId, mandateId] = [aResource(), await allow(0), await agreedFor('0.005')]
  const key = aKey()
  const who = { ...key, 'x-agent-id': agentId }
  expect(refused(await buy(url, who))).toEqual([402, 'BUDGET_EXCEEDED'])
  expect(refused(await buy(url, { ...who, ...aPayment() }))).toEqual([402, 'BUDGET_EXCEEDED'])
  const under = { ...key, 'x-mandate-id': mandateId, ...aPayment() }
  expect(refused(await buy(url, under))).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
  await allow(1, agentId)
  const elsewhere = aResource()
  const paid = await buy(elsewhere, { ...who, ...aPayment() })
  expect([paid.status, paid.text]).toEqual([200, 'report 1'])
})

test('for an answer that is too long to be kept the first payment is sent again', async () => {
  const long = 'x'.repeat(262_145)
  answerPaid = (n) => new Response(`${n}${long}`)
  const { url, agentId, who, first } = await bought()
  expect(first.text).toBe(`1${long}`)
  for (const payment of [{}, aPayment()]) {
    const again = await buy(url, { ...who, ...payment })
    expect([again.status, idIn(again)]).toEqual([200, idIn(first)])
  }
  expect(paidWith).toHaveLength(3)
  expect(new Set(paidWith).size).toBe(1)
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
})

test.each([
  ['fails', () => new Response('broken', { status: 500 })],
  ['refuses', () => demand()],
])(
  'for a payment that the upstream %s the first payment is sent again, not another',
  async (_, answered) => {
    answerPaid = answered
    const [url, agentId] = [aResource(), await allow(1)]
    const who = { ...aKey(), 'x-agent-id': agentId }
    await buy(url, who)
    const first = aPayment()
    await buy(url, { ...who, ...first })
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 1 })
    answerPaid = (n) => new Response(`report ${n}`)
    const again = await buy(url, { ...who, ...aPayment() })
    expect([again.status, again.text]).toEqual([200, 'report 2'])
    expect([...new Set(paidWith)]).toEqual([first['payment-signature'] as string])
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    await isKept(again)
    expect((await buy(url, who)).text).toBe('report 2')
  },
)

test('twenty payments at once under one key, to two processes, buy one thing', async () => {
  const [url, agentId] = [aResource(), await allow(5)]
  const who = { ...aKey(), 'x-agent-id': agentId }
  await buy(url, who)
  const other = await startHere({ ROLE: 'http' })
  const key = { 'x-api-key': app.account.v1Key }
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const headers = { ...key, ...who, ...aPayment() }
      const answer = await fetch((n % 2 ? other.url : app.url) + through(url), { headers })
      return { status: answer.status, id: idIn(answer) }
    }),
  )
  await other.drain()
  const paid = answers.filter(({ status }) => status === 200)
  expect(new Set(paid.map(({ id }) => id)).size).toBe(1)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(new Set(paidWith).size).toBe(1)
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
})

test.each(['', 'x'.repeat(256)])('a key of %j is 400 INVALID_REQUEST', async (key) => {
  const answer = await buy(aResource(), { 'idempotency-key': key })
  expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
})
