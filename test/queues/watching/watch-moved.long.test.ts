import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import type { Terms } from '../../../src/domain/invoices/terms.ts'
import { updateAll } from '../../../src/storage/invoices/invoices.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { claimsOn, operatorKey } from '../../support/claims.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { due, somebody, startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * A payment without a reference that a reorganisation moves: it pays the same invoice as before, or
 * none.
 */

const strangerId = '0190a000-0000-7000-8000-000000000002'

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

const stateOf = async (invoice: Invoice.Invoice) => (await stand.now(invoice)).state
const statesOf = (...invoices: readonly Invoice.Invoice[]) => Promise.all(invoices.map(stateOf))

describe('a payment that is in a lower block now, on a chain that is lower than the block it was in', () => {
  /**
   * Pays the older of two invoices over one amount. Then a reorganisation makes the chain shorter,
   * and puts the payment at another log index.
   */
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
    await expect(watch.step()).rejects.toMatchObject({ fault: 'lagging' })
    expect(await statesOf(paid, untouched)).toEqual(['paid', 'draft'])
    await stand.node.mine(5)
    await watch.step()
    await watch.step()
    expect(await statesOf(paid, untouched)).toEqual(['settled', 'draft'])
    expect(await stand.standing()).toMatchObject({ settled: 1, receipts: 1, events: 1 })
  })
})

describe('a payment by its amount alone that a reorganisation moves', () => {
  const minutesAgo = (minutes: number) => minutes * 60_000

  /**
   * Moves the payment by a reorganisation behind another transaction of its block. With `isLate`
   * the watcher takes a step before the payment is back.
   */
  async function moved(
    watch: { step(): Promise<unknown> },
    { depth, block, isLate }: { depth: number; block: readonly Hex[]; isLate: boolean },
  ): Promise<void> {
    const transactions = block.map((transaction): [Hex, number] => [transaction, 0])
    if (isLate) {
      await stand.node.reorg(depth)
      await watch.step()
    }
    await stand.node.reorg(depth, transactions)
    await watch.step()
    await stand.node.mine(5)
    await watch.step()
    await watch.step()
  }

  const ways = [
    ['in one step', false],
    ['gone for a step', true],
  ] as const

  test.each(ways)(
    '%s, pays the newer invoice that it paid, not the older one that lost its payment',
    async (_, isLate) => {
      const watch = stand.watcher({ confirmations: 6 })
      const older = await stand.openInvoice({}, minutesAgo(2))
      const newer = await stand.openInvoice({}, minutesAgo(1))
      await watch.step()
      const dropped = await stand.sign({ from: 1 })
      const instead = await stand.sign({ from: 1, to: somebody, usdcBase: 1n })
      const payment = await stand.sign({ from: 2 })
      await stand.mined(dropped)
      await stand.mined(payment)
      await watch.step()
      expect(await statesOf(older, newer)).toEqual(['paid', 'paid'])
      await moved(watch, { depth: 2, block: [instead, payment], isLate })
      expect(await statesOf(older, newer)).toEqual(['draft', 'settled'])
      expect(await held()).toEqual([])
    },
  )

  test.each(ways)(
    '%s, comes before a payment of the same amount that was never seen before it',
    async (_, isLate) => {
      const watch = stand.watcher({ confirmations: 6 })
      const invoice = await stand.openInvoice({}, minutesAgo(1))
      await watch.step()
      const payment = await stand.sign({ from: 1 })
      const another = await stand.sign({ from: 2 })
      const txHash = await stand.mined(payment)
      await watch.step()
      await moved(watch, { depth: 1, block: [another, payment], isLate })
      const { state, progress } = await stand.now(invoice)
      expect([state, progress.settlement?.txHash]).toEqual(['settled', txHash])
      expect(await held()).toEqual(['unmatched'])
    },
  )

  /**
   * A paid invoice whose payment was then reorganised away, while a stranger has an invoice over
   * the same amount.
   */
  async function lostBeside(watch: { step(): Promise<unknown> }, over: Partial<Terms> = {}) {
    const invoice = await stand.openInvoice(over, minutesAgo(2))
    await watch.step()
    const other = await stand.sign({ from: 2, to: somebody, usdcBase: 1n })
    const payment = await stand.sign({ from: 1 })
    await stand.mined(payment)
    await watch.step()
    expect(await stateOf(invoice)).toBe('paid')
    await stand.node.reorg(1)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    const terms = { payTo: wallet, dueUsdcBase: due }
    const at = new Date(Date.now() - minutesAgo(1))
    const strangers = await storedInvoice(stand.database.sql, strangerId, terms, at)
    return { invoice, strangers, block: [other, payment] }
  }

  async function close(invoice: Invoice.Invoice, kind: 'void' | 'expire'): Promise<void> {
    const before = await stand.now(invoice)
    const at = new Date()
    const events = decide(before, { kind }, at)
    const after = evolve(before, events, at) as Invoice.Invoice
    await updateAll(stand.database.sql, [
      { before, after, entry: { types: 'invoice.sent', data: null } },
    ])
    expect(await stateOf(invoice)).toBe('failed')
  }

  test('pays what it paid, though a stranger’s invoice is due the same now', async () => {
    const watch = stand.watcher()
    const { invoice, strangers, block } = await lostBeside(watch)
    await moved(watch, { depth: 1, block, isLate: false })
    expect(await statesOf(invoice, strangers)).toEqual(['settled', 'draft'])
  })

  test('pays what it paid though that has expired, and never a stranger’s open invoice', async () => {
    const watch = stand.watcher()
    const over = { dueAt: new Date().toISOString() }
    const { invoice, strangers, block } = await lostBeside(watch, over)
    await close(invoice, 'expire')
    await moved(watch, { depth: 1, block, isLate: false })
    expect(await statesOf(invoice, strangers)).toEqual(['settled', 'draft'])
  })

  test('is held where what it paid was voided, and never pays a stranger’s open invoice', async () => {
    const watch = stand.watcher()
    const { invoice, strangers, block } = await lostBeside(watch)
    await close(invoice, 'void')
    await moved(watch, { depth: 1, block, isLate: false })
    expect(await statesOf(invoice, strangers)).toEqual(['failed', 'draft'])
    expect(await held()).toEqual(['unmatched'])
  })
})

