import { expect } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wrapAxiosWithPayment } from '@x402/axios'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server'
import * as onExpress from '@x402/express'
import { extractDiscoveryInfo, validateDiscoveryExtension } from '@x402/extensions/bazaar'
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  extractPaymentIdentifier,
  generatePaymentId,
  isPaymentIdentifierExtension,
} from '@x402/extensions/payment-identifier'
import {
  decodePaymentResponseHeader,
  wrapFetchWithPayment,
  x402Client,
  x402HTTPClient,
} from '@x402/fetch'
import * as onHono from '@x402/hono'
import axios from 'axios'
import express from 'express'
import { Hono } from 'hono'
import { assets } from 'mppx/evm'
import { evm, Mppx, tempo } from 'mppx/server'
import { privateKeyToAccount } from 'viem/accounts'
import { withPaymentInterceptor } from 'x402-axios'
import { createSigner, wrapFetchWithPayment as wrapFetchV1 } from 'x402-fetch'
import { refused } from '../support/app.ts'
import { blocksOf, printed } from '../support/documentation.ts'
import { useWorld } from '../support/world.ts'
import { through } from '../support/x402-proxy.ts'
import { officialFacilitator } from '../support/x402-upstream.ts'
import { sectionOf } from './report.ts'

/** x402 buyers and sellers that others wrote trade with the service. */

const { tries, writes } = sectionOf('Clients and servers of x402')
const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: ({ node }) => ({
    BASE_WALLET: node.wallet(2).address,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(3).privateKey,
  }),
})

const order = { recipient: 'Agent B', amount: 12.5 }
const price = 10_000n
const base = 'eip155:8453'
const plain = () => `${app.url}/api/x402/invoice`
const asJson = { 'content-type': 'application/json' }
const post = { method: 'POST', headers: asJson, body: JSON.stringify(order) }

function payer() {
  const signer = new ExactEvmScheme(privateKeyToAccount(node.wallet(1).privateKey))
  return new x402Client().register('eip155:*', signer)
}

/** That the wallet with this index gets the price, once, by `pay`; answers what it answers. */
async function expectPaid<Answer>(index: number, pay: () => Promise<Answer>): Promise<Answer> {
  const { address } = node.wallet(index)
  const before = await node.balanceOf(address)
  const answer = await pay()
  expect((await node.balanceOf(address)) - before).toBe(price)
  return answer
}

const buyers = {
  async 'x402-fetch'() {
    const signer = await createSigner('base', node.wallet(1).privateKey)
    const answer = await wrapFetchV1(fetch, signer)(plain(), post)
    return { status: answer.status, body: await answer.json() }
  },
  async 'x402-axios'() {
    const signer = await createSigner('base', node.wallet(1).privateKey)
    const { status, data } = await withPaymentInterceptor(axios.create(), signer).post(
      plain(),
      order,
    )
    return { status, body: data }
  },
  async '@x402/fetch'() {
    const answer = await wrapFetchWithPayment(fetch, payer())(plain(), post)
    return { status: answer.status, body: await answer.json() }
  },
  async '@x402/axios'() {
    const { status, data } = await wrapAxiosWithPayment(axios.create(), payer() as never).post(
      plain(),
      order,
    )
    return { status, body: data }
  },
}

for (const [name, buy] of Object.entries(buyers))
  tries('C4', name, 'buys an invoice at the plain URL, and pays once', async () => {
    const { status, body } = await expectPaid(2, buy)
    expect({ status, body }).toMatchObject({ status: 200, body: { success: true } })
    expect((await app.keyless('GET', `/pay/${body.result.id}`)).status).toBe(200)
  })

for (const [name, place] of [
  ['@x402/fetch', 1],
  ['x402-fetch', 2],
] as const)
  tries('C4', name, 'runs the example of the quickstart for agents', async () => {
    const program = (await blocksOf('docs/quickstart-agent.md', 'ts'))[place] ?? ''
    expect(program).toContain(`from '${name}'`)
    const env = { QUITTANCE_URL: app.url, PAYER_PRIVATE_KEY: node.wallet(1).privateKey }
    const run = () => printed([process.execPath, '-'], program, env, import.meta.dir)
    expect(await expectPaid(2, run)).toMatch(/^200 [0-9a-f-]{36}\n$/)
  })

tries('C5', '@x402/extensions', 'finds our `bazaar` declaration valid', async () => {
  const { required } = await demanded()
  const { bazaar } = required.extensions as { bazaar: never }
  expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
  const payload = await payer().createPaymentPayload(required)
  const info = extractDiscoveryInfo(payload, required.accepts[0] as never)
  expect(info).toMatchObject({ resourceUrl: plain(), method: 'POST' })
})

tries(
  'C6',
  '@x402/extensions',
  'one `payment-identifier` buys once, however often it signs',
  async () => {
    const { required, http } = await demanded()
    expect(isPaymentIdentifierExtension(required.extensions?.['payment-identifier'])).toBe(true)
    const id = generatePaymentId()
    const extensions = appendPaymentIdentifierToExtensions({ ...required.extensions }, id)
    const buy = async (body: object) => {
      const payload = await payer().createPaymentPayload({ ...required, extensions })
      return app.keyless(
        'POST',
        '/api/x402/invoice',
        body,
        http.encodePaymentSignatureHeader(payload),
      )
    }
    const first = await expectPaid(2, () => buy(order))
    expect(first.status).toBe(200)
    expect((await buy(order)).json).toEqual(first.json)
    expect(refused(await buy({ ...order, amount: 13 }))).toEqual([409, 'PAYMENT_REUSED'])
  },
)

