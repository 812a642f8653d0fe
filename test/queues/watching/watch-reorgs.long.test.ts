import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { statedBy } from '../../support/receipts.ts'
import { newInvoice } from '../../support/stored-invoice.ts'
import { accountId, due, somebody, startWatchStand, type WatchStand, wallet } from './stand.ts'

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** An invoice, and its payment in a separate block. */
async function paidInvoice(watch: { step(): Promise<unknown> }) {
  const invoice = await stand.openInvoice()
  await watch.step()
  const payment = await stand.sign({ from: 1, reference: invoice.terms.reference })
  return { invoice, payment, txHash: await stand.mined(payment) }
}

/** The next nonce of the payer. */
const nextNonce = async () =>
  Number(await stand.node.rpc('eth_getTransactionCount', [stand.node.wallet(1).address, 'latest']))
const countsOf = (invoice: Invoice.Invoice) => stand.counts(invoice)
const stateOf = async (invoice: Invoice.Invoice) => (await stand.now(invoice)).state
const receivedOf = async (invoice: Invoice.Invoice) => {
  const { payments } = (await stand.now(invoice)).progress
  return payments.map(({ usdcBase }) => usdcBase)
}

describe('a payment that a reorganisation moves', () => {
  test('behind another transaction of its block, to another log index, is credited there', async () => {
    const watch = stand.watcher()
    const { invoice, payment } = await paidInvoice(watch)
    const other = await stand.sign({ from: 2, to: somebody, usdcBase: 1n })
    await watch.step()
    expect(await stateOf(invoice)).toBe('paid')
    await stand.node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    await watch.step()
    expect(await stateOf(invoice)).toBe('paid')
    await stand.node.mine(5)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    expect(await countsOf(invoice)).toEqual({ receipts: 1, revoked: 0, settled: 1, confirmed: 1 })
  })

  test('after it was settled: one receipt is revoked, one is in force, in one step', async () => {
    const watch = stand.watcher({ confirmations: 1 })
    const { invoice, payment } = await paidInvoice(watch)
    const other = await stand.sign({ from: 2, to: somebody, usdcBase: 1n })
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    await stand.node.mine(2)
    await watch.step()
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    expect(await countsOf(invoice)).toEqual({ receipts: 1, revoked: 1, settled: 2, confirmed: 1 })
  })

  test.each([
    ['before it was settled', 3, 0],
    ['after it was settled', 1, 1],
  ])(
    'to another block %s is receipted with the block it is in',
    async (_, confirmations, revoked) => {
      const watch = stand.watcher({ confirmations })
      const { invoice, payment, txHash } = await paidInvoice(watch)
      await stand.node.mine(1)
      await watch.step()
      const before = await stand.blockOf(txHash)
      await stand.node.reorg(2, [[payment, 1]])
      await watch.step()
      await stand.node.mine(5)
      await watch.step()
      const { state, progress } = await stand.now(invoice)
      expect([state, progress.settlement?.blockNumber]).toEqual(['settled', before + 1])
      expect(await countsOf(invoice)).toMatchObject({ receipts: 1, revoked, confirmed: 1 })
      const [receipt] = await stand.database.sql`
      select id from receipts where subject_id = ${invoice.id} and revoked_at is null`
      const { transfers } = await statedBy(stand.database.sql, receipt?.id)
      expect(transfers[0].blockNumber).toBe(before + 1)
    },
  )

  test('out of the chain leaves the invoice open and the transfer on record as reverted', async () => {
    const watch = stand.watcher()
    const { invoice } = await paidInvoice(watch)
    await watch.step()
    expect(await stateOf(invoice)).toBe('paid')
    await stand.node.reorg(1)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    expect([...(await stand.database.sql`select state from transfers`)]).toEqual([
      { state: 'reverted' },
    ])
  })
})

