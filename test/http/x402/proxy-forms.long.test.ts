import { describe, expect, test } from 'bun:test'
import { drawnOnce, inspectPdf } from '../../support/pdf.ts'
import { useWorld } from '../../support/world.ts'
import { transferShown } from '../../support/x402-buyer.ts'
import { random32 } from '../../support/x402-payload.ts'
import { buyerIn, through, useServer } from '../../support/x402-proxy.ts'

/** Upstreams that use the other forms of x402, and the forms of a paid answer. */

const price = 10_000n
const resource = Buffer.from('the report\r\n')
const seen: Headers[] = []

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: { BASE_CONFIRMATIONS: '3' },
})
const { buy, invoice, becomes } = buyerIn(app)
const payTo = () => node.wallet(5).address
const upstream = useServer(answer)

/** Accepts any payment and delivers the resource. */
function answer({ url, headers }: Request): Response {
  seen.push(headers)
  const { pathname } = new URL(url)
  const isPaid = headers.has('payment-signature') || headers.has('x-payment')
  if (isPaid) return new Response(resource, { headers: { 'content-type': 'text/plain' } })
  if (pathname === '/plain') {
    const required = { price: '0.01', token: 'USDC', recipient: payTo(), network: 'base' }
    return new Response('pay', {
      status: 402,
      headers: { 'payment-required': JSON.stringify(required) },
    })
  }
  const option = {
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: `${price}`,
    asset: node.usdc,
    payTo: payTo(),
    description: 'A report\u0007about Łódź',
  }
  const others = { ...option, network: 'base-sepolia' }
  return Response.json(
    { x402Version: 1, error: 'X-PAYMENT header is required', accepts: [others, option] },
    { status: 402 },
  )
}

let made = 0
const aResource = (form: string) => `${upstream.url.origin}/${form}?n=${made++}`

async function transfer(): Promise<Record<string, string>> {
  const payer = node.wallet(1)
  const txHash = await node.transfer({ from: payer.address, to: payTo(), usdcBase: price })
  return transferShown(payer, txHash)
}

describe('the specification’s own form', () => {
  test('is invoiced, and paid with a transfer that the chain confirms', async () => {
    const url = aResource('plain')
    const unpaid = await buy(url)
    expect([unpaid.status, unpaid.json.invoice.amount]).toEqual([402, 10_000])
    const { price: asked } = JSON.parse(unpaid.headers.get('payment-required') ?? '')
    expect(asked).toBe('0.01')
    const payment = await transfer()
    const paid = await buy(url, payment)
    const { id } = unpaid.json.invoice
    expect([paid.status, paid.text, paid.headers.get('x-invoice-id')]).toEqual([
      200,
      resource.toString(),
      id,
    ])
    expect(seen.at(-1)?.get('payment-signature')).toBe(payment['payment-signature'] ?? '')
    expect(['paid', 'settled']).toContain((await invoice(id)).status)
    await node.mine(4)
    await becomes(id, 'settled')
    const again = await buy(url, payment)
    const { receiptId } = await invoice(id)
    expect([again.status, again.headers.get('x-receipt-id')]).toEqual([200, receiptId])
  })
})

describe('version 1', () => {
  test('keeps the body for its client, with the invoice beside it', async () => {
    const { status, json } = await buy(aResource('v1'))
    expect(status).toBe(402)
    expect(json.x402Version).toBe(1)
    expect(json.error).toBe('X-PAYMENT header is required')
    expect(json.accepts).toHaveLength(2)
    expect(json.invoice).toMatchObject({ amount: 10_000, description: 'A report about Łódź' })
  })

  test('is paid with X-PAYMENT, and found on chain by its authorization', async () => {
    const url = aResource('v1')
    const { id } = (await buy(url)).json.invoice
    const nonce = random32()
    const from = node.wallet(1)
    const authorization = {
      from: from.address,
      to: payTo(),
      value: `${price}`,
      validAfter: '0',
      validBefore: `${Math.floor(Date.now() / 1_000) + 60}`,
      nonce,
    }
    const payload = { signature: '0x5e', authorization }
    const payment = btoa(
      JSON.stringify({ x402Version: 1, scheme: 'exact', network: 'base', payload }),
    )
    const paid = await buy(url, { 'x-payment': payment })
    expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, id])
    // This upstream does not report the settlement.
    expect((await invoice(id)).status).toBe('sent')
    await node.transferWithAuthorization({ from, to: payTo(), usdcBase: price, reference: nonce })
    await node.mine(4)
    await becomes(id, 'settled')
  })
})

describe('with Accept: multipart/mixed', () => {
  test('the resource comes byte for byte, and the PDF of its invoice behind it', async () => {
    const url = aResource('plain')
    const { id, invoiceNumber } = (await buy(url)).json.invoice
    await drawnOnce(app, id)
    const response = await fetch(app.url + through(url), {
      headers: {
        'x-api-key': app.account.apiKey,
        accept: 'multipart/mixed, text/plain',
        ...(await transfer()),
      },
    })
    expect(response.headers.get('x-invoice-id')).toBe(id)
    expect(seen.at(-1)?.get('accept')).toBe('text/plain')
    const [, boundary = ''] =
      /^multipart\/mixed; boundary=(.+)$/.exec(response.headers.get('content-type') ?? '') ?? []
    const parts = partsOf(Buffer.from(await response.arrayBuffer()), boundary)
    expect(parts.map(({ head }) => /content-type: (.*)/.exec(head)?.[1])).toEqual([
      'text/plain',
      'application/pdf',
    ])
    expect(parts[0]?.body).toEqual(resource)
    const { isPdf, attachment } = inspectPdf(parts[1]!.body)
    expect([isPdf, attachment?.includes(invoiceNumber)]).toEqual([true, true])
  })
})

function partsOf(bytes: Buffer, boundary: string) {
  return bytes
    .toString('latin1')
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      return { head: part.slice(0, at), body: Buffer.from(part.slice(at + 4), 'latin1') }
    })
}
