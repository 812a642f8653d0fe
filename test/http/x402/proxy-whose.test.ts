import { beforeEach, describe, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'
import { aPayment, buyerIn, demand, idIn, through, useServer } from '../../support/x402-proxy.ts'

/** Whose quote a payment pays, of which request, and what it says about the buyer. */

const { app } = useWorld({ env: { ROLE: 'http' } })
const { buy, allow, budgetOf, agreedFor, boundTo, invoice } = buyerIn(app)
/** The bodies that came with a payment. */
let sold: string[] = []
const upstream = useServer(async (request) => {
  if (!request.headers.has('payment-signature')) return demand()
  sold.push(await request.text())
  return new Response('the report')
})

beforeEach(() => {
  sold = []
})

let made = 0
const aResource = () => `${upstream.url.origin}/report?n=${made++}`
const as = (agentId: string) => ({ 'x-agent-id': agentId })

describe('an agent', () => {
  test('whose quote is paid under another’s name is 403 AGENT_MISMATCH, however often and whatever it names, and nothing is forwarded or counted', async () => {
    const [url, agentId] = [aResource(), await allow(2)]
    const other = await allow(100)
    const asked = await buy(url, as(agentId))
    for (const name of ['nobody', other])
      for (let n = 0; n < 10; n++) {
        const named = n % 2 ? { 'x-invoice-id': idIn(asked) } : {}
        const answer = await buy(url, { ...as(name), ...named, ...aPayment() })
        expect(refused(answer)).toEqual([403, 'AGENT_MISMATCH'])
      }
    expect(sold).toEqual([])
    for (const one of [agentId, other])
      expect(await budgetOf(one)).toEqual({ spent: 0, reserved: 0 })
    const paid = await buy(url, { ...as(agentId), ...aPayment() })
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(asked)])
  })

  test('that sends a payment again under another’s name is 403, and so is a payment that was taken', async () => {
    const [url, agentId, payment] = [aResource(), await allow(2), aPayment()]
    await buy(url, as(agentId))
    expect((await buy(url, { ...as(agentId), ...payment })).status).toBe(200)
    const again = await buy(url, { ...as('nobody'), ...payment })
    expect(refused(again)).toEqual([403, 'AGENT_MISMATCH'])
    expect(sold).toHaveLength(1)
  })

  test.each(['team/7?a=b&c#d', '100 % "Ümläut"', 'Агент', '💶'.repeat(256)])(
    'is known as it is called, or percent-encoded: %s',
    async (agentId) => {
      await allow(0, agentId)
      for (const sent of [Buffer.from(agentId).toString('latin1'), encodeURIComponent(agentId)])
        expect(refused(await buy(aResource(), as(sent)))).toEqual([402, 'BUDGET_EXCEEDED'])
    },
  )

  test('that does not say who it is pays for the agent of the quote', async () => {
    const [url, agentId] = [aResource(), await allow(2)]
    const asked = await buy(url, as(agentId))
    const paid = await buy(url, aPayment())
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(asked)])
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    expect((await invoice(idIn(paid))).agentId).toBe(agentId)
  })

  test('that pays what nobody in particular has asked for is the one that it counts for', async () => {
    const [url, agentId] = [aResource(), await allow(2)]
    const asked = await buy(url)
    const paid = await buy(url, { ...as(agentId), ...aPayment() })
    expect([paid.status, idIn(paid)]).toEqual([200, idIn(asked)])
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    expect((await invoice(idIn(paid))).agentId).toBe(agentId)
  })

  test('gets its own invoice, where two have asked for the same', async () => {
    const url = aResource()
    const agents = [await allow(5), await allow(5)]
    const asked = []
    for (const agentId of agents) asked.push(idIn(await buy(url, as(agentId))))
    const paid = []
    for (const agentId of agents) paid.push(idIn(await buy(url, { ...as(agentId), ...aPayment() })))
    expect(paid).toEqual(asked)
    for (const [n, id] of asked.entries()) expect((await invoice(id)).agentId).toBe(agents[n])
    for (const agentId of agents) expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
  })
})

describe('a mandate', () => {
  const under = (mandateId: string) => ({ 'x-mandate-id': mandateId })

  test('is that of the quote or none: a payment that names another does not pay it', async () => {
    const url = aResource()
    const [one, other] = [await agreedFor('1'), await agreedFor('1')]
    const [free, bound] = [await buy(url), await buy(url, under(one))]
    const paid = await buy(url, { ...under(one), ...aPayment() })
    expect(idIn(paid)).toBe(idIn(bound))
    expect(idIn(await buy(url, aPayment()))).toBe(idIn(free))
    expect([await boundTo(one), await boundTo(other)]).toEqual([10_000, 0])
  })

  test('that is over since the ask: 409, nothing is forwarded, and no budget is held', async () => {
    const [url, agentId, mandateId] = [aResource(), await allow(2), await agreedFor('1')]
    const who = { ...as(agentId), ...under(mandateId) }
    await buy(url, who)
    await app.send('POST', `/v1/mandates/${mandateId}/complete`)
    const answer = await buy(url, { ...who, ...aPayment() })
    expect([...refused(answer), sold]).toEqual([409, 'MANDATE_NOT_ACTIVE', []])
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
  })
})

