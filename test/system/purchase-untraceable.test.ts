import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { aMandate } from '../support/mandates.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { eventually } from '../support/wait.ts'

/**
 * Payments whose transaction the upstream does not name, so nothing can be looked up on the chain:
 * on Solana, and on EVM chains what is signed other than by EIP-3009.
 */

let node: SolanaNode
let base: EvmNode
let upstream: ReturnType<typeof Bun.serve>
let app: TestApp
/** What the upstream answers to a payment. */
let status: 200 | 402 | 500
let chain: 'solana' | 'base' = 'solana'

const waitMs = 30_000

beforeAll(async () => {
  node = startSolanaNode()
  base = await startEvmNode({ chainId: 8453 })
  upstream = startUpstream()
  const chains = { SOLANA_RPC_URL: node.url, SOLANA_POLL_MS: '50', BASE_RPC_URL: base.url }
  app = await testApp({ ...chains, BASE_POLL_MS: '50' })
})

afterAll(async () => {
  await app.stop()
  await upstream.stop(true)
  await node.stop()
  await base.stop()
})

/** Asks for 0.01 USDC, and says nothing of a transaction to whoever pays. */
function startUpstream() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      const isPaid = headers.has('payment-signature')
      if (isPaid && status !== 402) return new Response('an answer', { status })
      const required = { x402Version: 2, resource: { url }, accepts: [accepted()] }
      const header = btoa(JSON.stringify(required))
      return new Response('{}', { status: 402, headers: { 'payment-required': header } })
    },
  })
}

function accepted() {
  const terms = { scheme: 'exact', amount: '10000', maxTimeoutSeconds: 60 }
  if (chain === 'base') {
    const extra = { assetTransferMethod: 'permit2' }
    const payTo = base.wallet(3).address
    return { ...terms, network: 'eip155:8453', asset: base.usdc, payTo, extra }
  }
  return {
    ...terms,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: node.mint.toBase58(),
    payTo: node.wallet(1).publicKey.toBase58(),
    extra: { feePayer: node.wallet(2).publicKey.toBase58() },
  }
}

const signed = () =>
  chain === 'base'
    ? { signature: '0x', permit2Authorization: { nonce: `${made}`, deadline: '99999999999' } }
    : { transaction: btoa(`transaction ${made}`) }

let made = 0

/** Buys a resource under a mandate for `amount` USDC, a day and an hour ago. */
async function boughtYesterday(answered: typeof status, amount = '0.01') {
  status = answered
  const terms = { amount, currency: 'USDC' }
  const mandate = (await aMandate(app, undefined, undefined, terms)).id
  const under = { 'x-mandate-id': mandate }
  const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report?n=${made++}`)}`
  const unpaid = await app.send('GET', path, undefined, under)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  const payload = signed()
  const payment = btoa(JSON.stringify({ x402Version: 2, accepted: accepted(), payload }))
  const answer = await app.send('GET', path, undefined, { ...under, 'payment-signature': payment })
  expect(await stateOf(id)).toBe(answered === 200 ? 'paid' : 'unknown')
  await app.database
    .sql`update purchases set forwarded_at = forwarded_at - interval '25 hours' where invoice_id = ${id}`
  const buyAnother = () => app.send('GET', `${path}-another`, undefined, under)
  return { id, buyAnother, answer }
}

async function stateOf(id: string): Promise<string> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  return row?.state
}

/** When it was last looked at. */
async function stampOf(id: string): Promise<string> {
  const [row] = await app.database
    .sql`select updated_at::text as at from purchases where invoice_id = ${id}`
  return row?.at
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
  const before = await stampOf(accepted.id)
  // Whatever is looked at is looked at in turns: after this one it would have been its turn.
  const { id } = await boughtYesterday(500)
  node.advance(1)
  await eventually(async () => (await stateOf(id)) === 'lapsed', waitMs)
  expect([await stateOf(accepted.id), await stampOf(accepted.id)]).toEqual(['paid', before])
  expect((await accepted.buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
}, 90_000)

test('a payment that its upstream refuses may be taken all the same: what is demanded next has an invoice of its own', async () => {
  const { id, answer } = await boughtYesterday(402, '0.02')
  expect([answer.status, answer.json.invoice?.total]).toEqual([402, 10_000])
  expect(answer.json.invoice?.id).not.toBe(id)
  expect(await stateOf(id)).not.toBe('refused')
}, 90_000)

test('a payment on an EVM chain that may be taken until a time nobody knows counts for good', async () => {
  chain = 'base'
  const { id, buyAnother } = await boughtYesterday(500)
  const before = await stampOf(id)
  await eventually(async () => (await stampOf(id)) !== before, waitMs)
  const first = await stampOf(id)
  // Looked at for the second time, so the first look has come to its end.
  await eventually(async () => (await stampOf(id)) !== first, waitMs)
  expect(await stateOf(id)).toBe('unknown')
  expect((await buyAnother()).json.error?.code).toBe('MANDATE_LIMIT_EXCEEDED')
}, 90_000)
