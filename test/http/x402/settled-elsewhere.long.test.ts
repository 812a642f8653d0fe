import { afterEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { anInvoice, type TestApp, testApp } from '../../support/app.ts'
import { noticed } from '../../support/claims.ts'
import { lost, type SettleRequest, useFacilitator } from '../../support/facilitator.ts'
import { perCall } from '../../support/rpc-faults.ts'
import { useWorld } from '../../support/world.ts'
import { permittedBy } from '../../support/x402-buyer.ts'
import { sellerIn, settledBy } from '../../support/x402-seller.ts'

/**
 * Payments that somebody else settles: the watcher has recorded and confirmed them before the
 * seller learns of it.
 */

const facilitator = useFacilitator()
const world = useWorld({ chains: ['base'], relayed: true, funded: [1], service: 'none' })
const { node, relay } = world
let app: TestApp
const { signed, bring } = sellerIn({
  node,
  get app() {
    return app
  },
})

afterEach(() => app.stop())

/**
 * Starts the whole service with its watcher, which confirms after one block. It does not read what
 * was bought before: a payment within the second before an invoice may be for that.
 */
async function start(settling: Record<string, string>): Promise<void> {
  const newest = Number(await node.rpc('eth_blockNumber'))
  app = await testApp({
    BASE_RPC_URL: relay.url,
    BASE_POLL_MS: '50',
    BASE_CONFIRMATIONS: '1',
    BASE_START_BLOCK: `${newest + 1}`,
    ...settling,
  })
}

const elsewhere = () => start(settledBy(facilitator.url))

/** Creates an invoice over the price of an order. Answers a function that reads its status. */
async function dueInvoice(): Promise<() => Promise<string>> {
  const id = await anInvoice(app, { amount: '0.01', chain: 'base' })
  return async () => (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
}

/** A payment's settlement as calldata for the token. */
function callOf(payment: SettleRequest): Promise<Hex> {
  return node.signedAuthorization(permittedBy(node.wallet(1), payment))
}

test('what a facilitator elsewhere settles pays no invoice of its amount, however late its answer comes', async () => {
  await elsewhere()
  const status = await dueInvoice()
  facilitator.settle = async (payment) => {
    const transaction = await bring(payment)
    await noticed(app.database.sql, transaction)
    const about = { transaction, network: 'eip155:8453', payer: node.wallet(1).address }
    return Response.json({ success: true, ...about })
  }
  const { pay } = await signed()
  expect((await pay()).status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('nor does it if the answer is lost: the chain is asked, and what was bought is delivered', async () => {
  await elsewhere()
  const status = await dueInvoice()
  facilitator.settle = async (payment) => {
    await noticed(app.database.sql, await bring(payment))
    return lost()
  }
  const { pay } = await signed()
  expect((await pay()).status).toBeOneOf([200, 202])
  expect((await pay()).status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('nor does what a third party brings on chain before the seller does', async () => {
  await start(settledBy(node.wallet(8)))
  const status = await dueInvoice()
  const { payment, pay } = await signed()
  relay.misbehave(
    perCall(async (call, ask) => {
      if (call.method === 'eth_sendRawTransaction')
        await noticed(app.database.sql, await bring(payment))
      return ask(call)
    }),
  )
  const delivered = await pay()
  relay.behave()
  expect(delivered.status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('payments that a facilitator settles by one transaction buy what each was signed for', async () => {
  await elsewhere()
  const together: SettleRequest[] = []
  const sent = Promise.withResolvers<Hex>()
  facilitator.settle = async (payment) => {
    if (together.push(payment) === 2) {
      const relayer = await installRelayer(node)
      const calls = await Promise.all(together.map(callOf))
      const data: Hex = `0x${calls.map((call) => call.slice(2)).join('')}`
      sent.resolve(node.send({ from: node.wallet(7).address, to: relayer, data }))
    }
    const about = { network: 'eip155:8453', payer: node.wallet(1).address }
    return Response.json({ success: true, transaction: await sent.promise, ...about })
  }
  const [one, other] = [await signed(), await signed()]
  const answers = await Promise.all([one.pay(), other.pay()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers[0].text).not.toBe(answers[1].text)
  expect([(await one.pay()).text, (await other.pay()).text]).toEqual(
    answers.map(({ text }) => text),
  )
})

test('a payment that settled an invoice before it was brought to the seller buys nothing', async () => {
  await elsewhere()
  const status = await dueInvoice()
  const { payment, pay } = await signed()
  facilitator.settle = async () => lost()
  await noticed(app.database.sql, await bring(payment))
  expect(await status()).toBe('SETTLED')
  const { status: refused, json } = await pay()
  expect([refused, json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
})
