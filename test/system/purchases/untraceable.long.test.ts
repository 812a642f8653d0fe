import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { type Hex, toHex } from 'viem'
import { purchasesIn } from '../../support/bought.ts'
import { useWorld } from '../../support/world.ts'
import { buyerIn, idIn } from '../../support/x402-proxy.ts'

/**
 * Payments of which nothing leads to their transaction: those by Permit2, and what only the
 * upstream can read. They count, and no transfer settles them.
 */

const { app, node } = useWorld({
  chains: ['base'],
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' },
})
const { statusOf, statesOf, reaches, looked, age } = purchasesIn(app)
const { buy, allow, agreedFor, budgetOf, boundTo } = buyerIn(app)
let upstream: ReturnType<typeof Bun.serve>
/** What the upstream answers to a payment. */
let status: 200 | 402 | 500
/** What it says of the settlement of each payment, if anything. */
let told: { readonly success: boolean; readonly transaction: string } | null

beforeAll(() => {
  upstream = startUpstream()
})
afterAll(() => upstream.stop(true))
beforeEach(() => {
  told = null
})

/** Asks for 0.01 USDC. */
function startUpstream() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      const isPaid = headers.has('payment-signature')
      const answer = new Headers(
        isPaid && told !== null ? { 'payment-response': btoa(JSON.stringify(told)) } : {},
      )
      if (isPaid && status !== 402) return new Response('an answer', { status, headers: answer })
      const required = { x402Version: 2, resource: { url }, accepts: [accepted()] }
      answer.set('payment-required', btoa(JSON.stringify(required)))
      return new Response('{}', { status: 402, headers: answer })
    },
  })
}

function accepted() {
  const extra = { assetTransferMethod: 'permit2', name: 'USD Coin', version: '2' }
  const terms = { scheme: 'exact', amount: '10000', maxTimeoutSeconds: 60 }
  const payTo = node.wallet(3).address
  return { ...terms, network: 'eip155:8453', asset: node.usdc, payTo, extra }
}

const payloads = {
  permit2() {
    const [from, to] = [node.wallet(1).address, node.wallet(3).address]
    const permitted = { token: node.usdc, amount: '10000' }
    const permit = { from, permitted, nonce: toHex(made, { size: 32 }), witness: { to } }
    return { signature: '0x01', permit2Authorization: { ...permit, deadline: '99999999999' } }
  },
  unread: () => ({ session: crypto.randomUUID() }),
}
type Kind = keyof typeof payloads

let made = 0

/** Buys a resource for an agent under a mandate, both of two payments. */
async function bought(answered: typeof status, kind: Kind = 'permit2') {
  status = answered
  const [agentId, mandateId] = [await allow(2), await agreedFor('0.02')]
  const who = { 'x-mandate-id': mandateId, 'x-agent-id': agentId }
  const url = `${upstream.url}report?n=${made++}`
  const id = idIn(await buy(url, who))
  const payment = btoa(
    JSON.stringify({ x402Version: 2, accepted: accepted(), payload: payloads[kind]() }),
  )
  const answer = await buy(url, { ...who, 'payment-signature': payment })
  async function counted() {
    const { spent, reserved } = await budgetOf(agentId)
    expect(await boundTo(mandateId)).toBe((spent + reserved) * 10_000)
    return { spent, reserved }
  }
  return { id, answer, counted }
}

/** Pays the upstream 0.01 USDC, for good. Answers the transaction. */
async function transferred(): Promise<Hex> {
  const [from, to] = [node.wallet(1).address, node.wallet(3).address]
  await node.mint(from, 10_000n)
  const txHash = await node.transfer({ from, to, usdcBase: 10_000n })
  await node.mine(3)
  return txHash
}

const kinds = ['permit2', 'unread'] as const
const words = [
  [402, false],
  [500, false],
  [200, false],
  [200, true],
] as const

test.each(kinds.flatMap((kind) => words.map(([code, success]) => [kind, code, success] as const)))(
  'a payment (%s) answered with %d, success %p, counts, and the transaction that is named with that settles nothing',
  async (kind, code, success) => {
    told = { success, transaction: await transferred() }
    const { id, counted } = await bought(code, kind)
    await looked(id, 3)
    expect((await statesOf(id))[0]).toBe(success ? 'paid' : 'held')
    const { spent, reserved } = await counted()
    expect(spent + reserved).toBe(1)
    expect(await app.database.sql`select from transfer_uses`).toHaveLength(0)
  },
)

test('a payment that its upstream refuses, naming its transaction, is asked for no second time', async () => {
  told = { success: false, transaction: await transferred() }
  const { id, answer } = await bought(402)
  expect([answer.status, answer.json.error?.details]).toMatchObject([
    502,
    { invoiceId: id, upstreamStatus: 402 },
  ])
})

test('a payment that its upstream refuses may be taken all the same: what is demanded next has an invoice of its own, and both count', async () => {
  const { id, answer, counted } = await bought(402)
  expect([answer.status, answer.json.invoice?.total]).toEqual([402, 10_000])
  expect(answer.json.invoice?.id).not.toBe(id)
  expect(await counted()).toEqual({ spent: 0, reserved: 1 })
})

test.each([
  ['no transaction', 500, null],
  ['a transaction that no chain has', 500, { success: false, transaction: toHex(5, { size: 32 }) }],
  ['a transaction that no chain has', 200, { success: true, transaction: toHex(6, { size: 32 }) }],
] as const)(
  'a permit that its payer may yet be held to counts while it is valid: its upstream named %s with %d',
  async (_, code, named) => {
    told = named
    const { id, counted } = await bought(code)
    await age(id, '25 hours')
    await looked(id, 3)
    expect(await counted()).toEqual(
      code === 200 ? { spent: 1, reserved: 0 } : { spent: 0, reserved: 1 },
    )
    await app.database.sql`
      update purchases set valid_before = now() - interval '1 hour', due_at = now() where invoice_id = ${id}`
    await node.mine(3)
    await reaches(id, 'replaced')
    expect(await counted()).toEqual({ spent: 0, reserved: 0 })
    expect(await statusOf(id)).toBe('sent')
  },
)

test.each([200, 500] as const)(
  'what only the upstream can read has no end, so it counts for a day (answered with %d)',
  async (code) => {
    const { id, counted } = await bought(code, 'unread')
    await looked(id, 3)
    const { spent, reserved } = await counted()
    expect(spent + reserved).toBe(1)
    await age(id, '25 hours')
    await reaches(id, 'replaced')
    expect(await counted()).toEqual({ spent: 0, reserved: 0 })
  },
)
