import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { concat, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import { listTransfers } from '../../../src/storage/settlement/transfer-lists.ts'
import { installRelayer } from '../../chain/facilitator/relayer.ts'
import { type Answer, type TestApp, testApp, testWallet } from '../../support/app.ts'
import { aTxHash, signedClaim } from '../../support/claims.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { baseBy, testWatcher } from '../../support/watcher.ts'
import { signedOrder } from '../../support/x402-buyer.ts'

/** One transaction settles payments of two unrelated wallets: anybody can submit both together. */

const path = '/api/x402/invoice'
const publicUrl = 'https://pay.test'
const order = { amount: 2.5 }
const priceUsdcBase = 10_000n
const dueUsdcBase = 10_000_000_000n
const accountId = '0190a000-0000-7000-8000-000000000001'

let node: EvmNode
let app: TestApp
let watch: ReturnType<typeof testWatcher>
/** Settles the payment with this nonce and answers the transaction's hash. */
let settle: (nonce: Hex) => Promise<Hex>

const facilitator = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.url.endsWith('/verify')) return Response.json({ isValid: true })
    if (!request.url.endsWith('/settle')) return new Response('lost', { status: 502 })
    const { paymentPayload } = (await request.json()) as {
      paymentPayload: { payload: { authorization: { nonce: string } } }
    }
    const { nonce } = paymentPayload.payload.authorization
    const transaction = await settle(toHex(BigInt(nonce), { size: 32 }))
    const about = { network: 'eip155:8453', payer: buyer().address }
    return Response.json({ success: true, transaction, ...about })
  },
})

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  for (const { address } of [buyer(), customer()]) await node.mint(address, 10n ** 12n)
  app = await testApp({
    ROLE: 'http',
    PUBLIC_URL: publicUrl,
    BASE_RPC_URL: node.url,
    X402_FACILITATOR_URL: facilitator.url.href,
  })
})

beforeEach(async () => {
  watch = testWatcher(app.database.sql, { chain: baseBy(node) })
  await watch.step()
})

afterAll(async () => {
  await facilitator.stop(true)
  await app.stop()
  await node.stop()
})

const buyer = () => node.wallet(1)
const customer = () => node.wallet(2)

/** Another seller's invoice, and `bring`, which pays it and an order in one transaction. */
async function unrelated(reference: 'named' | 'unnamed' = 'named') {
  const { sql } = app.database
  const { id, terms } = await storedInvoice(sql, accountId, { payTo: testWallet, dueUsdcBase })
  const to = testWallet.toLowerCase()
  const bring = async (nonce: Hex): Promise<Hex> => {
    // Without a reference the amount must fit no invoice, or it could pay one after all.
    const [named, usdcBase] =
      reference === 'named' ? [terms.reference, dueUsdcBase] : [aTxHash(), dueUsdcBase + 1n]
    const calls = await Promise.all([
      node.signedAuthorization({ from: buyer(), to, usdcBase: priceUsdcBase, reference: nonce }),
      node.signedAuthorization({ from: customer(), to, usdcBase, reference: named }),
    ])
    const relayer = await installRelayer(node)
    return node.send({ from: node.wallet(7).address, to: relayer, data: concat(calls) })
  }
  const state = async () => (await loadMany(sql, [id]))[0]?.state
  return { id, bring, state }
}

/** Buys with a payment that the official client signs and the facilitator settles. */
async function buySigned(): Promise<Answer> {
  const { json } = await app.keyless('POST', path, order)
  const { proof } = await signedOrder(buyer(), json)
  return app.keyless('POST', path, order, { 'payment-signature': proof })
}

/** Buys with the transfer in this transaction. */
async function buyBy(txHash: Hex, payer = buyer()): Promise<Answer> {
  const subject = { resource: publicUrl + path }
  const message = payerStatement({ subject, chain: 'base', txHash })
  const signature = await privateKeyToAccount(payer.privateKey).signMessage({ message })
  const proof = JSON.stringify({ txHash, signature, payer: payer.address })
  return app.keyless('POST', path, order, { 'payment-signature': proof })
}

test('a transfer that is presented by its sender leaves the other’s to the invoice that it names', async () => {
  const { bring, state } = await unrelated()
  const txHash = await bring(aTxHash())
  expect((await buyBy(txHash)).status).toBe(200)
  await watch.step()
  expect(await state()).toBe('settled')
})

test('a transfer that is presented buys although the other’s has paid its invoice before', async () => {
  const { bring, state } = await unrelated()
  const txHash = await bring(aTxHash())
  await watch.step()
  expect(await state()).toBe('settled')
  const first = await buyBy(txHash)
  expect(first.status).toBe(200)
  expect((await buyBy(txHash)).text).toBe(first.text)
})

test.each(['before', 'after'])(
  'a signed payment buys, and the other’s payment settles its invoice %s the facilitator answers',
  async (when) => {
    const { bring, state } = await unrelated()
    settle = async (nonce) => {
      const txHash = await bring(nonce)
      if (when === 'before') await watch.step()
      return txHash
    }
    expect((await buySigned()).status).toBe(200)
    await watch.step()
    expect(await state()).toBe('settled')
  },
)

test('what the other sent and named no invoice is listed as unmatched, and his to claim', async () => {
  const { id, bring, state } = await unrelated('unnamed')
  const txHash = await bring(aTxHash())
  expect((await buyBy(txHash)).status).toBe(200)
  await watch.step()
  const query = { status: 'unmatched', chain: null, after: null, limit: 100, offset: 0 } as const
  const { transfers } = await listTransfers(app.database.sql, query)
  const listed = transfers.filter((transfer) => transfer.txHash === txHash)
  expect(listed.map(({ from }) => from)).toEqual([customer().address.toLowerCase()])
  const { privateKey } = customer()
  const proof = await signedClaim({ invoiceId: id, txHash, privateKey })
  const claimed = await app.keyless('POST', `/v1/public/invoices/${id}/claim`, proof)
  expect([claimed.status, await state()]).toEqual([200, 'settled'])
})

test('each buys by what he sent, and neither by the other’s', async () => {
  const { bring } = await unrelated('unnamed')
  const txHash = await bring(aTxHash())
  const answers = [await buyBy(txHash), await buyBy(txHash, customer())]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect((await buyBy(txHash, node.wallet(3))).status).toBe(402)
})
