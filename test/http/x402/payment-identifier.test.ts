import { expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { testWallet } from '../../support/app.ts'
import { validatorOf } from '../../support/mcp.ts'
import { signedOrder } from '../../support/x402-buyer.ts'
import {
  decoded,
  demandIn,
  encoded,
  expectOneSale,
  invoicesMade,
  path,
  priceUsdcBase,
  useSeller,
} from '../../support/x402-seller.ts'

const order = { recipient: 'Ada Example', amount: 2.5 }
const wallet = getAddress(testWallet.toLowerCase())
const { app, node, ...seller } = useSeller(undefined, { relayed: false, funded: [0, 1] })
const pay = (proof: string, body: object = order) => seller.pay(proof, body)
const received = () => node.balanceOf(wallet)

const idOf = () => `pay_${crypto.randomUUID().replaceAll('-', '')}`

/** A payment of its own nonce, with this identifier. */
async function named(id: unknown, index = 0): Promise<string> {
  const demand = demandIn(await app.keyless('POST', path, order))
  const { payment: made } = await signedOrder(node.wallet(index), demand)
  const extension = { info: { required: false, id } }
  const extensions = { ...made.extensions, 'payment-identifier': extension }
  return encoded({ ...made, extensions })
}

test('payment-identifier is advertised, and a client that only repeats the offer pays as ever', async () => {
  const { extensions } = demandIn(await app.keyless('POST', path, order))
  const { info, schema } = extensions['payment-identifier']
  const { $schema: _, ...known } = schema
  expect(validatorOf(known)(info).valid).toBe(true)
  const made = (await signedOrder(node.wallet(0), demandIn(await app.keyless('POST', path, order))))
    .payment
  expect((await pay(encoded({ ...made, extensions }))).status).toBe(200)
})

test('a repeat with the same identifier of the order gets the first answer whatever it signs next, and pays nothing', async () => {
  const before = { money: await received(), invoices: await invoicesMade(app) }
  const id = idOf()
  const first = await pay(await named(id))
  const again = await pay(await named(id))
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  const transactionOf = ({ headers }: typeof first) =>
    decoded(headers.get('payment-response')).transaction
  expect(transactionOf(again)).toBe(transactionOf(first))
  expect((await received()) - before.money).toBe(priceUsdcBase)
  expect(await invoicesMade(app)).toBe(before.invoices + 1)
})

test('five payments with one identifier at once are one sale', async () => {
  const before = { money: await received(), invoices: await invoicesMade(app) }
  const id = idOf()
  const proofs: string[] = []
  for (let n = 0; n < 6; n++) proofs.push(await named(id))
  await expectOneSale(() => pay(proofs.pop() ?? ''))
  expect((await received()) - before.money).toBe(priceUsdcBase)
  expect(await invoicesMade(app)).toBe(before.invoices + 1)
})

test('an identifier with another order is 409 PAYMENT_REUSED, and nothing is paid', async () => {
  const id = idOf()
  expect((await pay(await named(id))).status).toBe(200)
  const before = await received()
  const proof = await named(id)
  const { status, json } = await pay(proof, { ...order, amount: 3 })
  expect([status, json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
  expect(await received()).toBe(before)
})

test('an identifier gives what was bought to nobody who cannot sign for its payer', async () => {
  const id = idOf()
  expect((await pay(await named(id))).status).toBe(200)
  const before = await received()
  const made = decoded(await named(id))
  const forged = { ...made.payload, signature: `0x${'11'.repeat(65)}` }
  const { status, text } = await pay(encoded({ ...made, payload: forged }))
  expect([status, text.includes('"result"')]).toEqual([402, false])
  expect(await received()).toBe(before)
})

test('a HEAD settles no payment, as its answer has no body', async () => {
  const before = await received()
  const proof = await named(idOf())
  const headers = { 'payment-signature': proof }
  const response = await fetch(app.url + path, { method: 'HEAD', headers })
  expect(response.status).toBe(402)
  expect(await received()).toBe(before)
})

test('an identifier is its payer’s own: another payer with the same one buys for itself', async () => {
  const id = idOf()
  const [one, other] = [await pay(await named(id)), await pay(await named(id, 1))]
  expect([one.status, other.status]).toEqual([200, 200])
  expect(other.json.result.id).not.toBe(one.json.result.id)
})

test.each([5, '', 'too-short', 'x'.repeat(129), 'sixteen letters!', {}])(
  'the malformed %p is 400 before anything is claimed',
  async (id) => {
    const claims = async () => (await app.database.sql`select from x402_payments`).length
    const before = { money: await received(), claims: await claims() }
    const { status, json } = await pay(await named(id))
    expect([status, json.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(json.error.message).toContain('16 to 128 letters')
    expect({ money: await received(), claims: await claims() }).toEqual(before)
  },
)
