import { beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { unsignedPayload } from '../../support/x402-payload.ts'
import { buyerIn, demand, idIn, option, useServer } from '../../support/x402-proxy.ts'

/** An upstream whose options differ in chain, address and amount. */

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf, agreedFor, boundTo, invoice } = buyerIn(app)
const names = { base: 'eip155:8453', polygon: 'eip155:137', arbitrum: 'eip155:42161' } as const
type Option = { chain: keyof typeof names; amount: string; payTo: string }
const options: readonly Option[] = [
  { chain: 'base', amount: '20000', payTo: option.payTo },
  { chain: 'polygon', amount: '10000', payTo: option.payTo },
  { chain: 'base', amount: '20000', payTo: `0x${'5f'.repeat(20)}` },
  { chain: 'arbitrum', amount: '30000', payTo: option.payTo },
]
const [first, cheap, , dear] = options as [Option, Option, Option, Option]
/** Of the requests that held a payment. */
let forwarded = 0
/** How the upstream answers a payment. */
let answerPaid: () => Response | Promise<Response>
function answer({ headers }: Request): Response | Promise<Response> {
  const accepts = options.map(({ chain, amount, payTo }) => {
    return { ...option, network: names[chain], asset: 'USDC', amount, payTo }
  })
  if (!headers.has('x-payment')) return demand(accepts)
  forwarded++
  return answerPaid()
}
const upstream = useServer(answer)

