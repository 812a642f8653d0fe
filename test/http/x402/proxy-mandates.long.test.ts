import { describe, expect, test } from 'bun:test'
import { wrapFetchWithPayment } from '@x402/fetch'
import { refused } from '../../support/app.ts'
import { aMandate } from '../../support/mandates.ts'
import { claimsIn } from '../../support/receipts.ts'
import { eventually } from '../../support/wait.ts'
import { evmClient } from '../../support/x402-buyer.ts'
import { idIn, through, useShop } from '../../support/x402-proxy.ts'

/** Purchases through the proxy under a mandate, for 0.01 USDC each. */

const shop = useShop({ env: { BASE_CONFIRMATIONS: '3' } })
const { app, node, upstream, startHere, aResource, sign } = shop
const { buy, invoice, becomes, allow, budgetOf, agreedFor, boundTo } = shop

const under = (mandateId: string) => ({ 'x-mandate-id': mandateId })

/** Lets a day pass and runs a worker's sweep, until it has ended all unpaid purchases. */
async function aDayLater(): Promise<void> {
  const { sql } = app.database
  await sql`update purchases set due_at = now() where state in ('quoted', 'replaced')`
  const worker = await startHere({ ROLE: 'worker', QUEUES: 'trust' })
  await eventually(async () => {
    const unpaid = await sql`select from purchases where state in ('quoted', 'replaced')`
    return unpaid.length === 0
  })
  await worker.drain()
}

describe('a purchase under a mandate', () => {
  test('is made by the official client, and its receipt holds the mandate’s hash', async () => {
    const id = await agreedFor('0.01')
    const payingFetch = wrapFetchWithPayment(fetch, evmClient(node.wallet(1)))
    const response = await payingFetch(app.url + through(aResource()), {
      headers: { authorization: `Bearer ${app.account.apiKey}`, ...under(id) },
    })
    expect(response.status).toBe(200)
    const invoiceId = response.headers.get('x-invoice-id')
    expect((await invoice(invoiceId)).mandateId).toBe(id)
    for (const { headers } of upstream.requests) expect(headers).not.toHaveProperty('x-mandate-id')
    await node.mine(4)
    await becomes(invoiceId, 'settled')
    const { receiptId } = await invoice(invoiceId)
    const bundle = (await app.keyless('GET', `/v1/public/receipts/${receiptId}/bundle`)).json
    const mandate = (await app.send('GET', `/v1/mandates/${id}`)).json.data
    expect(claimsIn(bundle)).toMatchObject({
      mandateHash: mandate.protocol_mandate_hash,
      ...{ gross: '0.01', fee: '0.00' },
    })
  })

  test('counts its price, and not the tax that is on top for the books', async () => {
    const id = await agreedFor('0.02')
    const german = { ...under(id), 'x-invoice-country': 'DE' }
    for (const url of [aResource(), aResource()]) {
      const unpaid = await buy(url, german)
      expect(unpaid.json.invoice).toMatchObject({ amount: 10_000, total: 11_900, mandateId: id })
      expect((await buy(url, { ...(await sign(unpaid)), ...german })).status).toBe(200)
    }
    expect(refused(await buy(aResource(), german))).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
  })

  test('is not made for a free resource', async () => {
    const free = Bun.serve({ port: 0, fetch: () => new Response('free') })
    const answer = await buy(free.url.href, under('mnd_nope'))
    expect([answer.status, answer.text]).toEqual([200, 'free'])
    await free.stop(true)
  })

  test('whose payment was signed before anybody asked us is refused before any of it leaves, or counted', async () => {
    const url = aResource()
    const payment = await sign(await fetch(url))
    const agentId = await allow(1)
    const headers = { ...payment, 'x-agent-id': agentId }
    const over = await buy(url, { ...headers, ...under(await agreedFor('0.009')) })
    expect(refused(over)).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
    expect((await budgetOf(agentId)).reserved).toBe(0)
    const id = await agreedFor('0.01')
    const paid = await buy(url, { ...headers, ...under(id) })
    expect([paid.status, (await invoice(paid.headers.get('x-invoice-id'))).mandateId]).toEqual([
      200,
      id,
    ])
  })
})

