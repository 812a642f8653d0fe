import { afterEach, expect, test } from 'bun:test'
import { type Hex, keccak256 } from 'viem'
import { createdInvoice } from '../support/app.ts'
import { noticed, signedClaim, signedTransfer } from '../support/claims.ts'
import { credited } from '../support/credit-notes.ts'
import { denying } from '../support/rpc-faults.ts'
import { eventually } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'
import { priceUsdcBase, publicUrl, sellerIn } from '../support/x402-seller.ts'

/** The second of two nodes denies what the first shows: it pays nothing until they agree. */

const seller = 5
const world = useWorld({
  chains: ['base'],
  relayed: true,
  funded: [1, seller],
  env: ({ node, relay }) => ({
    PUBLIC_URL: publicUrl,
    BASE_RPC_URL: `${node.url},${relay.url}`,
    BASE_WALLET: node.wallet(seller).address,
    BASE_CONFIRMATIONS: '1',
  }),
})
const { app, node, relay } = world
const { payBy } = sellerIn(world)

afterEach(() => relay.behave())

/** Sends USDC, which the second node denies from the beginning. */
async function denied(from: number, to: string, usdcBase: bigint): Promise<Hex> {
  const signed = await signedTransfer(node, { from: node.wallet(from), to, usdcBase })
  const txHash = keccak256(signed)
  relay.misbehave(denying(txHash))
  await node.rpc('eth_sendRawTransaction', [signed])
  await eventually(() => node.rpc('eth_getTransactionReceipt', [txHash]).then(Boolean))
  await node.mine(2)
  return txHash
}

const payTo = () => node.wallet(seller).address

async function statusOf(id: string): Promise<string> {
  return (await app.send('GET', `/v1/invoices/${id}`)).json.data.status
}

function settled(id: string): Promise<void> {
  return eventuallyAfterBlocks(async () => (await statusOf(id)) === 'SETTLED')
}

async function eventuallyAfterBlocks(isTrue: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    await node.mine(1)
    await Bun.sleep(200)
    return isTrue()
  }, 60_000)
}

async function notes(): Promise<string> {
  return (await app.keyless('GET', '/readyz')).json.notes.join()
}

test('an invoice is settled when both show its payment, and /readyz names it until then', async () => {
  const { id } = await createdInvoice(app, { amount: 12.5 })
  const txHash = await denied(1, payTo(), 12_500_000n)
  await eventuallyAfterBlocks(async () => (await notes()).includes(txHash))
  expect(await statusOf(id)).toBe('PENDING')
  relay.behave()
  await settled(id)
  await eventually(async () => !(await notes()).includes(txHash))
})

test('an x402 sale is delivered when both show its transfer', async () => {
  const txHash = await denied(1, payTo(), priceUsdcBase)
  expect((await payBy(txHash)).status).not.toBe(200)
  relay.behave()
  expect((await payBy(txHash)).status).toBe(200)
})

test('a refund is proven when both show its transfer', async () => {
  const { id } = await createdInvoice(app, { amount: 21 })
  await node.transfer({ from: node.wallet(1).address, to: payTo(), usdcBase: 21_000_000n })
  await node.mine(2)
  await settled(id)
  const note = (await credited(app, id, { reason: 'Returned' })).json
  const txHash = await denied(seller, node.wallet(1).address, 21_000_000n)
  const prove = () => app.send('POST', `/api/credit-notes/${note.id}/refund`, { txHash })
  expect((await prove()).json.status).toBe('pending')
  relay.behave()
  await eventually(async () => (await prove()).json.status === 'refunded')
})

test('a held transfer that a payer claims settles when both show it', async () => {
  const { id } = await createdInvoice(app, { amount: 30 })
  const first = await node.transfer({
    from: node.wallet(1).address,
    to: payTo(),
    usdcBase: 30_100_000n,
  })
  await node.mine(2)
  await noticed(world.sql, first)
  relay.misbehave(denying(first))
  const { privateKey } = node.wallet(1)
  const claim = await signedClaim({ invoiceId: id, txHash: first, privateKey })
  const answer = await app.keyless('POST', `/v1/public/invoices/${id}/claim`, claim)
  expect([answer.status, answer.json.data?.status]).toEqual([200, 'credited'])
  await Bun.sleep(1_000)
  expect(await statusOf(id)).toBe('PENDING')
  relay.behave()
  await settled(id)
})