/** What they sell is the payment's identifier. */
const sellers = {
  '@x402/express': async () => {
    const shop = express()
    shop.use(onExpress.paymentMiddleware(routes(), shopOf(onExpress.x402ResourceServer)))
    shop.get('/report', (request, response) => {
      response.json(identifierIn(request.get('payment-signature')))
    })
    const server = createServer(shop)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/report`, stop: () => void server.close() }
  },
  '@x402/hono': async () => {
    const shop = new Hono()
    shop.use(onHono.paymentMiddleware(routes(), shopOf(onHono.x402ResourceServer)))
    shop.get('/report', (context) => {
      return context.json(identifierIn(context.req.header('payment-signature')))
    })
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: shop.fetch })
    return { url: `${server.url.origin}/report`, stop: () => void server.stop(true) }
  },
}

for (const [name, open] of Object.entries(sellers))
  tries(
    'C9',
    name,
    'sells through our proxy, is paid once, reads the payer’s `payment-identifier`',
    async () => {
      const seller = await open()
      try {
        const id = generatePaymentId()
        const client = payer().onBeforePaymentCreation(async ({ paymentRequired }) => {
          appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {}, id)
        })
        const buy = wrapFetchWithPayment(fetch, client)
        const headers = { 'x-api-key': app.account.v1Key }
        const answer = await expectPaid(5, () => buy(app.url + through(seller.url), { headers }))
        expect([answer.status, await answer.json()]).toEqual([200, { id }])
        const settled = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
        expect(settled).toMatchObject({ success: true, network: base })
      } finally {
        seller.stop()
      }
    },
  )

tries('C9', 'mppx', 'sells by x402 through our proxy, and is paid once', async () => {
  const { address: recipient } = node.wallet(5)
  const x402 = { facilitator: facilitatorHere() as never }
  const seller = offeredBy(evm({ currency: assets.base.USDC, recipient, x402 }))
  const headers = { 'x-api-key': app.account.v1Key }
  expect((await fetch(seller.url)).headers.get('www-authenticate')).toStartWith('Payment ')
  const unpaid = await fetch(app.url + through(seller.url.href), { headers })
  // Its own client would answer with our key.
  expect([unpaid.status, unpaid.headers.get('www-authenticate')]).toEqual([402, null])
  const buy = wrapFetchWithPayment(fetch, payer())
  const answer = await expectPaid(5, () => buy(app.url + through(seller.url.href), { headers }))
  expect([answer.status, await answer.text()]).toEqual([200, 'the report'])
  await seller.stop(true)
})

tries('C9', 'mppx', 'sells by MPP alone: 502, which names its offer', async () => {
  const { address: recipient } = node.wallet(5)
  const currency = '0x20c0000000000000000000000000000000000000'
  const seller = offeredBy([tempo.charge({ currency, recipient })])
  const refusal = await app.send('GET', through(seller.url.href))
  expect(refused(refusal)).toEqual([502, 'UPSTREAM_UNSUPPORTED'])
  const offered = { method: 'tempo', intent: 'charge', amount: '10000', currency }
  expect(refusal.json.error.details.offered).toEqual([{ ...offered, unsupported: ['scheme'] }])
  expect(refusal.headers.get('www-authenticate')).toStartWith('Payment ')
  await seller.stop(true)
})

writes()

/** Sells a report for 0.01 by what it is paid with. */
function offeredBy(methods: Parameters<typeof Mppx.create>[0]['methods']) {
  const mppx = Mppx.create({ methods, secretKey: 'ab'.repeat(32) })
  const { charge } = mppx as unknown as {
    charge(price: { amount: string }): (request: Request) => Promise<Charged>
  }
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const charged = await charge({ amount: '0.01' })(request)
      if (charged.status === 402) return charged.challenge
      return charged.withReceipt(new Response('the report'))
    },
  })
}

type Charged =
  | { readonly status: 402; readonly challenge: Response }
  | { readonly status: 200; withReceipt(response: Response): Response }

/** What the service asks for the order, as the official client reads it. */
async function demanded() {
  const { headers } = await app.keyless('POST', '/api/x402/invoice', order)
  const http = new x402HTTPClient(payer())
  return { http, required: http.getPaymentRequiredResponse((name) => headers.get(name)) }
}

function routes() {
  const { address: payTo } = node.wallet(5)
  const accepts = { scheme: 'exact', price: '$0.01', network: base, payTo } as const
  const extensions = { 'payment-identifier': declarePaymentIdentifierExtension() }
  return { 'GET /report': { accepts, extensions, description: 'A report' } }
}

function identifierIn(header = '') {
  return { id: extractPaymentIdentifier(decodePaymentSignatureHeader(header)) }
}

function shopOf<Server extends { register(network: typeof base, scheme: ServerScheme): Server }>(
  ResourceServer: new (facilitator: never) => Server,
): Server {
  return new ResourceServer(facilitatorHere() as never).register(base, new ServerScheme())
}

function facilitatorHere() {
  const facilitator = officialFacilitator(node)
  return {
    verify: (...payment: Parameters<typeof facilitator.verify>) => facilitator.verify(...payment),
    settle: (...payment: Parameters<typeof facilitator.settle>) => facilitator.settle(...payment),
    getSupported: async () => facilitator.getSupported(),
  }
}
