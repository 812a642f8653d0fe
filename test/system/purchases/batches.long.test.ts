import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { purchasesIn } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'
import { transferShown } from '../../support/x402-buyer.ts'

/** A facilitator that settles several purchases of one payer in one transaction. */

const { node, app } = useWorld({
  chains: ['base'],
  funded: [1],
  anew: true,
  env: { BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' },
})
const { becomes, dueNow, looked, statusOf } = purchasesIn(app)
let upstream: Bun.Server<undefined>
/** The headers in which the upstream reports the settlement. */
let told: Record<string, string>

const waitMs = 30_000

beforeEach(() => {
  told = {}
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
})

afterEach(() => upstream.stop(true))

/** From now on the upstream reports that this transaction has settled its payments. */
function tell(transaction: string): void {
  told = { 'x-payment-response': btoa(JSON.stringify({ success: true, transaction })) }
}

/** The resource at `/30000` costs 0.03 USDC. Any payment is accepted. */
function answer({ url, headers }: Request): Response {
  if (headers.has('x-payment')) return new Response('the report', { headers: told })
  const option = {
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: new URL(url).pathname.slice(1),
    asset: node.usdc,
    payTo: node.wallet(5).address,
  }
  return Response.json({ x402Version: 1, accepts: [option] }, { status: 402 })
}

function buy(usdcBase: bigint, headers?: Record<string, string>) {
  const url = encodeURIComponent(`${upstream.url.origin}/${usdcBase}`)
  return app.send('GET', `/api/x402/proxy?url=${url}`, undefined, headers)
}

type Bought = { readonly id: string; readonly usdcBase: bigint; readonly nonce: Hex }

async function bought(usdcBase: bigint): Promise<Bought> {
  const nonce: Hex = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
  const authorization = {
    from: node.wallet(1).address,
    to: node.wallet(5).address,
    value: `${usdcBase}`,
    validAfter: '0',
    validBefore: `${Math.floor(Date.now() / 1_000) + 3_600}`,
    nonce,
  }
  const id = await paidWith({ signature: '0x5e', authorization }, usdcBase)
  return { id, usdcBase, nonce }
}

/** Buys with an x402 payment that has this payload. Answers the invoice's id. */
function paidWith(payload: object, usdcBase: bigint): Promise<string> {
  const [asset, payTo] = [node.usdc, node.wallet(5).address]
  const accepted = { scheme: 'exact', network: 'base', amount: `${usdcBase}`, asset, payTo }
  return paidBy({ x402Version: 2, accepted, payload }, usdcBase)
}

/** Buys with a transfer that the payer has made before. */
async function paidBefore(usdcBase: bigint, txHash: string): Promise<string> {
  const { 'payment-signature': proof = '' } = await transferShown(node.wallet(1), txHash)
  return paidBy(JSON.parse(proof), usdcBase)
}

async function paidBy(payment: object, usdcBase: bigint): Promise<string> {
  const { id } = (await buy(usdcBase)).json.invoice
  const paid = await buy(usdcBase, {
    'x-payment': btoa(JSON.stringify(payment)),
    'x-invoice-id': id,
  })
  expect([paid.status, paid.headers.get('x-invoice-id')]).toEqual([200, id])
  return id
}

/** Buys with a payment that only its upstream can read, and only its transaction is known of. */
function paidUnread(usdcBase: bigint): Promise<string> {
  return paidWith({ session: crypto.randomUUID() }, usdcBase)
}

/** Buys with a payment by Permit2. */
function paidByPermit(usdcBase: bigint, nonce: number): Promise<string> {
  const permit2Authorization = {
    from: node.wallet(1).address,
    permitted: { token: node.usdc, amount: `${usdcBase}` },
    nonce: `${nonce}`,
    deadline: '99999999999',
    witness: { to: node.wallet(5).address },
  }
  return paidWith({ signature: '0x5e', permit2Authorization }, usdcBase)
}

/** Settles the payments in one transaction, in this order. */
async function settleAtOnce(payments: readonly Omit<Bought, 'id'>[]): Promise<Hex> {
  const to = await installRelayer(node)
  const calls = await Promise.all(
    payments.map(({ usdcBase, nonce: reference }) =>
      node.signedAuthorization({
        from: node.wallet(1),
        to: node.wallet(5).address,
        usdcBase,
        reference,
      }),
    ),
  )
  const data: Hex = `0x${calls.map((call) => call.slice(2)).join('')}`
  return node.send({ from: node.wallet(2).address, to, data })
}

/** Settles the invoices, each by a transfer of its own. */
async function expectSettled(ids: readonly string[]): Promise<void> {
  await node.mine(3)
  for (const id of ids) await becomes(id, 'settled')
  const rows = await app.database.sql`
    select distinct tx_hash, position from purchases where invoice_id = any(${ids})`
  expect(rows.length).toBe(ids.length)
}

const amounts = [
  ['of the same price', [10_000n, 10_000n]],
  [
    'of different prices, though either’s transfer would do for the cheaper one,',
    [20_000n, 10_000n],
  ],
] as const

test.each(amounts)(
  'two purchases %s that one transaction pays are both settled',
  async (_, prices) => {
    const purchases: Bought[] = []
    for (const price of prices.toReversed()) purchases.push(await bought(price))
    await settleAtOnce(purchases.toReversed())
    await expectSettled(purchases.map(({ id }) => id))
  },
  60_000,
)

test('what an authorization has made settles no purchase that only its transaction is known of', async () => {
  tell(await settleAtOnce([{ usdcBase: 10_000n, nonce: `0x${'03'.repeat(32)}` }]))
  const id = await paidUnread(10_000n)
  await looked(id, 3)
  expect(await statusOf(id)).toBe('paid')
})

const others = [
  ['by Permit2', () => paidByPermit(10_000n, 1)],
  ['that only its transaction is known of', () => paidUnread(10_000n)],
  ['by a transfer made before', (txHash: string) => paidBefore(10_000n, txHash)],
] as const

test.each(others)(
  'a transfer that an EIP-3009 authorization has made, and a purchase %s names, settles one of both',
  async (_, pay) => {
    const signed = await bought(10_000n)
    const { sql } = app.database
    await sql`update purchases set due_at = 'infinity'`
    const txHash = await settleAtOnce([signed])
    tell(txHash)
    const other = await pay(txHash)
    await node.mine(3)
    await looked(other, 3)
    await dueNow(signed.id)
    const settled = async () => (await sql`select from purchases where state = 'settled'`).length
    await eventually(async () => (await settled()) === 1, waitMs)
    for (const id of [signed.id, other]) if ((await statusOf(id)) !== 'settled') await looked(id, 3)
    expect(await settled()).toBe(1)
    expect(await sql`select from transfer_uses`).toHaveLength(1)
  },
  60_000,
)
