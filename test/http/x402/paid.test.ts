import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { getAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { anInvoice, testWallet } from '../../support/app.ts'
import { transferCall, usdcOnBase } from '../../support/evm-node.ts'
import { evmClient } from '../../support/x402-buyer.ts'
import {
  decoded,
  demandIn,
  encoded,
  expectOneSale,
  invoicesMade,
  path,
  priceUsdcBase,
  publicUrl,
  transferPayload,
  useSeller,
} from '../../support/x402-seller.ts'

const order = { recipient: 'Ada Example', email: 'ada@example.com', amount: 2.5 }
// The operator's address with the checksum capitals that clients expect.
const wallet = getAddress(testWallet.toLowerCase())

const { app, node, ...seller } = useSeller(undefined, {
  relayed: false,
  funded: [0, 1],
  env: ({ node }) => ({
    ROLE: 'http',
    PUBLIC_URL: publicUrl,
    FACILITATOR_EVM_PRIVATE_KEY: node.wallet(8).privateKey,
  }),
})
const pay = (proof: string | object, body: object = order) => seller.pay(proof, body)
const received = () => node.balanceOf(wallet)

/** A payment as an official client makes it from the service's requirement, changed by `over`. */
async function payment(over: Record<string, unknown> = {}, index = 0): Promise<string> {
  const demand = demandIn(await app.keyless('POST', path, order))
  const required = { ...demand, accepts: [{ ...demand.accepts[0], ...over }] }
  // Without the client's spend controls, which would refuse the deliberately wrong payments.
  const client = x402Client.fromConfig({ schemes: [], spendControls: false })
  const account = privateKeyToAccount(node.wallet(index).privateKey)
  client.register('eip155:*', new ExactEvmScheme(account))
  const payload = await client.createPaymentPayload(required)
  return encoded({ ...payload, accepted: demand.accepts[0] })
}

/** The key of a signed payment: all of it is on chain. */
function keyOf(proof: string): string {
  const { from, nonce } = decoded(proof).payload.authorization
  return `base:authorization:${from.toLowerCase()}:${nonce.toLowerCase()}`
}

/** An id as an attacker may compute it, who knows the payment but no secret. */
function openId(key: string, claimedAt: Date): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16)
  bytes.writeUIntBE(claimedAt.getTime(), 0, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

describe('402', () => {
  const v1Entry = {
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: '10000',
    resource: `https://pay.test${path}`,
    description: 'One invoice',
    mimeType: 'application/json',
    asset: usdcOnBase,
    payTo: wallet,
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  }

  test('without a payment says what must be paid, in the header for clients of v2 and in the body for those of v1', async () => {
    const answer = await app.keyless('POST', path, order)
    const { status, json, headers } = answer
    expect(status).toBe(402)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED')
    const { extensions, ...demand } = demandIn(answer)
    expect(demand).toEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: 'https://pay.test/api/x402/invoice',
        description: 'One invoice',
        mimeType: 'application/json',
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '10000',
          asset: usdcOnBase,
          payTo: wallet,
          maxTimeoutSeconds: 120,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
      price: '0.01',
      token: usdcOnBase,
      recipient: wallet,
      network: 'eip155:8453',
    })
    expect(Object.keys(extensions)).toEqual(['payment-identifier', 'bazaar'])
    expect(json).toEqual({ x402Version: 1, error: 'Payment required', accepts: [v1Entry] })
    expect(PaymentRequiredV2Schema.parse(demandIn(answer))).toBeObject()
    expect(PaymentRequiredV1Schema.parse(json)).toBeObject()
    // Servers and proxies accept 8 KB.
    expect(headers.get('payment-required')?.length).toBeLessThan(6_000)
  })

  test('for a payment of too little, to somebody else, of another network or out of date, with a fresh demand', async () => {
    const before = await received()
    const proofs = [
      await payment({ amount: '9999' }),
      await payment({ payTo: node.wallet(3).address }),
      await payment({ maxTimeoutSeconds: -10 }),
      await payment({ asset: node.wallet(3).address }),
      encoded({ ...decoded(await payment()), accepted: { scheme: 'exact', network: 'eip155:1' } }),
      'not base64 !!!',
      '[]',
    ]
    for (const proof of proofs) {
      const { status, headers } = await pay(proof)
      expect(status).toBe(402)
      expect(decoded(headers.get('payment-required')).accepts).toHaveLength(1)
    }
    expect(await received()).toBe(before)
  })
})

