import { describe, expect, test } from 'bun:test'
import { wrapFetchWithPayment } from '@x402/fetch'
import { refused } from '../../support/app.ts'
import { evmClient } from '../../support/x402-buyer.ts'
import { idIn, through, useShop } from '../../support/x402-proxy.ts'
import { paidResource } from '../../support/x402-upstream.ts'

const shop = useShop({ env: { BASE_CONFIRMATIONS: '3' } })
const { app, node, upstream, startHere, aResource, sign } = shop
const { buy, invoice, becomes, allow, budgetOf } = shop

async function invoicesOf(url: string): Promise<string[]> {
  const { json } = await app.send('GET', '/api/invoices?limit=100')
  const all = await Promise.all(json.data.map(({ id }: { id: string }) => invoice(id)))
  return all.filter(({ metadata }) => metadata?.x402.url === url).map(({ id }) => id)
}

describe('a 402', () => {
  test('comes back with the upstream’s own headers and an invoice that is sent', async () => {
    const url = aResource()
    const answer = await buy(url, {
      'x-invoice-company-name': 'Ada Example Ltd',
      'x-invoice-company-vat': 'DE123456789',
      'x-invoice-company-address': '1 Example Street, Berlin',
      'x-invoice-contact-email': 'ada@example.com',
      'x-invoice-po-number': 'PO-7',
      'x-invoice-country': 'de',
    })
    expect(answer.status).toBe(402)
    const { json, headers } = answer
    const direct = await fetch(url)
    const theirs = JSON.parse(atob(headers.get('payment-required') ?? ''))
    expect(theirs).toEqual(JSON.parse(atob(direct.headers.get('payment-required') ?? '')))
    expect(headers.get('x-invoice-id')).toBe(json.invoice.id)
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(json.error).toEqual({
      code: 'PAYMENT_REQUIRED',
      message: 'The resource must be paid for: see invoice',
      status: 402,
    })
    expect(json.invoice).toMatchObject({
      status: 'sent',
      amount: 10_000,
      currency: 'USDC',
      taxRate: 19,
      taxAmount: 1_900,
      total: 11_900,
      buyer: {
        companyName: 'Ada Example Ltd',
        vat: 'DE123456789',
        address: '1 Example Street, Berlin',
        email: 'ada@example.com',
      },
      paymentDetails: { amountDue: '0.01', paymentAddress: upstream.payTo.toLowerCase() },
      metadata: { x402: { method: 'GET', url }, poNumber: 'PO-7' },
    })
    const { text } = await app.send('GET', `/api/invoices/${json.invoice.id}/xml`)
    expect(text).toContain('<cac:OrderReference><cbc:ID>PO-7</cbc:ID></cac:OrderReference>')
  })
})

describe('a paid resource', () => {
  test('is bought by the official client, unmodified, and its invoice settles on chain with a receipt', async () => {
    const url = aResource()
    const agent = await allow(100)
    const pay = wrapFetchWithPayment(fetch, evmClient(node.wallet(1)))
    const response = await pay(app.url + through(url), {
      headers: { authorization: `Bearer ${app.account.apiKey}`, 'x-agent-id': agent },
    })
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(paidResource)
    expect(response.headers.get('content-type')).toBe('application/x-report')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    const id = response.headers.get('x-invoice-id')
    expect(response.headers.get('link')).toContain(`/api/invoices/${id}/pdf>; rel="invoice"`)
    const told = JSON.parse(atob(response.headers.get('payment-response') ?? ''))
    expect((await invoice(id)).status).toBe('paid')
    expect(await budgetOf(agent)).toEqual({ spent: 1, reserved: 0 })
    await node.mine(4)
    await becomes(id, 'settled')
    expect(await invoice(id)).toMatchObject({
      agentId: agent,
      receiptId: expect.stringMatching(/^drs_/),
      paymentDetails: {
        txHash: told.transaction,
        from: node.wallet(1).address.toLowerCase(),
        matchedBy: 'claim',
        amountReceived: '0.01',
      },
    })
  })
})