describe('a body', () => {
  const [small, big] = ['{"q":"small"}', '{"q":"big"}']
  const post = (path: string, body: string, headers = {}) => app.send('POST', path, body, headers)

  test('that was asked for is what is bought: a payment for one does not buy another', async () => {
    const path = through(aResource())
    const asked = await post(path, small)
    const payment = aPayment()
    expect((await post(path, small, payment)).status).toBe(200)
    expect(refused(await post(path, big, payment))).toEqual([409, 'INVALID_STATE'])
    const named = { ...aPayment(), 'x-invoice-id': idIn(asked) }
    expect(refused(await post(path, big, named))).toEqual([404, 'NOT_FOUND'])
    expect(sold).toEqual([small])
  })

  test('that was not asked for is quoted by itself before its payment leaves', async () => {
    const path = through(aResource())
    const asked = await post(path, small)
    const paid = await post(path, big, aPayment())
    expect([paid.status, sold]).toEqual([200, [big]])
    expect(idIn(paid)).not.toBe(idIn(asked))
    expect((await invoice(idIn(asked))).status).toBe('sent')
  })

  test('of up to 10 MiB is sent on whole, and a longer one is 413 PAYLOAD_TOO_LARGE and goes nowhere', async () => {
    const path = through(aResource())
    const most = 'x'.repeat(10_485_760)
    expect((await post(path, most, aPayment())).status).toBe(200)
    expect(sold.map(({ length }) => length)).toEqual([most.length])
    for (const headers of [{}, aPayment()])
      expect(refused(await post(path, `${most}x`, headers))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(sold).toHaveLength(1)
  })
})

describe('X-Invoice-* of the paying request', () => {
  const asked = {
    'x-invoice-company-name': 'Ada Example Ltd',
    'x-invoice-contact-email': 'ada@example.com',
    'x-invoice-country': 'de',
  }
  const paying = {
    'x-invoice-company-name': 'Bob Example SA',
    'x-invoice-company-vat': 'FR12345678901',
    'x-invoice-company-address': '1 Rue Exemple, Paris',
    'x-invoice-po-number': 'PO-8',
    'x-invoice-country': 'fr',
  }

  test('fill what the ask left open, and win over it', async () => {
    const url = aResource()
    const before = (await buy(url, asked)).json.invoice
    expect(before.buyer).toMatchObject({ companyName: 'Ada Example Ltd', vat: null })
    const paid = await buy(url, { ...paying, ...aPayment() })
    const { number, invoiceNumber, ...after } = await invoice(idIn(paid))
    expect(after).toMatchObject({
      buyer: {
        companyName: 'Bob Example SA',
        vat: 'FR12345678901',
        address: '1 Rue Exemple, Paris',
        email: 'ada@example.com',
      },
      taxRate: 20,
      metadata: { x402: { method: 'GET', url }, poNumber: 'PO-8' },
    })
    expect([invoiceNumber, after.createdAt]).toEqual([before.invoiceNumber, before.createdAt])
    const { text } = await app.send('GET', `/api/invoices/${idIn(paid)}/xml`)
    expect(text).toContain('Bob Example SA')
    expect(text).not.toContain('Ada Example Ltd')
    const { json } = await app.send('GET', '/api/invoices?search=Bob+Example')
    expect(json.data.map(({ id }: { id: string }) => id)).toContain(idIn(paid))
  })

  test('that are absent change nothing', async () => {
    const url = aResource()
    const before = (await buy(url, { ...asked, ...paying })).json.invoice
    const paid = await buy(url, aPayment())
    const { buyer, taxRate, taxAmount, total, metadata } = await invoice(idIn(paid))
    const { buyer: _, ...others } = before
    expect(others).toMatchObject({ taxRate, taxAmount, total, metadata })
    expect(buyer).toEqual(before.buyer)
  })

  test('a malformed e-mail is named in X-Invoice-Warnings of every answer, and left out', async () => {
    const url = aResource()
    const wrong = { 'x-invoice-contact-email': 'nobody at all' }
    for (const answer of [await buy(url, wrong), await buy(url, { ...wrong, ...aPayment() })]) {
      expect(answer.headers.get('x-invoice-warnings')).toContain('X-Invoice-Contact-Email')
      expect((await invoice(idIn(answer))).buyer?.email ?? null).toBeNull()
    }
    expect((await buy(aResource())).headers.get('x-invoice-warnings')).toBeNull()
  })

  test('a malformed e-mail leaves the one of the ask', async () => {
    const url = aResource()
    await buy(url, asked)
    const paid = await buy(url, { 'x-invoice-contact-email': 'nope', ...aPayment() })
    expect((await invoice(idIn(paid))).buyer.email).toBe('ada@example.com')
  })
})

test('of two accounts each buys with its own payment, and counts for itself', async () => {
  const url = aResource()
  const asked = await buy(url)
  const others = { 'x-api-key': app.other.v1Key }
  const paid = await buy(url, { ...others, ...aPayment() })
  expect([paid.status, idIn(paid) === idIn(asked)]).toEqual([200, false])
  expect((await invoice(idIn(asked))).status).toBe('sent')
})
