import { expect, test } from 'bun:test'
import { type Answer, anInvoice, type TestApp, testApp } from '../../support/app.ts'
import { aTxHash } from '../../support/claims.ts'
import { drawnOnce } from '../../support/pdf.ts'
import { useWorld } from '../../support/world.ts'
import { buyerIn, useServer } from '../../support/x402-proxy.ts'
import { demandIn } from '../../support/x402-seller.ts'

/**
 * The service's own URL: `PUBLIC_URL`, normalised. With `PORT=0` and no `PUBLIC_URL`, the address
 * it reports to listen on.
 */

const { app, node } = useWorld({ chains: ['base'], env: { ROLE: 'http' } })
const recipient = () => node.wallet(5).address
const upstream = useServer(({ headers }) => {
  if (headers.has('payment-signature')) return new Response('the report')
  const required = { price: '0.01', token: 'USDC', recipient: recipient(), network: 'base' }
  return new Response('', {
    status: 402,
    headers: { 'payment-required': JSON.stringify(required) },
  })
})

const paths = ['/api/x402/invoice', '/api/x402/settle']

test('what is sold is found at its advertised URL', async () => {
  const { json } = await app.keyless('GET', '/.well-known/x402')
  expect(json.resources).toEqual(paths.map((path) => app.url + path))
  const orders = [{}, { invoice_id: await anInvoice(app) }]
  for (const [index, url] of json.resources.entries()) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(orders[index]),
    })
    const { resource } = demandIn(response)
    expect([response.status, resource.url]).toEqual([402, url])
  }
})

/** Buys an upstream's resource through the proxy of a service. */
async function bought(by: TestApp): Promise<Answer> {
  const { buy } = buyerIn(by)
  await buy(upstream.url.href)
  const payment = { txHash: aTxHash(), signature: '0x5e', payer: recipient() }
  return buy(upstream.url.href, { 'payment-signature': JSON.stringify(payment) })
}

function documentOf({ headers }: Answer): string {
  const [, link = ''] = /^<(.*)>; rel="invoice"$/.exec(headers.get('link') ?? '') ?? []
  return link
}

test('the document of a purchase is found at its advertised URL', async () => {
  const answer = await bought(app)
  const id = answer.headers.get('x-invoice-id') ?? ''
  expect(answer.text).toBe('the report')
  await drawnOnce(app, id)
  const link = documentOf(answer)
  expect(link).toBe(`${app.url}/api/invoices/${id}/pdf`)
  const pdf = await fetch(link, { headers: { 'x-api-key': app.account.v1Key } })
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
})

test('what is bought comes with its document in letters that a header takes, whatever the service is called', async () => {
  const other = await testApp({
    ROLE: 'http',
    BASE_RPC_URL: node.url,
    PUBLIC_URL: 'https://żółw.example/sklep z żółwiami/',
  })
  const answer = await bought(other)
  await other.stop()
  expect([answer.status, answer.text]).toEqual([200, 'the report'])
  expect(documentOf(answer)).toBe(
    `https://xn--w-uga1v8h.example/sklep%20z%20%C5%BC%C3%B3%C5%82wiami/api/invoices/${answer.headers.get('x-invoice-id')}/pdf`,
  )
})