describe('400 and 404 come before any payment', () => {
  test('and say so to browsers on other origins too', async () => {
    const { status, headers } = await pay('e30=', { amount: -1 })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, '*'])
    expect(headers.get('access-control-expose-headers')).toContain('X-Request-Id')
  })

  test('for what could not be delivered', async () => {
    const proof = await payment()
    expect((await pay(proof, { amount: -1 })).json.error.code).toBe('INVALID_AMOUNT')
    expect((await pay(proof, { currency: 'XXX' })).json.error.code).toBe('INVALID_REQUEST')
    expect((await pay(proof, { email: 5 })).json.error.code).toBe('INVALID_REQUEST')
    expect((await pay(proof, '{' as never)).json.error.code).toBe('INVALID_REQUEST')
    const unknown = { invoice_id: '01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21' }
    const settling = { 'payment-signature': proof }
    expect((await app.keyless('POST', '/api/x402/settle', unknown, settling)).status).toBe(404)
    expect((await app.keyless('GET', '/api/x402/settle', undefined, settling)).status).toBe(400)
    const inBody = { amount: -1, x_payment: proof }
    expect((await app.keyless('POST', path, inBody)).json.error.code).toBe('INVALID_AMOUNT')
    expect((await pay(proof)).status).toBe(200)
  })
})

