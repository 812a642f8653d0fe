import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type * as Invoice from '../../src/domain/invoice.ts'
import { somebody, startWatchStand, type WatchStand } from './watch-stand.ts'

/** A payment that names nothing, and that a reorganisation moves: it pays what it paid before, or nothing. */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

const stateOf = async (invoice: Invoice.Invoice) => (await stand.now(invoice)).state
const statesOf = (...invoices: readonly Invoice.Invoice[]) => Promise.all(invoices.map(stateOf))

describe('a payment that is in a lower block now, on a chain that is lower than the block it was in', () => {
  /** Two invoices of one amount, of which the older one was paid; after that the chain is shorter, and the payment at another log index. */
  async function movedDown(watch: { step(): Promise<unknown> }) {
    const invoices = [await stand.openInvoice({}, 60_000), await stand.openInvoice({}, 30_000)]
    await watch.step()
    const payment = await stand.sign({ from: 1 })
    const other = await stand.sign({ from: 2, to: somebody, usdcBase: 1n })
    const before = await stand.node.rpc<Hex>('evm_snapshot')
    await stand.node.mine(1)
    await stand.mined(payment)
    await watch.step()
    expect(await statesOf(...invoices)).toEqual(['paid', 'draft'])
    await stand.node.rpc('evm_revert', [before])
    await stand.node.mine(1)
    await stand.node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    return invoices as [Invoice.Invoice, Invoice.Invoice]
  }

  test('pays nobody else, and settles what it paid once the chain is as high again', async () => {
    const watch = stand.watcher()
    const [paid, untouched] = await movedDown(watch)
    await watch.step().catch(() => {})
    expect(await statesOf(paid, untouched)).toEqual(['paid', 'draft'])
    await stand.node.mine(5)
    await watch.step()
    await watch.step()
    expect(await statesOf(paid, untouched)).toEqual(['settled', 'draft'])
    expect(await stand.standing()).toMatchObject({ settled: 1, receipts: 1, events: 1 })
  })

  test('and that got on record in both of them is one payment again once the chain is as high', async () => {
    const watch = stand.watcher({
      instead: ({ transfersIn }) => ({
        transfersIn: (chain, range) => transfersIn(chain, range, []),
      }),
    })
    const invoices = await movedDown(watch)
    await watch.step()
    expect(await statesOf(...invoices)).toEqual(['paid', 'paid'])
    await stand.node.mine(5)
    const later = stand.watcher()
    await later.step()
    await later.step()
    expect(await statesOf(...invoices)).toEqual(['settled', 'draft'])
    expect(await stand.standing()).toMatchObject({ settled: 1, receipts: 1, events: 1 })
  })
})