beforeEach(() => {
  forwarded = 0
  answerPaid = () => new Response('the report')
})

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`

function paymentFor({ chain, amount, payTo }: Option): Record<string, string> {
  const payload = unsignedPayload(payTo, amount)
  return { 'x-payment': btoa(JSON.stringify({ x402Version: 1, network: chain, payload })) }
}

test.each(options)(
  'any option can be bought, and the invoice shows that one: %j',
  async (paidFor) => {
    const url = aResource()
    const [agentId, mandateId] = [await allow(3), await agreedFor('0.03')]
    const who = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
    const asked = await buy(url, who)
    const paid = await buy(url, { ...who, ...paymentFor(paidFor) })
    expect([paid.status, paid.text, idIn(paid)]).toEqual([200, 'the report', idIn(asked)])
    const { total, paymentDetails, ...shown } = await invoice(idIn(paid))
    expect(total).toBe(Number(paidFor.amount))
    expect(shown).toMatchObject({ agentId, mandateId })
    expect(paymentDetails).toMatchObject({
      chain: paidFor.chain,
      paymentAddress: paidFor.payTo,
      amountDue: `${Number(paidFor.amount) / 1e6}`,
    })
    const spent = Number(paidFor.amount) / 10_000
    expect(await budgetOf(agentId)).toEqual({ spent, reserved: 0 })
    expect(await boundTo(mandateId)).toBe(Number(paidFor.amount))
    for (const { status } of [
      await app.send('GET', `/api/invoices/${idIn(paid)}/timeline`),
      await app.send('GET', `/api/invoices/${idIn(paid)}/xml`),
    ])
      expect(status).toBe(200)
  },
)

test.each([1, 2, 3])('twenty copies of one payment buy one thing (round %d)', async () => {
  const url = aResource()
  const [agentId, mandateId] = [await allow(10), await agreedFor('1')]
  const who = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
  await buy(url, who)
  const payment = paymentFor(cheap)
  const copies = Array.from({ length: 20 }, () => buy(url, { ...who, ...payment }))
  const answers = await Promise.all(copies)
  const bought = answers.filter(({ status }) => status === 200)
  expect(new Set(bought.map(idIn)).size).toBe(1)
  for (const one of answers)
    if (one.status !== 200) expect(refused(one)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  expect(await boundTo(mandateId)).toBe(10_000)
})

describe('an option for which there is no room is refused and leaves nothing', () => {
  async function expectNothing(url: string, who: Record<string, string>, asked: Answer) {
    expect(forwarded).toBe(0)
    expect((await invoice(idIn(asked))).status).toBe('sent')
    expect(idIn(await buy(url, who))).toBe(idIn(asked))
    const paid = await buy(url, { ...who, ...paymentFor(cheap) })
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(asked)])
  }

  test('of a budget', async () => {
    const [url, agentId] = [aResource(), await allow(1)]
    const who = { 'x-agent-id': agentId }
    const asked = await buy(url, who)
    for (const option of [first, dear]) {
      const over = await buy(url, { ...who, ...paymentFor(option) })
      expect([...refused(over), over.headers.get('payment-required')]).toEqual([
        ...[402, 'BUDGET_EXCEEDED'],
        null,
      ])
    }
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
    await expectNothing(url, who, asked)
  })

  test('of a mandate, whose room it takes none of', async () => {
    const [url, mandateId] = [aResource(), await agreedFor('0.01')]
    const who = { 'x-mandate-id': mandateId }
    const asked = await buy(url, who)
    for (const named of [who, { 'x-invoice-id': idIn(asked) }]) {
      const over = await buy(url, { ...named, ...paymentFor(dear) })
      expect(refused(over)).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
      expect(over.json.error.details).toMatchObject({ used: '0.00', requested: '0.03' })
    }
    expect(await boundTo(mandateId)).toBe(0)
    await expectNothing(url, who, asked)
  })

  test('of a mandate that has ended', async () => {
    const [url, mandateId] = [aResource(), await agreedFor('1')]
    const asked = await buy(url, { 'x-mandate-id': mandateId })
    await app.send('POST', `/v1/mandates/${mandateId}/complete`)
    const over = await buy(url, { 'x-invoice-id': idIn(asked), ...paymentFor(first) })
    expect([...refused(over), forwarded]).toEqual([409, 'MANDATE_NOT_ACTIVE', 0])
    expect((await invoice(idIn(asked))).status).toBe('sent')
  })
})

test('a payment that never left holds nothing, and its quote can be paid by another option', async () => {
  const gone = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const { port, url: root } = gone
  const url = `${root.origin}/report`
  const [agentId, mandateId] = [await allow(3), await agreedFor('0.03')]
  const who = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
  const asked = await buy(url, who)
  await gone.stop(true)
  const unsent = await buy(url, { ...who, ...paymentFor(first) })
  const details = { invoiceId: idIn(asked), payment: 'not_taken' }
  expect([unsent.status, unsent.json.error.details]).toEqual([502, details])
  expect([await budgetOf(agentId), await boundTo(mandateId)]).toEqual([
    { spent: 0, reserved: 0 },
    0,
  ])
  const again = Bun.serve({ port: port as number, hostname: '127.0.0.1', fetch: answer })
  const paid = await buy(url, { ...who, ...paymentFor(cheap) })
  expect([paid.status, paid.text, idIn(paid)]).toEqual([200, 'the report', idIn(asked)])
  expect((await invoice(idIn(asked))).paymentDetails.chain).toBe('polygon')
  await again.stop(true)
})

describe('X-Invoice-Id', () => {
  const named = (answer: Answer) => ({ 'x-invoice-id': idIn(answer) })

  test('chooses among quotes, with the agent and mandate of the one it names', async () => {
    const url = aResource()
    const [agentId, mandateId] = [await allow(3), await agreedFor('1')]
    const asked = await buy(url, { 'x-agent-id': agentId, 'x-mandate-id': mandateId })
    await buy(url)
    const paid = await buy(url, { ...named(asked), ...paymentFor(cheap) })
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(asked)])
    expect(await invoice(idIn(paid))).toMatchObject({ agentId, mandateId })
    expect([await budgetOf(agentId), await boundTo(mandateId)]).toEqual([
      { spent: 1, reserved: 0 },
      10_000,
    ])
  })

  test('of what the payment does not pay is 404 NOT_FOUND, and nothing is forwarded', async () => {
    const url = aResource()
    const [elsewhere, bound] = [
      await buy(aResource()),
      await buy(url, { 'x-mandate-id': await agreedFor('1') }),
    ]
    const bought = await buy(url, paymentFor(cheap))
    forwarded = 0
    for (const headers of [
      { 'x-invoice-id': crypto.randomUUID() },
      named(elsewhere),
      named(bought),
      { ...named(bound), 'x-mandate-id': await agreedFor('1') },
      { ...named(bound), 'x-api-key': app.other.v1Key },
      { ...named(bound), ...paymentFor({ ...cheap, amount: '9999' }) },
    ]) {
      const answer = await buy(url, { ...paymentFor(cheap), ...headers })
      expect([...refused(answer), forwarded]).toEqual([404, 'NOT_FOUND', 0])
    }
    expect((await invoice(idIn(bound))).status).toBe('sent')
  })
})
