import { beforeEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { useUpstream } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'

const agent = { 'x-agent-id': 'agent-7' }
const waitMs = 30_000
const { app, node, buy, invoice, becomes, purchase } = useUpstream()

beforeEach(async () => {
  await app.send('PUT', '/api/budget/agent-7', { limit: 100 })
})

async function budget() {
  const { spent, reserved } = (await app.send('GET', '/api/budget/agent-7')).json.data
  return { spent, reserved }
}

async function eventsOf(id: string): Promise<string[]> {
  const rows = await app.database.sql<{ type: string }[]>`
    select type from trail_steps where subject_id = ${id} order by sequence`
  return rows.map(({ type }) => type).filter((type) => type.startsWith('settlement.'))
}

async function receiptsOf(id: string) {
  const rows = await app.database.sql<{ revoked: boolean }[]>`
    select revoked_at is not null as revoked from receipts where subject_id = ${id} order by issued_at`
  return rows.map(({ revoked }) => revoked)
}

async function depthOf(txHash: Hex): Promise<number> {
  const receipt = await node.rpc<{ blockNumber: Hex }>('eth_getTransactionReceipt', [txHash])
  return Number(await node.rpc<Hex>('eth_blockNumber')) - Number(receipt.blockNumber) + 1
}

/** A settled purchase and its signed transaction. */
async function settled() {
  const { id, txHash } = await buy('settle', agent)
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash])
  await node.mine(2)
  await becomes(id, 'settled')
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
  return { id, txHash, signed }
}

/** What its receipts state of the demand and of what was handed over, oldest first. */
async function statedOf(id: string): Promise<readonly Record<string, unknown>[]> {
  const rows = await app.database.sql<{ claims: string }[]>`
    select claims from receipts where subject_id = ${id} order by issued_at`
  return rows.map(({ claims }) => {
    const { demandSha256, bodySha256, contentLength, contentType, delivered, status } =
      Object.fromEntries(JSON.parse(claims))
    return { demandSha256, bodySha256, contentLength, contentType, delivered, status }
  })
}

test('a settled purchase whose payment leaves the chain is settled no longer, and once more when the payment comes back: its receipt states the same delivery', async () => {
  const { id, txHash, signed } = await settled()
  await node.reorg(await depthOf(txHash))
  await becomes(id, 'paid')
  expect(await eventsOf(id)).toEqual(['settlement.confirmed', 'settlement.failed'])
  expect(await receiptsOf(id)).toEqual([true])
  // Anybody with the authorisation can still use it.
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })

  await node.rpc('eth_sendRawTransaction', [signed])
  await node.mine(3)
  await becomes(id, 'settled')
  expect(await receiptsOf(id)).toEqual([true, false])
  expect((await invoice(id)).paymentDetails).toMatchObject({ amountReceived: '0.01' })
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })
  const [first, second] = await statedOf(id)
  expect(first).toMatchObject({ delivered: 'whole', status: 200 })
  expect(second).toEqual(first)
})

test('a settled purchase that a reorganisation moves is settled anew in its new block, and no longer if it leaves that', async () => {
  // The new block counts its time from the last one that stays, which may be old by now.
  await node.rpc('evm_increaseTime', [20])
  await node.mine(1)
  const { id, txHash, signed } = await settled()
  const before = (await invoice(id)).paymentDetails.settlementBlockNumber
  await node.reorg(await depthOf(txHash), [[signed, 1]])
  await node.mine(3)
  await eventually(async () => (await receiptsOf(id)).length === 2, waitMs)
  expect((await invoice(id)).paymentDetails.settlementBlockNumber).toBe(before + 1)
  const moved = ['settlement.confirmed', 'settlement.failed', 'settlement.confirmed']
  expect(await eventsOf(id)).toEqual(moved)
  expect(await receiptsOf(id)).toEqual([true, false])
  expect(await budget()).toEqual({ spent: 1, reserved: 0 })

  await node.reorg(await depthOf(txHash))
  await becomes(id, 'paid')
  expect(await receiptsOf(id)).toEqual([true, true])
})

test('a settled purchase whose payment never comes back waits to be paid, and counts no longer', async () => {
  const { id, txHash } = await settled()
  await node.reorg(await depthOf(txHash))
  await becomes(id, 'paid')
  await node.rpc('evm_increaseTime', [3_600])
  await eventually(async () => {
    // Expiry is measured by block time, and a live chain keeps making blocks.
    await node.mine(1)
    return (await purchase(id)).state === 'replaced'
  }, waitMs)
  expect((await invoice(id)).status).toBe('sent')
  expect((await invoice(id)).paymentDetails.amountReceived).toBe('0.00')
  expect(await eventsOf(id)).toEqual(['settlement.confirmed', 'settlement.failed'])
  expect(await budget()).toEqual({ spent: 0, reserved: 0 })
})
