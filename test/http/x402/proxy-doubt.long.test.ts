import { beforeEach, expect, test } from 'bun:test'
import { refused } from '../../support/app.ts'
import { settledByWorker } from '../../support/purchase-worker.ts'
import { findingNothing } from '../../support/rpc-faults.ts'
import { useShop } from '../../support/x402-proxy.ts'
import { startUpstream } from '../../support/x402-upstream.ts'

/**
 * A payment that was accepted but whose answer was lost is sent again before the chain was checked.
 */

const shop = useShop({ relayed: true, env: { ROLE: 'http' } })
const { app, node, relay, upstream, allow, budgetOf, sign } = shop
let agentId: string
const budget = () => budgetOf(agentId)

beforeEach(async () => {
  agentId = await allow(1)
})

function buy(headers: Record<string, string> = {}, url = upstream.url) {
  return shop.buy(url, { 'x-agent-id': agentId, ...headers })
}

/** A payment whose answer is lost, and the id of its invoice. */
async function lost(seller = upstream) {
  seller.behaviour = 'settle'
  const payment = await sign(await buy({}, seller.url))
  seller.behaviour = 'settle then hang up'
  const { status, json } = await buy(payment, seller.url)
  expect([status, json.error.details.payment]).toEqual([502, 'pending'])
  return { payment, id: json.error.details.invoiceId as string }
}

/**
 * Expects that the undecided purchase takes no new payment, and that a worker finds its payment on
 * chain.
 */
async function expectLeftToTheChain(id: string): Promise<void> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  expect(row?.state).toBe('held')
  await settledByWorker(app, node, id)
}

test('a payment whose answer was lost stays the chain’s to decide when it is sent again and nobody is there', async () => {
  const gone = await startUpstream(node)
  const { payment, id } = await lost(gone)
  await gone.stop()
  const again = await buy(payment, gone.url)
  expect(refused(again)).toEqual([502, 'UPSTREAM_FAILED'])
  expect(again.json.error.details).toEqual({ invoiceId: id, payment: 'pending' })
  expect(await budget()).toEqual({ spent: 0, reserved: 1 })
  await expectLeftToTheChain(id)
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
})

test.each([
  ['demands money: it is not asked for a second time', 'refuse', 502],
  ['fails', 'fail', 500],
] as const)(
  'a payment whose answer was lost keeps its hold on the budget when it is sent again and the upstream %s',
  async (_, behaviour, status) => {
    const { payment, id } = await lost()
    relay.misbehave(findingNothing(['eth_call'], `0x${'0'.repeat(64)}`))
    upstream.behaviour = behaviour
    const again = await buy(payment)
    expect([again.status, again.headers.get('x-invoice-id')]).toEqual([status, id])
    const pending = { invoiceId: id, payment: 'pending', upstreamStatus: 402 }
    if (behaviour === 'refuse') expect(again.json.error.details).toEqual(pending)
    else expect(again.text).toBe('broken')
    expect(await budget()).toEqual({ spent: 0, reserved: 1 })
    await expectLeftToTheChain(id)
    expect(await budget()).toEqual({ spent: 1, reserved: 0 })
  },
)