describe('payments that name one invoice, of which only one is due', () => {
  /** Puts the payments, in this order, behind another one into the newest block. */
  async function mineTogether(payments: readonly Hex[], depth: number): Promise<void> {
    const other = await stand.sign({ from: 3, to: somebody, usdcBase: 1n })
    const transactions = [other, ...payments].map((raw): [Hex, number] => [raw, depth - 1])
    await stand.node.reorg(depth, transactions)
  }

  const paidWith = async (invoice: Invoice.Invoice) =>
    (await stand.now(invoice)).progress.payments.map(({ txHash }) => txHash)

  test.each([
    ['in one step', false],
    ['gone for a step', true],
  ])(
    '%s, both keep theirs where the second, assigned to another, is mined again before the first',
    async (_, isGone) => {
      const watch = stand.watcher()
      const [named, other] = [await stand.openInvoice(), await stand.openInvoice({}, -600_000)]
      const { reference } = named.terms
      await stand.node.mint(stand.node.wallet(3).address, 1n)
      await watch.step()
      const [first, second] = [
        await stand.sign({ from: 1, reference }),
        await stand.sign({ from: 2, reference }),
      ]
      const [firstHash, secondHash] = [await stand.mined(first), await stand.mined(second)]
      await watch.step()
      const { sql } = stand.database
      const [row] = await sql<{ position: number }[]>`
      select position from transfers where tx_hash = ${toBytes(secondHash)}`
      const held = { chain: 'base', txHash: secondHash, position: row?.position ?? 0 } as const
      await claimsOn(sql).assign(held, other.id, await operatorKey(sql))
      if (isGone) {
        await stand.node.reorg(2)
        await watch.step()
        expect([await paidWith(named), await paidWith(other)]).toEqual([[], []])
      }
      await mineTogether([second, first], 2)
      await watch.step()
      expect(await paidWith(named)).toEqual([firstHash])
      expect(await paidWith(other)).toEqual([secondHash])
    },
  )

  test('the one that paid it until now keeps it where the one that did before is mined again as well', async () => {
    const watch = stand.watcher()
    const named = await stand.openInvoice()
    const { reference } = named.terms
    await watch.step()
    await stand.node.mint(stand.node.wallet(3).address, 1n)
    const gone = await stand.sign({ from: 1, reference })
    await stand.mined(gone)
    await watch.step()
    await stand.node.reorg(1)
    await watch.step()
    const paying = await stand.sign({ from: 2, reference })
    const txHash = await stand.mined(paying)
    await watch.step()
    await mineTogether([gone, paying], 1)
    await watch.step()
    expect(await paidWith(named)).toEqual([txHash])
    expect(await held()).toEqual(['unmatched'])
  })
})

/** How each recorded transfer that pays nothing is held. */
async function held(): Promise<readonly string[]> {
  const rows = await stand.database.sql`
    select held_as from transfers where held_as is not null and state <> 'reverted'`
  return rows.map((row) => row.held_as)
}
