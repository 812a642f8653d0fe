import { beforeEach, describe, expect, test } from 'bun:test'
import { purchasesIn } from '../../support/bought.ts'
import { useWorld } from '../../support/world.ts'
import { signedPayment, transferShown } from '../../support/x402-buyer.ts'
import { buyerIn, demand, idIn, option, useServer } from '../../support/x402-proxy.ts'

/**
 * A payment that one account has bought with, and that another one sends to a seller of its own,
 * who takes anything.
 */

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1],
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' },
})
const { buy, allow, budgetOf, agreedFor, boundTo } = buyerIn(app)
const { dueNow, looked, purchase } = purchasesIn(app)
const upstream = useServer(({ headers }) =>
  headers.has('payment-signature')
    ? new Response('the report')
    : demand([{ ...option, payTo: node.wallet(5).address, maxTimeoutSeconds: 600, extra }]),
)
const extra = { name: 'USD Coin', version: '2' }
const usdcBase = 10_000n
let theirs: Record<string, string>

beforeEach(() => {
  theirs = { 'x-api-key': app.other.v1Key, 'x-agent-id': crypto.randomUUID() }
})

let made = 0

/** Both accounts have asked for the price of a resource of their own. */
async function asked() {
  const [agentId, mandateId] = [await allow(3), await agreedFor('0.03')]
  const ours = { 'x-agent-id': agentId, 'x-mandate-id': mandateId }
  const [url, other] = [made++, made++].map((n) => `${upstream.url.origin}/${n}`) as [
    string,
    string,
  ]
  await app.send('PUT', `/api/budget/${theirs['x-agent-id']}`, { limit: 3 }, theirs)
  const [unpaid, copied] = [await buy(url, ours), await buy(other, theirs)]
  const pay = (payment: Record<string, string>) => buy(url, { ...ours, ...payment })
  const copy = (payment: Record<string, string>) => buy(other, { ...theirs, ...payment })
  const counted = async () => [await budgetOf(agentId), await boundTo(mandateId)] as const
  return { unpaid, id: idIn(unpaid), copied: idIn(copied), pay, copy, counted }
}

type Asked = Awaited<ReturnType<typeof asked>>

function junk(headers: Record<string, string>) {
  const payment = JSON.parse(atob(Object.values(headers)[0] ?? ''))
  payment.payload.signature = `0x${'5e'.repeat(65)}`
  return { 'payment-signature': btoa(JSON.stringify(payment)) }
}

async function authorized({ unpaid }: Asked) {
  const { headers, nonce: reference } = await signedPayment(node.wallet(1), unpaid)
  const [from, to] = [node.wallet(1), node.wallet(5).address]
  return {
    headers,
    settle: () => node.transferWithAuthorization({ from, to, usdcBase, reference }),
  }
}

async function transferred() {
  const from = node.wallet(1).address
  const txHash = await node.transfer({ from, to: node.wallet(5).address, usdcBase })
  return { headers: await transferShown(node.wallet(1), txHash), settle: async () => txHash }
}

const kinds = {
  'an authorization': { sign: authorized, copied: (headers: Record<string, string>) => headers },
  'an authorization with another signature': { sign: authorized, copied: junk },
  'a transfer made before': {
    sign: transferred,
    copied: (headers: Record<string, string>) => headers,
  },
}

describe.each(Object.entries(kinds))('%s', (_, { sign, copied }) => {
  test('that the other account’s purchase has taken counts all the same for the agent that bought with it', async () => {
    const both = await asked()
    const { headers, settle } = await sign(both)
    expect((await both.pay(headers)).text).toBe('the report')
    // The other purchase is looked at first.
    await app.database.sql`update purchases set due_at = 'infinity' where invoice_id = ${both.id}`
    expect((await both.copy(copied(headers))).text).toBe('the report')
    await settle()
    await node.mine(3)
    await looked(both.copied, 4)
    await dueNow(both.id)
    await looked(both.id, 4)
    expect(await both.counted()).toEqual([{ spent: 1, reserved: 0 }, 10_000])
    const states = [(await purchase(both.id)).state, (await purchase(both.copied)).state]
    expect(states.filter((state) => state === 'settled').length).toBeLessThanOrEqual(1)
  })

  test('settles the purchase whose account has sent it first', async () => {
    const both = await asked()
    const { headers, settle } = await sign(both)
    await both.pay(headers)
    await app.database.sql`update purchases set due_at = 'infinity' where invoice_id = ${both.id}`
    await both.copy(copied(headers))
    await settle()
    await node.mine(3)
    await looked(both.copied, 4)
    await dueNow(both.id)
    await looked(both.id, 4)
    expect((await purchase(both.copied)).state).not.toBe('settled')
    expect((await purchase(both.id)).state).toBe('settled')
  })
})
