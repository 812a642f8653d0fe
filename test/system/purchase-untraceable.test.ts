import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { aMandate } from '../support/mandates.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { eventually } from '../support/wait.ts'

/**
 * Payments on Solana whose transaction the upstream does not name, so nothing can be looked up on
 * the chain.
 */

let node: SolanaNode
let upstream: ReturnType<typeof Bun.serve>
let app: TestApp
/** What the upstream answers to a payment. */
let status: 200 | 500

const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'
const waitMs = 30_000

beforeAll(async () => {
  node = startSolanaNode()
  upstream = startUpstream()
  app = await testApp({ SOLANA_RPC_URL: node.url, SOLANA_POLL_MS: '50' })
})

afterAll(async () => {
  await app.stop()
  await upstream.stop(true)
  await node.stop()
})

/** Asks for 0.01 USDC, and says nothing of a transaction to whoever pays. */
function startUpstream() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      if (headers.has('payment-signature')) return new Response('an answer', { status })
      const required = { x402Version: 2, resource: { url }, accepts: [accepted()] }
      const header = btoa(JSON.stringify(required))
      return new Response('{}', { status: 402, headers: { 'payment-required': header } })
    },
  })
}

const accepted = () => ({
  scheme: 'exact',
  network,
  amount: '10000',
  asset: node.mint.toBase58(),
  payTo: node.wallet(1).publicKey.toBase58(),
  maxTimeoutSeconds: 60,
  extra: { feePayer: node.wallet(2).publicKey.toBase58() },
})

let made = 0

/** Buys a resource under a mandate for one such, a day and an hour ago; its invoice. */
async function boughtYesterday(answered: typeof status) {
  status = answered
  const terms = { amount: '0.01', currency: 'USDC' }
  const mandate = (await aMandate(app, undefined, undefined, terms)).id
  const under = { 'x-mandate-id': mandate }
  const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report?n=${made++}`)}`
  const unpaid = await app.send('GET', path, undefined, under)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const payload = { transaction: btoa(`transaction ${made}`) }
  const payment = btoa(JSON.stringify({ x402Version: 2, accepted: accepted(), payload }))
  await app.send('GET', path, undefined, { ...under, 'payment-signature': payment })
  expect(await stateOf(id)).toBe(answered === 200 ? 'paid' : 'unknown')
  await app.database
    .sql`update purchases set forwarded_at = forwarded_at - interval '25 hours' where invoice_id = ${id}`
  const buyAnother = () => app.send('GET', `${path}-another`, undefined, under)
  return { id, buyAnother }
}

async function stateOf(id: string): Promise<string> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  return row?.state
}

async function statusOf(id: string): Promise<string> {
  return (await app.send('GET', `/api/invoices/${id}`)).json.status
}

test('a payment that its upstream failed on counts against its mandate for a day', async () => {
  const { id, buyAnother } = await boughtYesterday(500)
  node.advance(1)
  await eventually(async () => (await stateOf(id)) === 'lapsed', waitMs)
  await eventually(async () => (await statusOf(id)) === 'failed', waitMs)
  const { status, json } = await buyAnother()
  expect([status, json.invoice?.total]).toEqual([402, 10_000])
}, 90_000)

test('a payment that its upstream accepted counts for good, and is not looked for', async () => {
  const accepted = await boughtYesterday(200)
  const stamp = async () => {
    const [row] = await app.database
      .sql`select updated_at::text as at from purchases where invoice_id = ${accepted.id}`
    return row?.at
  }
  const before = await stamp()
  // Whatever is looked at is looked at in turns: after this one it would have been its turn.
  const { id } = await boughtYesterday(500)
  node.advance(1)
  await eventually(async () => (await stateOf(id)) === 'lapsed', waitMs)
  expect([await stateOf(accepted.id), await stamp()]).toEqual(['paid', before])
  expect((await accepted.buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
}, 90_000)
