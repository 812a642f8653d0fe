import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { transferCall } from '../../support/evm-node.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

/** Owes a receipt and anchors it: mined in its own block and recorded, but not confirmed yet. */
async function mineOne(label: string): Promise<void> {
  await stand.oweReceipts(label)
  await stand.worker().run()
  await stand.worker().run()
  expect((await stand.anchor(label)).state).toBe('anchored')
}

describe('a reorganisation that', () => {
  test('drops the transaction shows at once, and the same bytes go out again', async () => {
    await mineOne('drs_a')
    await stand.holdMining()
    await stand.node.reorg(1)
    await stand.worker().run()
    expect(await stand.anchor('drs_a')).toMatchObject({
      state: 'sent',
      tx_hash: null,
      block_number: null,
    })
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([1])
    expect(stand.announced).toEqual(['drs_a'])
    await stand.expectAllOnChain()
  })

  test('puts it into another block corrects the place', async () => {
    await mineOne('drs_a')
    const before = await stand.anchor('drs_a')
    await stand.node.mine(1)
    await stand.node.reorg(2, [[await stand.bytesOf('drs_a'), 1]])
    await stand.worker().run()
    expect(Number((await stand.anchor('drs_a')).block_number)).toBe(Number(before.block_number) + 1)
    await stand.expectAllOnChain()
  })

  test('puts it behind other events of its block corrects the log index', async () => {
    await mineOne('drs_a')
    const before = await stand.anchor('drs_a')
    await stand.holdMining()
    await stand.node.reorg(1)
    // A higher fee, so that it comes first in the block.
    const payment = { to: stand.contract, usdcBase: 0n }
    await stand.node.rpc('eth_sendTransaction', [
      {
        from: stand.node.wallet(2).address,
        to: stand.node.usdc,
        data: transferCall(payment),
        maxPriorityFeePerGas: '0x174876e800',
        maxFeePerGas: '0x2540be4000',
      },
    ])
    await runUntilDeep(stand)
    expect(before.log_index).toBe(0)
    expect((await stand.anchor('drs_a')).log_index).toBe(1)
    await stand.expectAllOnChain()
  })

  test('goes behind what was deep sends the same bytes again', async () => {
    await mineOne('drs_a')
    await runUntilDeep(stand)
    await stand.node.reorg(depth)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([1])
    await stand.expectAllOnChain()
  })

  test('puts it where it fails shows at once, and gives its events back only when that is deep', async () => {
    await mineOne('drs_a')
    await stand.node.mine(1)
    await stand.node.reorg(2, [[await stand.bytesOf('drs_a'), 1]])
    stand.provider.edit((answer, method) =>
      method === 'eth_getTransactionReceipt' && answer.result
        ? { ...answer, result: { ...answer.result, status: '0x0', logs: [] } }
        : answer,
    )
    await stand.worker().run()
    await stand.worker().run()
    expect(await stand.anchor('drs_a')).toMatchObject({ state: 'sent', tx_hash: null })
    expect(await stand.timesSigned()).toEqual([1])
    await stand.node.mine(depth)
    await stand.worker().run()
    expect(await stand.timesSigned()).toEqual([1, 1])
  })

  test('a lagging node reports is not believed', async () => {
    await mineOne('drs_a')
    await runUntilDeep(stand)
    await mineOne('drs_b')
    const lagging = {
      ...stand.client(),
      head: async () => ({ number: 2, nonce: 0, watchedHash: null }),
      receipts: async () => [],
    }
    await stand.worker({ client: lagging }).run()
    expect((await stand.anchor('drs_a')).state).toBe('anchored')
    expect((await stand.anchor('drs_b')).state).toBe('anchored')
  })

  test('takes back several transactions leaves each event once, in order', async () => {
    const worker = stand.worker({ mostEvents: 1 })
    for (let sequence = 1; sequence <= 3; sequence++) {
      await stand.oweState('mandate_a', sequence)
      await worker.run()
      await worker.run()
    }
    await stand.node.reorg(2)
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })
})