describe('200', () => {
  test('the unmodified official client pays, and gets its invoice and a receipt', async () => {
    const before = await received()
    const paying = wrapFetchWithPayment(fetch, evmClient(node.wallet(0)))
    const response = await paying(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    expect(response.status).toBe(200)
    expect(decoded(response.headers.get('payment-response'))).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: 'eip155:8453',
      payer: node.wallet(0).address.toLowerCase(),
    })
    expect(await response.json()).toMatchObject({
      success: true,
      capability: 'invoice',
      result: { status: 'PENDING', amount: 2.5, buyer: { companyName: 'Ada Example' } },
    })
    expect((await received()) - before).toBe(priceUsdcBase)
  })

  test('five copies at once are one payment and one invoice; later the first answer is repeated', async () => {
    const before = { money: await received(), invoices: await invoicesMade(app) }
    const proof = await payment()
    await expectOneSale(() => pay(proof))
    expect(await invoicesMade(app)).toBe(before.invoices + 1)
    expect((await received()) - before.money).toBe(priceUsdcBase)
  })

  /** Loses the answers that were stored, with their idempotency keys. */
  async function forgotten(): Promise<void> {
    await app.database.sql`update x402_payments set status = null, body = null`
    await app.database.sql`delete from idempotency_keys`
  }

  test('a delivery whose answer was lost is the same invoice again, days after its idempotency key is forgotten, and for all who ask at once', async () => {
    const proof = await payment()
    const first = await pay(proof)
    expect(first.status).toBe(200)
    const made = await invoicesMade(app)
    await forgotten()
    const again = await Promise.all([pay(proof), pay(proof), pay(proof)])
    expect(again.map(({ status, text }) => [status, text])).toEqual(
      again.map(() => [200, first.text]),
    )
    expect(await invoicesMade(app)).toBe(made)
  })

  test('one that was begun before the invoice was made is made once by all who ask at once', async () => {
    const proof = await payment()
    const first = await pay(proof)
    const id = first.json.result.id
    await forgotten()
    await app.database.sql`delete from invoices where id = ${id}`
    const made = await invoicesMade(app)
    const answers = await Promise.all([pay(proof), pay(proof), pay(proof)])
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
    expect((await pay(proof)).json.result.id).toBe(id)
    expect(await invoicesMade(app)).toBe(made + 1)
  })

  test('the id of an invoice cannot be computed from the payment that bought it, which is public', async () => {
    const proof = await payment()
    const { status, json } = await pay(proof)
    expect(status).toBe(200)
    const aroundMs = Array.from({ length: 20_001 }, (_, n) => Date.now() - 10_000 + n)
    const guesses = aroundMs.map((ms) => openId(keyOf(proof), new Date(ms)))
    const ofThatMoment = guesses.filter((id) => id.slice(0, 13) === json.result.id.slice(0, 13))
    expect(ofThatMoment).toHaveLength(1)
    expect(ofThatMoment).not.toContain(json.result.id)
  })

  test('the same payment for the same order is answered as before, however both are written', async () => {
    const proof = await payment()
    const first = await pay(proof)
    const { payload, ...rest } = decoded(proof)
    const lower = ([name, value]: [string, string]) => [name, value.toLowerCase()]
    const authorization = Object.fromEntries(
      Object.entries<string>(payload.authorization).reverse().map(lower),
    )
    const { signature } = payload
    const rewritten = { payload: { signature, authorization }, note: 'again', ...rest }
    const { email, recipient, amount } = order
    const again = await pay(encoded(rewritten), { email, amount, note: 'again', recipient })
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    const v1 = { x402Version: 1, scheme: 'exact', network: 'base', payload }
    const byHeader = await app.keyless('POST', path, order, { 'x-payment': encoded(v1) })
    expect([byHeader.status, byHeader.text]).toEqual([200, first.text])
  })

  test('a payment that has bought something buys nothing else', async () => {
    const proof = await payment()
    expect((await pay(proof)).status).toBe(200)
    const { status, json } = await pay(proof, { ...order, amount: 3 })
    expect([status, json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
  })

  test('x_payment in the body, an object, its JSON or base64 of that, and X-PAYMENT of version 1, are payments too', async () => {
    for (const spelt of [decoded, (proof: string) => JSON.stringify(decoded(proof)), String]) {
      const x_payment = spelt(await payment())
      expect((await app.keyless('POST', path, { ...order, x_payment })).status).toBe(200)
    }
    const { payload } = decoded(await payment())
    const v1 = encoded({ x402Version: 1, scheme: 'exact', network: 'base', payload })
    expect((await app.keyless('POST', path, order, { 'x-payment': v1 })).status).toBe(200)
  })

  test('the settlement state of any invoice is sold', async () => {
    const invoiceId = await anInvoice(app)
    const headers = { 'payment-signature': await payment({ amount: '5000' }) }
    const wanted = { invoice_id: invoiceId }
    const { json } = await app.keyless('POST', '/api/x402/settle', wanted, headers)
    expect(json).toEqual({
      success: true,
      capability: 'settle',
      result: { invoiceId, status: 'PENDING', settled: false, txHash: null },
    })
  })
})

describe('a transfer that was made already', () => {
  const payer = () => node.wallet(1)
  const proofOf = (txHash: string, signer = 1) =>
    transferPayload(txHash, payer(), node.wallet(signer))

  async function transferProof(over: { usdcBase?: bigint; signer?: number; to?: string } = {}) {
    const { usdcBase = priceUsdcBase, signer = 1, to = wallet } = over
    const txHash = await node.transfer({ from: payer().address, to, usdcBase })
    return proofOf(txHash, signer)
  }

  test('buys once, raw or in base64, and again answers the same', async () => {
    const proof = await transferProof()
    const first = await pay(proof)
    expect(first.status).toBe(200)
    expect((await pay(encoded(proof))).text).toBe(first.text)
    expect((await pay(encoded(proof), { amount: 7 })).status).toBe(409)
  })

  test('buys nothing in another token, whatever that calls itself', async () => {
    const token = getAddress(`0x${'fa'.repeat(20)}`)
    const { address: from } = payer()
    await node.installFakeUsdc(token, from, priceUsdcBase)
    const txHash = await node.transfer({ from, to: wallet, usdcBase: priceUsdcBase, token })
    expect((await pay(await proofOf(txHash))).status).toBe(402)
  })

  test('buys nothing when it failed, is too little, to somebody else, or not signed by its payer', async () => {
    const to = node.wallet(3).address
    for (const over of [{ usdcBase: 10n ** 17n }, { usdcBase: 9_999n }, { to }, { signer: 0 }])
      expect((await pay(await transferProof(over))).status).toBe(402)
  })

  test('is pending while no node has it in a block, and buys once one has', async () => {
    await node.rpc('evm_setAutomine', [false])
    const data = transferCall({ to: wallet, usdcBase: priceUsdcBase })
    const txHash = await node.submit({ from: payer().address, to: node.usdc, data })
    const proof = await proofOf(txHash)
    const early = await pay(proof)
    await node.rpc('evm_setAutomine', [true])
    await node.mine(1)
    expect([early.status, early.headers.get('retry-after')]).toEqual([202, '5'])
    expect(early.json).toMatchObject({ status: 'settlement_pending', network: 'base', txHash })
    expect((await pay(proof)).status).toBe(200)
  })

  test('whose statement is not signed is refused with the statement that is to be signed', async () => {
    const proof = await transferProof({ signer: 0 })
    const message = (await pay(proof)).json.error
    const statement = JSON.parse(message.slice(message.indexOf('"')))
    const signer = privateKeyToAccount(payer().privateKey)
    const signature = await signer.signMessage({ message: statement })
    expect((await pay({ ...proof, signature })).status).toBe(200)
  })

  test('is no second payment when it is how a signed payment was settled', async () => {
    const paid = await pay(await payment({}, 1))
    const { transaction } = decoded(paid.headers.get('payment-response'))
    expect((await pay(await proofOf(transaction))).status).toBe(409)
  })
})

test('a browser of another origin may send payments', async () => {
  const asked = { 'access-control-request-method': 'POST', origin: 'https://shop.test' }
  const { status, headers } = await app.keyless('OPTIONS', path, undefined, asked)
  expect(status).toBe(204)
  const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  // The headers that official clients of x402 versions 2 and 1 send with a payment.
  for (const name of ['payment-signature', 'x-payment', 'access-control-expose-headers'])
    expect(allowed).toContain(name)
})

test('what is sold can be discovered', async () => {
  const { json } = await app.keyless('GET', '/.well-known/x402')
  expect(json.resources).toEqual([
    'https://pay.test/api/x402/invoice',
    'https://pay.test/api/x402/settle',
  ])
})

describe('a client of version 1', () => {
  test('pays the plain URL by the body, and its receipt uses the names of version 1', async () => {
    const account = privateKeyToAccount(node.wallet(0).privateKey)
    const client = new x402Client().registerV1('base', new ExactEvmSchemeV1(account))
    // Clients of version 1 only do not know the header, which those of both prefer.
    const fetchBody = async (...request: Parameters<typeof fetch>) => {
      const { status, headers, body } = await fetch(...request)
      const known = new Headers(headers)
      known.delete('payment-required')
      return new Response(body, { status, headers: known })
    }
    const response = await wrapFetchWithPayment(fetchBody as typeof fetch, client)(app.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    expect(response.status).toBe(200)
    const receipt = (name: string) => decoded(response.headers.get(name))
    expect(receipt('x-payment-response')).toMatchObject({ success: true, network: 'base' })
    expect(receipt('payment-response')).toMatchObject({ success: true, network: 'eip155:8453' })
  })

  test('buys by GET what needs no body', async () => {
    const { payload } = decoded(await payment())
    const v1 = encoded({ x402Version: 1, scheme: 'exact', network: 'base', payload })
    const bought = await app.keyless('GET', path, undefined, { 'x-payment': v1 })
    expect([bought.status, bought.json.result.amount]).toEqual([200, 0.01])
  })

  test('402 says so where its x402Version is not what its header means, and the payment stays good', async () => {
    const proof = await payment()
    const { payload } = decoded(proof)
    const v1 = encoded({ x402Version: 1, scheme: 'exact', network: 'base', payload })
    for (const headers of [{ 'payment-signature': v1 }, { 'x-payment': proof }]) {
      const { status, json } = await app.keyless('POST', path, order, headers)
      expect([status, json.error]).toEqual([402, expect.stringContaining('another x402Version')])
    }
    expect((await pay(proof)).status).toBe(200)
  })
})

test('a payment that the service has no coin to settle is refused at once, and buys once there is', async () => {
  const { address } = node.wallet(8)
  const balance = await node.rpc<string>('eth_getBalance', [address, 'latest'])
  await node.rpc('anvil_setBalance', [address, '0x0'])
  const proof = await payment()
  const { status, json } = await pay(proof)
  expect([status, json.error]).toEqual([402, 'settlement_unavailable'])
  await node.rpc('anvil_setBalance', [address, balance])
  expect((await pay(proof)).status).toBe(200)
})

test('a settlement that is reorganised away has still bought what it bought, and buys nothing else', async () => {
  const proof = await payment()
  const before = await received()
  const first = await pay(proof)
  expect(first.status).toBe(200)
  await node.reorg(1)
  expect(await received()).toBe(before)
  expect((await pay(proof)).text).toBe(first.text)
  expect((await pay(proof, { ...order, amount: 3 })).status).toBe(409)
  expect((await pay(await payment())).status).toBe(200)
})
