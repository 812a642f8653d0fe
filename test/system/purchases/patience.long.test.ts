import { afterAll, beforeAll, expect, test } from 'bun:test'
import { toHex } from 'viem'
import { purchasesIn } from '../../support/bought.ts'
import { transferCall } from '../../support/evm-node.ts'
import { findingNothing } from '../../support/rpc-faults.ts'
import { useWorld } from '../../support/world.ts'
import { transferShown } from '../../support/x402-buyer.ts'

/** Payments known only by their transaction, without an expiry. */

const { node, relay, app } = useWorld({
  chains: ['base'],
  funded: [1],
  relayed: true,
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '1' },
})
const { statusOf, statesOf, becomes, reaches, looked, age } = purchasesIn(app)
let upstream: ReturnType<typeof Bun.serve>

beforeAll(() => {
  upstream = startUpstream()
})
afterAll(() => upstream.stop(true))

/** A server that accepts any payment and asks 0.01 USDC, payable to wallet 5. */
function startUpstream() {
  const accepted = {
    scheme: 'exact',
    network: 'eip155:8453',
    amount: '10000',
    asset: node.usdc,
    payTo: node.wallet(5).address,
    maxTimeoutSeconds: 60,
    extra: { name: 'USD Coin', version: '2' },
  }
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      if (headers.has('payment-signature')) return new Response('the report')
      const required = JSON.stringify({ x402Version: 2, resource: { url }, accepts: [accepted] })
      return new Response('{}', { status: 402, headers: { 'payment-required': btoa(required) } })
    },
  })
}

let made = 0

/** Buys a resource by a transfer of wallet 1, on a quote that is two days old. */
async function paidLate(txHash: string): Promise<string> {
  const path = `/api/x402/proxy?url=${encodeURIComponent(`${upstream.url}report?n=${made++}`)}`
  const unpaid = await app.send('GET', path)
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  await app.database
    .sql`update purchases set created_at = now() - interval '2 days' where invoice_id = ${id}`
  const payment = await transferShown(node.wallet(1), txHash)
  const paid = await app.send('GET', path, undefined, payment)
  expect([paid.status, paid.text]).toEqual([200, 'the report'])
  return id
}

test('a payment of an old quote has a day to appear, like any other', async () => {
  const [from, to] = [node.wallet(1).address, node.wallet(5).address]
  const txHash = await node.transfer({ from, to, usdcBase: 10_000n })
  await node.mine(1)
  relay.misbehave(findingNothing(['eth_getTransactionReceipt']))
  const id = await paidLate(txHash)
  await looked(id, 3)
  expect(await statesOf(id)).toEqual(['paid', 'paid'])
  relay.behave()
  await becomes(id, 'settled')
})

test('a payment that has not appeared after a day was never made', async () => {
  const id = await paidLate(toHex(made, { size: 32 }))
  await looked(id, 3)
  expect(await statusOf(id)).toBe('paid')
  await age(id, '25 hours')
  await node.mine(1)
  await reaches(id, 'replaced')
  await becomes(id, 'sent')
})

test.each([
  ['has failed', 5, 10_000_000_000n],
  ['pays somebody else', 4, 10_000n],
])(
  'a transfer whose transaction %s, and that the upstream has accepted, counts by its word for a day',
  async (_, wallet, usdcBase) => {
    const [from, to] = [node.wallet(1).address, node.wallet(wallet).address]
    const data = transferCall({ to, usdcBase })
    const call = { from, to: node.usdc, gas: '0x30000', data }
    const txHash = await node.rpc<string>('eth_sendTransaction', [call])
    await node.mine(2)
    const id = await paidLate(txHash)
    await looked(id, 3)
    expect(await statesOf(id)).toEqual(['paid', 'paid'])
    await age(id, '25 hours')
    await reaches(id, 'replaced')
    await becomes(id, 'sent')
  },
)
