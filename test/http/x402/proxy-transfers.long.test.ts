import { afterEach, beforeEach, expect, test } from 'bun:test'
import { concat } from 'viem'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { refused } from '../../support/app.ts'
import { settledByWorker } from '../../support/purchase-worker.ts'
import { useWorld } from '../../support/world.ts'
import { buyerIn } from '../../support/x402-proxy.ts'

/**
 * A payment by a transfer that is already on chain: whatever the upstream answers, the money is
 * spent.
 */

const usdcBase = 10_000n

const { app, node } = useWorld({ chains: ['base'], funded: [1, 2], env: { ROLE: 'http' } })
const { allow, budgetOf, ...buyer } = buyerIn(app)
let agentId: string
let upstream: Bun.Server<undefined>
let isRefusing: boolean
/** What it answers to a payment that it does not refuse. */
let answered: { readonly status: number; readonly headers?: Record<string, string> }
/** How many payments the upstream has received. */
let shown: number

beforeEach(async () => {
  isRefusing = false
  answered = { status: 200 }
  shown = 0
  upstream = serve(0)
  agentId = await allow(1)
})
afterEach(() => upstream.stop(true))

function serve(port: number) {
  const recipient = node.wallet(5).address
  const required = JSON.stringify({ price: '0.01', token: 'USDC', recipient, network: 'base' })
  return Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch(request) {
      const isPaid = request.headers.has('payment-signature')
      if (isPaid) shown++
      return isPaid && !isRefusing
        ? new Response('the report', answered)
        : new Response('pay', { status: 402, headers: { 'payment-required': required } })
    },
  })
}

function buy(headers: Record<string, string> = {}) {
  return buyer.buy(upstream.url.href, { 'x-agent-id': agentId, ...headers })
}

/** A transfer of the demanded amount, and the id of its invoice. */
async function transferred() {
  const { id } = (await buy()).json.invoice as { id: string }
  const from = node.wallet(1).address
  const txHash = await node.transfer({ from, to: node.wallet(5).address, usdcBase })
  const proof = { txHash, signature: '0x5e', payer: from }
  return { id, payment: { 'payment-signature': JSON.stringify(proof) } }
}

async function expectSettled(id: string): Promise<void> {
  await settledByWorker(app, node, id)
  expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
}

test('a transfer that the upstream refuses at first is pending, buys the resource later and settles its invoice', async () => {
  const { id, payment } = await transferred()
  isRefusing = true
  const { status, json } = await buy(payment)
  expect([status, json.error.details]).toEqual([
    502,
    { invoiceId: id, payment: 'pending', upstreamStatus: 402 },
  ])
  isRefusing = false
  const bought = await buy(payment)
  expect([bought.status, bought.text]).toEqual([200, 'the report'])
  await expectSettled(id)
}, 60_000)

test('a transfer that never reaches the upstream is pending and settles its invoice all the same', async () => {
  const { id, payment } = await transferred()
  const port = Number(upstream.port)
  await upstream.stop(true)
  const unsent = await buy(payment)
  expect([unsent.status, unsent.json.error.details]).toEqual([
    502,
    { invoiceId: id, payment: 'pending' },
  ])
  upstream = serve(port)
  expect((await buy(payment)).text).toBe('the report')
  await expectSettled(id)
}, 60_000)

test('a transfer that was given up as never made is looked up once more when it is shown again', async () => {
  const { id, payment } = await transferred()
  isRefusing = true
  await buy(payment)
  await app.database
    .sql`update purchases set state = 'expired', tx_hash = null where invoice_id = ${id}`
  isRefusing = false
  expect((await buy(payment)).text).toBe('the report')
  await expectSettled(id)
}, 60_000)

test.each([200, 500])(
  'a transfer settles its invoice whatever other transaction an answer with %d names as its own',
  async (status) => {
    const { id, payment } = await transferred()
    const [from, to] = [node.wallet(1).address, node.wallet(4).address]
    const other = await node.transfer({ from, to, usdcBase })
    const told = btoa(JSON.stringify({ success: true, transaction: other }))
    answered = { status, headers: { 'payment-response': told } }
    await buy(payment)
    await expectSettled(id)
  },
  60_000,
)

test('of two transfers by one transaction each buys for its sender, has an invoice of its own, and counts', async () => {
  await allow(2, agentId)
  const payers = [node.wallet(1), node.wallet(2)]
  const to = node.wallet(5).address
  const calls = payers.map((from, n) =>
    node.signedAuthorization({ from, to, usdcBase, reference: `0x${`${n}`.padStart(64, '7')}` }),
  )
  const data = concat(await Promise.all(calls))
  const txHash = await node.send({
    from: node.wallet(7).address,
    to: await installRelayer(node),
    data,
  })
  await buy()
  await buy()
  const ids: string[] = []
  for (const { address: payer } of payers) {
    const proof = JSON.stringify({ txHash, signature: '0x5e', payer })
    const { text, headers } = await buy({ 'payment-signature': proof })
    expect(text).toBe('the report')
    ids.push(headers.get('x-invoice-id') ?? '')
  }
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) await settledByWorker(app, node, id)
  expect(await budgetOf(agentId)).toEqual({ spent: 2, reserved: 0 })
}, 60_000)

test('a transfer over the budget goes nowhere and is pending: it has been made all the same', async () => {
  const { id, payment } = await transferred()
  await allow(0, agentId)
  const answer = await buy(payment)
  expect(refused(answer)).toEqual([402, 'BUDGET_EXCEEDED'])
  expect(answer.json.error.details).toMatchObject({ invoiceId: id, payment: 'pending' })
  expect(shown).toBe(0)
}, 60_000)

test('a transfer on another kind of chain pays none of the invoices there are', async () => {
  const { id } = (await buy()).json.invoice as { id: string }
  const proof = { txHash: '5'.repeat(88), signature: '0x5e', payer: node.wallet(1).address }
  const answer = await buy({ 'payment-signature': JSON.stringify(proof) })
  expect(refused(answer)).toEqual([404, 'NOT_FOUND'])
  expect(shown).toBe(0)
  expect((await buyer.invoice(id)).status).toBe('sent')
}, 60_000)