describe('a payment', () => {
  async function aSignedPayment(url: string, headers: Record<string, string> = {}) {
    const unpaid = await buy(url, headers)
    return { id: unpaid.json.invoice.id as string, payment: await sign(unpaid) }
  }

  test('made without asking us first makes its invoice, one however often it is sent', async () => {
    const url = aResource()
    const direct = await fetch(url)
    const payment = await sign(direct)
    const answers = await Promise.all(Array.from({ length: 5 }, () => buy(url, payment)))
    const paid = answers.filter(({ status }) => status === 200)
    expect(paid).toHaveLength(1)
    expect(await invoicesOf(url)).toHaveLength(1)
  })

  test('that the upstream fails on comes back as its failure, still counts, and may be sent again', async () => {
    const url = aResource()
    const agent = await allow(100)
    const { id, payment } = await aSignedPayment(url)
    upstream.behaviour = 'fail'
    const failed = await buy(url, { ...payment, 'x-agent-id': agent })
    expect([failed.status, failed.text, failed.headers.get('x-invoice-id')]).toEqual([
      500,
      'broken',
      id,
    ])
    expect(await budgetOf(agent)).toEqual({ spent: 0, reserved: 1 })
    upstream.behaviour = 'settle'
    const paid = await buy(url, { ...payment, 'x-agent-id': agent })
    expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, id])
    expect(await budgetOf(agent)).toEqual({ spent: 1, reserved: 0 })
  })

  test.each(['settle then fail', 'settle and refuse'] as const)(
    'that the upstream takes (%s) is 502, counts once, and nobody asks for money again',
    async (behaviour) => {
      const url = aResource()
      const agent = await allow(100)
      const { id, payment } = await aSignedPayment(url)
      upstream.behaviour = behaviour
      const failed = await buy(url, { ...payment, 'x-agent-id': agent })
      expect(refused(failed)).toEqual([502, 'UPSTREAM_FAILED'])
      expect(failed.json.error.details).toMatchObject({ invoiceId: id, payment: 'taken' })
      expect(await budgetOf(agent)).toEqual({ spent: 1, reserved: 0 })
      await node.mine(4)
      await becomes(id, 'settled')
      expect(await budgetOf(agent)).toEqual({ spent: 1, reserved: 0 })
    },
  )

  test('debits its payer once in ten of ten lost answers that are sent again', async () => {
    const agent = await allow(100)
    const before = await node.balanceOf(node.wallet(1).address)
    const ids: string[] = []
    for (let round = 0; round < 10; round++) {
      const url = aResource()
      const { id, payment } = await aSignedPayment(url)
      upstream.behaviour = 'settle then hang up'
      await buy(url, { ...payment, 'x-agent-id': agent })
      upstream.behaviour = 'settle'
      const again = await buy(url, { ...payment, 'x-agent-id': agent })
      expect([409, 502]).toContain(again.status)
      ids.push(id)
    }
    expect(before - (await node.balanceOf(node.wallet(1).address))).toBe(100_000n)
    await node.mine(4)
    for (const id of ids) await becomes(id, 'settled')
    expect(await budgetOf(agent)).toEqual({ spent: 10, reserved: 0 })
  })

  test.each([
    ['a transaction that is none', `0x${'a5'.repeat(32)}`],
    ['one of another kind of chain', '5'.repeat(88)],
    ['none', 'pending'],
  ])('that the upstream names %s for is found by what it used', async (_, lie) => {
    const url = aResource()
    const { id, payment } = await aSignedPayment(url)
    Object.assign(upstream, { behaviour: 'settle and lie', lie })
    const lied = await buy(url, payment)
    expect(lied.status).toBe(200)
    const { transaction } = JSON.parse(atob(lied.headers.get('payment-response') ?? ''))
    await node.mine(4)
    await becomes(id, 'settled')
    const { paymentDetails } = await invoice(id)
    expect(paymentDetails.txHash).not.toBe(transaction)
    expect(paymentDetails.amountReceived).toBe('0.01')
  })

  test('that is accepted without a transaction named pays its invoice once the chain shows one, and is nobody’s to make again', async () => {
    const url = aResource()
    const { id, payment } = await aSignedPayment(url)
    upstream.behaviour = 'deliver and say nothing'
    expect((await buy(url, payment)).status).toBe(200)
    expect((await invoice(id)).status).toBe('sent')
    const timeline = await app.send('GET', `/api/invoices/${id}/timeline`)
    expect(timeline.json.data.map(({ type }: { type: string }) => type)).toEqual([
      'invoice.created',
      'invoice.sent',
    ])
    upstream.behaviour = 'refuse'
    const again = await buy(url, payment)
    expect([again.status, again.json.error]).toEqual([
      409,
      {
        code: 'INVALID_STATE',
        message: 'This payment has been accepted before: do not pay anew',
        status: 409,
        details: { invoiceId: id },
      },
    ])
    upstream.behaviour = 'settle and refuse'
    expect((await buy(url, payment)).status).toBe(409)
    await becomes(id, 'paid')
    await node.mine(4)
    await becomes(id, 'settled')
  })

  test('forwarded 50 times at once by two processes buys once: one invoice, one debit, one budget entry', async () => {
    const url = aResource()
    const agent = await allow(100)
    const { id, payment } = await aSignedPayment(url)
    const before = await node.balanceOf(node.wallet(1).address)
    const other = await startHere({ ROLE: 'http' })
    const headers = { 'x-api-key': app.account.v1Key, 'x-agent-id': agent, ...payment }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        fetch((n % 2 ? other.url : app.url) + through(url), { headers }),
      ),
    )
    await other.drain()
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    // Where all places are taken: 503.
    for (const status of statuses) expect([200, 409, 503]).toContain(status)
    expect(before - (await node.balanceOf(node.wallet(1).address))).toBe(10_000n)
    expect(await invoicesOf(url)).toEqual([id])
    const again = await buy(url, { ...payment, 'x-agent-id': agent })
    expect([...refused(again), idIn(again)]).toEqual([409, 'INVALID_STATE', id])
    expect(await budgetOf(agent)).toEqual({ spent: 1, reserved: 0 })
  })

  test('whose invoice is voided makes one of its own', async () => {
    const url = aResource()
    const { id, payment } = await aSignedPayment(url)
    await app.send('POST', `/api/invoices/${id}/void`)
    const paid = await buy(url, payment)
    expect(paid.status).toBe(200)
    expect(paid.headers.get('x-invoice-id')).not.toBe(id)
    expect((await invoice(id)).status).toBe('failed')
  })
})
