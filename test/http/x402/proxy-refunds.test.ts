import { describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  refundAddressStatement,
  refundWalletStatement,
} from '../../../src/domain/settlement/payer-statement.ts'
import { refused } from '../../support/app.ts'
import { credited } from '../../support/credit-notes.ts'
import { eventually } from '../../support/wait.ts'
import { useShop } from '../../support/x402-proxy.ts'

/** Purchases through the proxy for 0.01 USDC each, whose seller credits and refunds them. */

const { app, node, upstream, aResource, sign, buy, becomes, allow, budgetOf, agreedFor } = useShop({
  funded: [1, 5, 6],
  env: { BASE_CONFIRMATIONS: '2' },
})

/** Bought with German tax on top, by an agent with a budget and a mandate. */
async function bought() {
  const [agentId, mandateId] = [await allow(10), await agreedFor('1')]
  const headers = { 'x-agent-id': agentId, 'x-mandate-id': mandateId, 'x-invoice-country': 'DE' }
  const url = aResource()
  const unpaid = await buy(url, headers)
  await buy(url, { ...(await sign(unpaid)), ...headers })
  const id = unpaid.headers.get('x-invoice-id') ?? ''
  await node.mine(3)
  await becomes(id, 'settled')
  return { id, agentId, mandateId }
}

async function boundTo(mandateId: string) {
  const [row] = await app.database.sql<
    { bound: string }[]
  >`select bound_micro as bound from mandates where id = ${mandateId}`
  return row?.bound
}

async function refunded(noteId: string, usdcBase: bigint): Promise<void> {
  const to = node.wallet(1).address
  await node.transfer({ from: upstream.payTo, to, usdcBase })
  await node.mine(3)
  await eventually(async () => {
    const { json } = await app.send('GET', `/api/credit-notes/${noteId}`)
    return json.status === 'refunded'
  })
}

describe('a purchase', () => {
  test('is credited by its seller: the note has the seller’s number, and frees nothing by itself', async () => {
    const { id, agentId, mandateId } = await bought()
    const { status, json } = await credited(app, id, { number: 'G-77', amount: 4_000 })
    expect([status, json.creditNoteNumber, json.kind, json.reason]).toEqual([
      201,
      'G-77',
      'purchase',
      null,
    ])
    expect([json.subtotal, json.taxAmount, json.total]).toEqual([4_000, 760, 4_760])
    expect(json.refunds[0]).toMatchObject({ amount: '0.004', status: 'open' })
    expect(await budgetOf(agentId)).toEqual({ spent: 1, reserved: 0 })
    expect(await boundTo(mandateId)).toBe('10000')
    expect(refused(await credited(app, id, { number: 'G-77', amount: 1 }))).toEqual([
      409,
      'INVALID_STATE',
    ])
    expect(refused(await credited(app, id, { reason: 'Returned' }))).toEqual([
      400,
      'INVALID_REQUEST',
    ])
    expect(refused(await credited(app, id, { number: 'G-78', amount: 6_001 }))).toEqual([
      409,
      'CREDIT_EXCEEDED',
    ])
  })

  test('gives budget and mandate their part back once its refund is proven', async () => {
    const { id, agentId, mandateId } = await bought()
    const { json: part } = await credited(app, id, { number: 'G-1', amount: 3_500 })
    const { json: rest } = await credited(app, id, { number: 'G-2' })
    await refunded(part.id, 3_500n)
    expect(await boundTo(mandateId)).toBe('6500')
    await refunded(rest.id, 6_500n)
    expect(await boundTo(mandateId)).toBe('0')
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
  })

  test('is refunded by no wallet of its buyer: only the one that was paid names others', async () => {
    const { id, agentId, mandateId } = await bought()
    const { json: note } = await credited(app, id, { number: 'G-4' })
    const wallet = node.wallet(6).address.toLowerCase()
    const said = { noteId: note.id, chain: 'base', wallet } as const
    const message = refundWalletStatement(said)
    const register = async (signer: { privateKey: Hex }) => {
      const signature = await privateKeyToAccount(signer.privateKey).signMessage({ message })
      const path = `/api/credit-notes/${note.id}/refund-wallet`
      return app.send('POST', path, { wallet, signature })
    }
    for (const buyers of [node.wallet(6), node.wallet(1)])
      expect(refused(await register(buyers))).toEqual([403, 'invalid_signature'])
    await node.transfer({ from: wallet, to: node.wallet(1).address, usdcBase: 10_000n })
    await node.mine(3)
    await Bun.sleep(2_000)
    expect((await app.send('GET', `/api/credit-notes/${note.id}`)).json.status).toBe('issued')
    expect([await budgetOf(agentId), await boundTo(mandateId)]).toEqual([
      { spent: 1, reserved: 0 },
      '10000',
    ])
    expect((await register(node.wallet(5))).status).toBe(200)
    await eventually(async () => (await boundTo(mandateId)) === '0')
    expect(await budgetOf(agentId)).toEqual({ spent: 0, reserved: 0 })
  })

  test('is refunded to nobody but the wallet that paid: what its seller pays to others proves nothing', async () => {
    const { id, agentId } = await bought()
    const { json: note } = await credited(app, id, { number: 'G-5' })
    const [payer, refundTo] = [1, 6].map((at) => node.wallet(at).address.toLowerCase())
    const said = { noteId: note.id, chain: 'base', payer, refundTo, sequence: 1 } as const
    const message = refundAddressStatement({ ...said, payer: `${payer}`, refundTo: `${refundTo}` })
    const { privateKey } = node.wallet(1)
    const signature = await privateKeyToAccount(privateKey).signMessage({ message })
    const body = { payer, refundTo, sequence: 1, signature }
    const path = `/api/credit-notes/${note.id}/refund-address`
    expect(refused(await app.keyless('POST', path, body))).toEqual([409, 'INVALID_STATE'])
    expect((await budgetOf(agentId)).spent).toBe(1)
  })

  test('that nobody has paid cannot be credited', async () => {
    const unpaid = await buy(aResource())
    const id = unpaid.headers.get('x-invoice-id') ?? ''
    const answer = await credited(app, id, { number: 'G-3' })
    expect([...refused(answer), answer.json.error.message]).toEqual([
      409,
      'INVALID_STATE',
      'Only a purchase that has been paid can be credited',
    ])
  })
})