describe('refused', () => {
  test.each([
    ['none', () => Promise.resolve('mnd_nope'), 'MANDATE_NOT_ACTIVE'],
    [
      'one that a party has not signed',
      async () => (await aMandate(app, ['proposer'])).id,
      'MANDATE_NOT_ACTIVE',
    ],
    ['one in euros', () => agreedFor('50', 'EUR'), 'MANDATE_CURRENCY_MISMATCH'],
  ] as const)('409 under %s, and no invoice is made', async (_, mandate, code) => {
    const count = async () => (await app.send('GET', '/api/invoices')).json.total
    const before = await count()
    expect(refused(await buy(aResource(), under(await mandate())))).toEqual([409, code])
    expect(await count()).toBe(before)
  })

  test('409 under another account’s', async () => {
    const id = await agreedFor('1')
    const headers = { 'x-api-key': app.other.v1Key, ...under(id) }
    expect(refused(await buy(aResource(), headers))).toEqual([409, 'MANDATE_NOT_ACTIVE'])
  })

  test('400 for a header that is no id', async () => {
    for (const id of ['', 'a b', 'x'.repeat(257)])
      expect(refused(await buy(aResource(), under(id)))).toEqual([400, 'INVALID_REQUEST'])
  })

  test('409 of a payment that was sent under another mandate, or under none, before', async () => {
    const url = aResource()
    const unpaid = await buy(url)
    const payment = await sign(unpaid)
    upstream.behaviour = 'fail'
    await buy(url, payment)
    const again = await buy(url, { ...payment, ...under(await agreedFor('1')) })
    expect(refused(again)).toEqual([409, 'INVALID_STATE'])
  })
})

describe('an invoice', () => {
  test('that nobody pays for a day fails, with a mandate or without, and its late payment gets one of its own', async () => {
    const mandateId = await agreedFor('0.02')
    const waiting = []
    for (const who of [under(mandateId), {}]) {
      const url = aResource()
      const unpaid = await buy(url, who)
      waiting.push({ url, who, id: idIn(unpaid), payment: await sign(unpaid) })
    }
    const bought = aResource()
    const paid = idIn(await buy(bought, { ...(await sign(await buy(bought))) }))
    await aDayLater()
    expect((await invoice(paid)).status).not.toBe('failed')
    for (const { url, who, id, payment } of waiting) {
      expect((await invoice(id)).status).toBe('failed')
      const late = await buy(url, { ...who, ...payment })
      expect([late.status, idIn(late) === id]).toEqual([200, false])
    }
    expect(await boundTo(mandateId)).toBe(10_000)
  })

  test('whose payment is under way cannot be voided, nor can what was delivered: both count on', async () => {
    const id = await agreedFor('0.02')
    for (const behaviour of ['deliver and say nothing', 'fail'] as const) {
      const url = aResource()
      const unpaid = await buy(url, under(id))
      upstream.behaviour = behaviour
      await buy(url, { ...(await sign(unpaid)), ...under(id) })
      const voided = await app.send('POST', `/api/invoices/${idIn(unpaid)}/void`)
      expect(refused(voided)).toEqual([409, 'INVALID_STATE'])
      expect((await invoice(idIn(unpaid))).status).toBe('sent')
      upstream.behaviour = 'settle'
    }
    expect(refused(await buy(aResource(), under(id)))).toEqual([403, 'MANDATE_LIMIT_EXCEEDED'])
  })

  test('that was voided unpaid, and voided once more, is not paid any more', async () => {
    const url = aResource()
    const id = await agreedFor('0.01')
    const unpaid = await buy(url, under(id))
    for (const _ of [1, 2]) {
      const voided = await app.send('POST', `/api/invoices/${idIn(unpaid)}/void`)
      expect([voided.status, voided.json.status]).toEqual([200, 'failed'])
    }
    const paid = await buy(url, { ...(await sign(unpaid)), ...under(id) })
    expect([paid.status, idIn(paid) === idIn(unpaid)]).toEqual([200, false])
    expect(await boundTo(id)).toBe(10_000)
  })
})