describe('a transaction of three payments that a reorganisation moves', () => {
  /** A signed transaction that pays these invoices by authorisations, one after the other. */
  async function paidTogether(invoices: readonly Invoice.Invoice[]): Promise<Hex> {
    const from = stand.node.wallet(1)
    const calls = invoices.map(({ terms: { reference, dueUsdcBase: usdcBase } }) =>
      stand.node.signedAuthorization({ from, to: wallet, usdcBase, reference }),
    )
    return stand.signBatch(await Promise.all(calls))
  }

  /**
   * The transaction behind `transfers` other transfers. A transfer writes one log and an
   * authorisation two, so the payments move by that many log indexes.
   */
  async function behind(transfers: number, payments: Hex): Promise<[Hex, number][]> {
    const next = await nextNonce()
    const others = await Promise.all(
      Array.from({ length: transfers }, (_, n) =>
        stand.sign({ from: 1, to: somebody, usdcBase: 1n, nonce: next + n }),
      ),
    )
    return [...others, payments].map((signed) => [signed, 0])
  }

  const equal = [due, due, due]
  const different = [due, due + 1n, due + 2n]

  for (const [title, amounts, confirmations] of [
    ['of equal amounts', equal, 3],
    ['of different amounts', different, 3],
    ['that were settled', different, 1],
  ] as const) {
    test.each([1, 2, 4, 6])(
      `${title}, by %i log indexes, still pays each invoice its own`,
      async (shift) => {
        const watch = stand.watcher({ confirmations })
        const invoices: Invoice.Invoice[] = []
        for (const dueUsdcBase of amounts) invoices.push(await stand.openInvoice({ dueUsdcBase }))
        await watch.step()
        const payments = await paidTogether(invoices)
        const replaced = await behind(shift, payments)
        await stand.mined(payments)
        await watch.step()
        await stand.node.reorg(1, replaced)
        await watch.step()
        await watch.step()
        await stand.node.mine(5)
        await watch.step()
        await watch.step()
        expect(await Promise.all(invoices.map(receivedOf))).toEqual(amounts.map((due) => [due]))
        expect(await Promise.all(invoices.map(stateOf))).toEqual(Array(3).fill('settled'))
        const held = await stand.database.sql`
        select position from transfers where state <> 'reverted' and invoice_id is null`
        expect([...held]).toEqual([])
        const [sums] = await stand.database.sql`
        select sum(usdc_base)::bigint as sum from transfers where state = 'confirmed'`
        expect(sums?.sum).toBe(amounts.reduce((sum, amount) => sum + amount, 0n))
        for (const invoice of invoices)
          expect(await stand.counts(invoice)).toMatchObject({ receipts: 1, confirmed: 1 })
      },
    )
  }

  for (const outcome of ['credited', 'held'] as const) {
    test.each([1, 2, 4, 6])(
      `${outcome}, out of the chain and, a step later, back in it by %i log indexes, are on record as what they are`,
      async (shift) => {
        const watch = stand.watcher()
        const invoices: Invoice.Invoice[] = []
        for (const dueUsdcBase of different) {
          const over = { payTo: wallet, dueUsdcBase }
          const isKnown = outcome === 'credited'
          invoices.push(isKnown ? await stand.openInvoice(over) : newInvoice(accountId, over))
        }
        await watch.step()
        const payments = await paidTogether(invoices)
        const replaced = await behind(shift, payments)
        await stand.mined(payments)
        await watch.step()
        await stand.node.reorg(1)
        await watch.step()
        await stand.node.reorg(1, replaced)
        await watch.step()
        const { address } = stand.node.wallet(1)
        const records = await stand.database.sql`
          select usdc_base::int, from_address, to_address, invoice_id from transfers where state <> 'reverted' order by position`
        expect(records.map((record) => ({ ...record }))).toEqual(
          invoices.map(({ id, terms }) => ({
            usdc_base: Number(terms.dueUsdcBase),
            from_address: toBytes(address),
            to_address: toBytes(wallet),
            invoice_id: outcome === 'credited' ? id : null,
          })),
        )
      },
    )
  }
})

describe('before the depth at which it counts', () => {
  test.each([1, 2, 3, 4, 5])(
    'a payment %i blocks deep that vanishes announces nothing',
    async (depth) => {
      const watch = stand.watcher({ confirmations: 6 })
      const { invoice } = await paidInvoice(watch)
      await stand.node.mine(depth - 1)
      await watch.step()
      expect(await stateOf(invoice)).toBe('paid')
      await stand.node.reorg(depth)
      await stand.node.mine(8)
      await watch.step()
      expect(await stateOf(invoice)).toBe('draft')
      expect(await countsOf(invoice)).toEqual({ receipts: 0, revoked: 0, settled: 0, confirmed: 0 })
    },
  )

  test('a payment that is replaced by a smaller one counts as the smaller one', async () => {
    const watch = stand.watcher()
    const invoice = await stand.openInvoice()
    await watch.step()
    const { reference } = invoice.terms
    const nonce = await nextNonce()
    await stand.mined(await stand.sign({ from: 1, reference, nonce }))
    await watch.step()
    const smaller = await stand.sign({ from: 1, reference, nonce, usdcBase: due - 1n })
    await stand.node.reorg(1, [[smaller, 0]])
    await stand.node.mine(5)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    expect(await receivedOf(invoice)).toEqual([due - 1n])
    expect(await countsOf(invoice)).toEqual({ receipts: 0, revoked: 0, settled: 0, confirmed: 1 })
  })
})

