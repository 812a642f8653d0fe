import { expect, test } from 'bun:test'
import { toHex } from 'viem'
import { settledByWorker } from '../../support/purchase-worker.ts'
import { useWorld } from '../../support/world.ts'
import { buyerIn, option as onBase, useServer } from '../../support/x402-proxy.ts'

/** The payer is read from the chain, whatever the upstream says of it. */

/** The payer that the upstream reports; undefined: none. */
let payer: string | undefined

const { app, node, relay } = useWorld({
  chains: ['base'],
  relayed: true,
  funded: [1],
  env: { ROLE: 'http' },
})
const { buy, invoice } = buyerIn(app)
const upstream = useServer(answer)

function option() {
  const payTo = node.wallet(5).address
  return { ...onBase, payTo, description: 'Half a \ud800 character' }
}

/** Settles the payment with wallet 1, whatever its signature. */
async function answer({ headers }: Request): Promise<Response> {
  const payment = headers.get('payment-signature')
  if (payment === null)
    return Response.json({ x402Version: 2, accepts: [option()] }, { status: 402 })
  const { to, nonce: reference } = JSON.parse(atob(payment)).payload.authorization
  const from = node.wallet(1)
  const transaction = await node.transferWithAuthorization({
    ...{ from, to, usdcBase: 10_000n, reference },
  })
  const settled = JSON.stringify({ success: true, transaction, payer })
  return new Response('the report', { headers: { 'payment-response': btoa(settled) } })
}

let made = 0

/** Buys a new resource and answers the id of its invoice. */
async function bought(): Promise<string> {
  const n = made++
  const url = `${upstream.url.href}?n=${n}`
  const { headers } = await buy(url)
  const authorization = {
    ...{ from: node.wallet(1).address, to: node.wallet(5).address, value: '10000' },
    ...{ validAfter: '0', validBefore: '99999999999', nonce: toHex(made, { size: 32 }) },
  }
  const payload = { signature: '0x5e', authorization }
  const payment = { x402Version: 2, accepted: option(), payload }
  const paid = await buy(url, {
    'payment-signature': btoa(JSON.stringify(payment).replaceAll('\\ud800', '')),
  })
  expect([paid.status, paid.text]).toEqual([200, 'the report'])
  return headers.get('x-invoice-id') ?? ''
}

const told = {
  nobody: undefined,
  'a text that ends another': 'a"b\\',
  'half a character': '\ud800',
  'what separates rows': '\u001e',
  'what no text of a database holds': '\u0000',
  'somebody else': `0x${'99'.repeat(20)}`,
}

test.each(Object.entries(told))('the upstream says that %s has paid', async (_, said) => {
  payer = said
  const ids = [await bought(), await bought()]
  for (const id of ids) {
    await settledByWorker(app, node, id)
    const { json } = await app.send('GET', `/v1/invoices/${id}`)
    expect(json.data.paymentDetails.from).toBe(node.wallet(1).address.toLowerCase())
    expect((await app.send('GET', `/api/invoices/${id}/timeline`)).status).toBe(200)
  }
  const { receiptId } = await invoice(ids[0] ?? null)
  const receipt = (await app.send('GET', `/v1/receipts/${receiptId}`)).json
  expect(JSON.stringify(receipt)).toContain(node.wallet(1).address.toLowerCase())
})

test('the timeline names no time of a payment where a node’s logs do not tell it', async () => {
  relay.edit((answer, method) => {
    if (method !== 'eth_getTransactionReceipt' || !answer.result) return answer
    const { logs, ...receipt } = answer.result as { logs: readonly object[] }
    const untimed = logs.map((log) => ({ ...log, blockTimestamp: undefined }))
    return { ...answer, result: { ...receipt, logs: untimed } }
  })
  const id = await bought()
  await settledByWorker(app, node, id, relay.url)
  const { transfers } = (await app.send('GET', `/api/invoices/${id}/timeline`)).json
  expect(transfers).toMatchObject([{ confirmed: true }])
  expect(transfers[0]).not.toHaveProperty('blockTime')
  relay.behave()
})

test('a demand with half a character in it leaves the search of invoices as it is', async () => {
  await buy(upstream.url.href)
  const { status, json } = await app.send('GET', '/api/invoices?search=ada')
  expect([status, json.total]).toEqual([200, 0])
  const [made] = (await app.send('GET', '/v1/invoices')).json.data
  expect(made.description).toBe('Half a \ufffd character')
})
