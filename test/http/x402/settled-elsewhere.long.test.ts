import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { perCall } from '../../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../../support/rpc-relay.ts'
import { eventually } from '../../support/wait.ts'
import { permittedBy, signedOrder } from '../../support/x402-buyer.ts'

/**
 * Payments that somebody else settles: the watcher has recorded and confirmed them before the
 * seller learns of it.
 */

type Payment = { readonly payload: unknown }

const lost = () => new Response('lost', { status: 502 })
const path = '/api/x402/invoice'
const order = { amount: 2.5 }

let node: EvmNode
let relay: RpcRelay
let app: TestApp
/** How the facilitator answers a request to settle a payment. */
let settle: (payment: Payment) => Promise<Response>

const facilitator = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.url.endsWith('/verify')) return Response.json({ isValid: true })
    if (!request.url.endsWith('/settle')) return lost()
    const { paymentPayload } = (await request.json()) as { paymentPayload: Payment }
    return settle(paymentPayload)
  },
})

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  relay = startRpcRelay(node.url)
  await node.mint(payer().address, 1_000_000n)
})

afterEach(() => app.stop())

afterAll(async () => {
  await facilitator.stop(true)
  await relay.stop()
  await node.stop()
})

const payer = () => node.wallet(1)

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

const elsewhere = () => start({ X402_FACILITATOR_URL: facilitator.url.href })

/** Creates an invoice over the price of an order. Answers a function that reads its status. */
async function dueInvoice(): Promise<() => Promise<string>> {
  const customer = { customerName: 'Ada', customerEmail: 'ada@example.com' }
  const terms = { amount: '0.01', currency: 'USDC', chain: 'base', ...customer }
  const { json } = await app.send('POST', '/v1/invoices', terms)
  return async () => {
    const found = await app.send('GET', `/v1/invoices/${json.data.id}`)
    return found.json.data.status
  }
}

/** An order with a payment signed by the official client. Each call of `pay` sends it. */
async function signed() {
  const { json } = await app.keyless('POST', path, order)
  const { payment, proof } = await signedOrder(payer(), json)
  const pay = () => app.keyless('POST', path, order, { 'payment-signature': proof })
  return { payment, pay }
}

/** Settles a payment at the expense of an unrelated account. */
function bring(payment: Payment): Promise<Hex> {
  return node.transferWithAuthorization(permittedBy(payer(), payment))
}

/** A payment's settlement as calldata for the token. */
function callOf(payment: Payment): Promise<Hex> {
  return node.signedAuthorization(permittedBy(payer(), payment))
}

/** Waits until the watcher has recorded a transaction. */
async function noticed(txHash: string): Promise<void> {
  await eventually(async () => {
    const rows = await app.database.sql`select from transfers where tx_hash = ${txHash}`
    return rows.length > 0
  })
}

test('what a facilitator elsewhere settles pays no invoice of its amount, however late its answer comes', async () => {
  await elsewhere()
  const status = await dueInvoice()
  settle = async (payment) => {
    const transaction = await bring(payment)
    await noticed(transaction)
    const about = { transaction, network: 'eip155:8453', payer: payer().address }
    return Response.json({ success: true, ...about })
  }
  const { pay } = await signed()
  expect((await pay()).status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('nor does it if the answer is lost: the chain is asked, and what was bought is delivered', async () => {
  await elsewhere()
  const status = await dueInvoice()
  settle = async (payment) => {
    await noticed(await bring(payment))
    return lost()
  }
  const { pay } = await signed()
  expect((await pay()).status).toBeOneOf([200, 202])
  expect((await pay()).status).toBe(200)
  expect(await status()).toBe('PENDING')
})

test('nor does what a third party brings on chain before the seller does', async () => {
  await start({ FACILITATOR_EVM_PRIVATE_KEY: node.wallet(8).privateKey })
  const status = await dueInvoice()
  const { payment, pay } = await signed()
  relay.misbehave(
    perCall(async (call, ask) => {
      if (call.method === 'eth_sendRawTransaction') await noticed(await bring(payment))
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
  const together: Payment[] = []
  const sent = Promise.withResolvers<Hex>()
  settle = async (payment) => {
    if (together.push(payment) === 2) {
      const relayer = await installRelayer(node)
      const calls = await Promise.all(together.map(callOf))
      const data: Hex = `0x${calls.map((call) => call.slice(2)).join('')}`
      sent.resolve(node.send({ from: node.wallet(7).address, to: relayer, data }))
    }
    const about = { network: 'eip155:8453', payer: payer().address }
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
  settle = async () => lost()
  await noticed(await bring(payment))
  expect(await status()).toBe('SETTLED')
  const { status: refused, json } = await pay()
  expect([refused, json.error.code]).toEqual([409, 'PAYMENT_REUSED'])
})