describe('after it was settled', () => {
  test('a payment that vanishes, twelve blocks deep, reopens the invoice within two steps and revokes its receipt', async () => {
    const watch = stand.watcher()
    const { invoice } = await paidInvoice(watch)
    await stand.node.mine(4)
    await watch.step()
    await stand.node.mine(7)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(12)
    await stand.node.mine(1)
    await watch.step()
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    expect(await countsOf(invoice)).toEqual({ receipts: 0, revoked: 1, settled: 1, confirmed: 0 })
    const failed = await stand.database.sql`select type from trail_steps
      where subject_id = ${invoice.id} and type = 'settlement.failed'`
    expect(failed).toHaveLength(1)
  })

  test('a payment that vanishes with hundreds of blocks, after as many looks, reopens the invoice', async () => {
    const watch = stand.watcher()
    const { invoice } = await paidInvoice(watch)
    for (let look = 0; look < 100; look++) {
      await stand.node.mine(2)
      await watch.step()
    }
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(205)
    await stand.node.mine(1)
    await watch.step()
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
  })

  test('a payment found by the very first look that vanishes reopens the invoice', async () => {
    const watch = stand.watcher()
    const invoice = await stand.openInvoice({}, 3_600_000)
    await stand.mined(await stand.sign({ from: 1, reference: invoice.terms.reference }))
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(5)
    await stand.node.mine(5)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
  })

  test('a payment that stays when all blocks ever read are replaced, and then vanishes, reopens the invoice', async () => {
    const watch = stand.watcher()
    const { invoice, payment } = await paidInvoice(watch)
    await stand.node.mine(4)
    await watch.step()
    await stand.node.reorg(6, [[payment, 1]])
    await stand.node.mine(1)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(6)
    await stand.node.mine(1)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
  })

  test('a payment that vanishes from a chain that is shorter then reopens the invoice as soon as the chain is as high as was read', async () => {
    const watch = stand.watcher({ confirmations: 10 })
    const { invoice } = await paidInvoice(watch)
    await stand.node.mine(30)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    const head = Number(await stand.node.rpc<Hex>('eth_blockNumber'))
    await stand.node.rpc('anvil_rollback', [31])
    await stand.node.mine(25)
    expect(Number(await stand.node.rpc<Hex>('eth_blockNumber'))).toBe(head - 6)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
  })

  test('a payment that vanishes just while later blocks are read reopens the invoice', async () => {
    const watch = stand.watcher()
    const { invoice } = await paidInvoice(watch)
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    let isMoved = false
    stand.relay.misbehave(async (request, forward) => {
      if (!isMoved && request.some(({ method }) => method === 'eth_getLogs')) {
        isMoved = true
        await stand.node.reorg(5)
      }
      return Response.json(await forward(request))
    })
    await expect(watch.step()).rejects.toThrow('changed while later ones were read')
    expect(isMoved).toBe(true)
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
  })

  test('a payment that is mined again in a later block settles the invoice again, once', async () => {
    const watch = stand.watcher()
    const { invoice, payment, txHash } = await paidInvoice(watch)
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.reorg(5)
    await stand.node.mine(1)
    await watch.step()
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    expect(await stand.mined(payment)).toBe(txHash)
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    expect(await countsOf(invoice)).toEqual({ receipts: 1, revoked: 1, settled: 2, confirmed: 1 })
    expect(await receivedOf(invoice)).toEqual([due])
  })

  test('a payment that is replaced by a smaller one leaves the invoice open for the rest, which settles it', async () => {
    const watch = stand.watcher()
    const invoice = await stand.openInvoice()
    await watch.step()
    const { reference } = invoice.terms
    const nonce = await nextNonce()
    await stand.mined(await stand.sign({ from: 1, reference, nonce }))
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    const smaller = await stand.sign({ from: 1, reference, nonce, usdcBase: 5n })
    await stand.node.reorg(5, [[smaller, 0]])
    await stand.node.mine(4)
    await watch.step()
    await watch.step()
    expect([await stateOf(invoice), await receivedOf(invoice)]).toEqual(['draft', [5n]])
    await stand.mined(await stand.sign({ from: 1, reference, usdcBase: due - 5n }))
    await stand.node.mine(4)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    expect(await countsOf(invoice)).toEqual({ receipts: 1, revoked: 1, settled: 2, confirmed: 2 })
  })

  test('a chain that goes back to where it was and another way is followed', async () => {
    const watch = stand.watcher({ confirmations: 1 })
    const before = await stand.node.rpc<Hex>('evm_snapshot')
    const { invoice, payment } = await paidInvoice(watch)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    await stand.node.rpc('evm_revert', [before])
    await stand.mined(await stand.sign({ from: 2, to: somebody, usdcBase: 3n }))
    await stand.node.mine(2)
    await watch.step()
    await watch.step()
    expect(await stateOf(invoice)).toBe('draft')
    await stand.mined(payment)
    await watch.step()
    expect(await stateOf(invoice)).toBe('settled')
    expect(await countsOf(invoice)).toEqual({ receipts: 1, revoked: 1, settled: 2, confirmed: 1 })
  })
})
