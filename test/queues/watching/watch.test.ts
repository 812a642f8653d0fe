import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { refusingBlocksBefore } from '../../support/rpc-faults.ts'
import { testWatcher } from '../../support/watcher.ts'
import { due, startWatchStand, type WatchStand, wallet } from './stand.ts'

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

describe('the first look', () => {
  test('finds what was paid before it, back to the first invoice', async () => {
    const invoice = await stand.openInvoice()
    await stand.node.transfer({
      from: stand.node.wallet(1).address,
      to: wallet,
      usdcBase: due,
      reference: invoice.terms.reference,
    })
    await stand.node.mine(5)
    const watch = stand.watcher()
    while ((await watch.step()).isAdvancing);
    expect((await stand.now(invoice)).state).toBe('settled')
  })

  test('finds what was paid before it on a node that refuses blocks from so long ago', async () => {
    const invoice = await stand.openInvoice()
    await stand.node.mine(40)
    const firstKept = Number(await stand.node.rpc<Hex>('eth_blockNumber'))
    await stand.mined(await stand.sign({ from: 1, reference: invoice.terms.reference }))
    await stand.node.mine(5)
    stand.relay.misbehave(refusingBlocksBefore(firstKept))
    const watch = stand.watcher()
    while ((await watch.step()).isAdvancing);
    expect((await stand.now(invoice)).state).toBe('settled')
  })

  test('begins at the head of a chain on which no invoice was ever made', async () => {
    const { node, database } = stand
    await node.mine(1)
    const rpcUrls = [node.url]
    const chain = evmChain({ network: 'polygon', chainId: 8453, rpcUrls, usdc: node.usdc })
    await testWatcher(database.sql, { chain }).step()
    const [cursor] = await database.sql`select next_block from cursors where chain = 'polygon'`
    expect(Number(cursor?.next_block)).toBeGreaterThan(
      Number(await stand.node.rpc<Hex>('eth_blockNumber')) - 4,
    )
  })
})

describe('blocks that are not confirmed', () => {
  test('are read to the head, also where a node answers only a few at once', async () => {
    const invoice = await stand.openInvoice({}, 3_600_000)
    const watch = stand.watcher({ confirmations: 64, maxRangeBlocks: 2 })
    await watch.step()
    await stand.node.mine(30)
    await stand.mined(await stand.sign({ from: 1 }))
    expect(await watch.step()).toMatchObject({ isAdvancing: false })
    expect((await stand.now(invoice)).state).toBe('paid')
  })
})

describe('two watchers of one chain', () => {
  test('step side by side and credit each transfer once', async () => {
    const invoices = await Promise.all(Array.from({ length: 10 }, () => stand.openInvoice()))
    const [one, other] = [stand.watcher(), stand.watcher()]
    await one.step()
    for (const { terms } of invoices) {
      await stand.node.transfer({
        from: stand.node.wallet(1).address,
        to: wallet,
        usdcBase: due,
        reference: terms.reference,
      })
      await Promise.all([one.step(), other.step()])
    }
    await stand.node.mine(5)
    await Promise.all([one.step(), other.step()])
    await one.step()
    for (const invoice of invoices) {
      expect(await stand.counts(invoice)).toEqual({
        receipts: 1,
        revoked: 0,
        settled: 1,
        confirmed: 1,
      })
    }
  })
})
