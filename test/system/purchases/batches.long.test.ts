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

const waitMs = 30_000

beforeEach(() => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
})

afterEach(() => upstream.stop(true))

/** The resource at `/30000` costs 0.03 USDC. Any payment is accepted. */
function answer({ url, headers }: Request): Response {
  if (headers.has('x-payment')) return new Response('the report')
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
  const [asset, payTo] = [node.usdc, node.wallet(5).address]
  const accepted = { scheme: 'exact', network: 'base', amount: `${usdcBase}`, asset, payTo }
  const payload = { signature: '0x5e', authorization }
  const id = await paidBy({ x402Version: 2, accepted, payload }, usdcBase)
  return { id, usdcBase, nonce }
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
)

test('a transfer that an EIP-3009 authorization has made, and a purchase by a transfer made before shows, settles one of both', async () => {
  const signed = await bought(10_000n)
  const { sql } = app.database
  await sql`update purchases set due_at = 'infinity'`
  const txHash = await settleAtOnce([signed])
  const other = await paidBefore(10_000n, txHash)
  await node.mine(3)
  await looked(other, 3)
  await dueNow(signed.id)
  const settled = async () => (await sql`select from purchases where state = 'settled'`).length
  await eventually(async () => (await settled()) === 1, waitMs)
  for (const id of [signed.id, other]) if ((await statusOf(id)) !== 'settled') await looked(id, 3)
  expect(await settled()).toBe(1)
  expect(await sql`select from transfer_uses`).toHaveLength(1)
})
