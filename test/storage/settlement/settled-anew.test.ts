import { expect, test } from 'bun:test'
import { settledDays } from '../../../src/storage/invoices/reports.ts'
import { somebody, startWatchStand } from '../../queues/watching/stand.ts'

test('an invoice settled anew on another day counts on that day alone, and on none once that is taken back', async () => {
  const stand = await startWatchStand()
  try {
    const { sql } = stand.database
    const watch = stand.watcher({ confirmations: 1 })
    const invoice = await stand.openInvoice()
    await watch.step()
    const payment = await stand.sign({ from: 1, reference: invoice.terms.reference })
    const other = await stand.sign({ from: 2, to: somebody, usdcBase: 1n })
    await stand.mined(payment)
    await watch.step()
    stand.wait(86_400_000)
    await stand.node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    await watch.step()
    const { settlement } = (await stand.now(invoice)).progress
    const day = settlement?.settledAt.slice(0, 10)
    expect((await stand.counts(invoice)).revoked).toBe(1)
    expect(await settledDays(sql, invoice.accountId, { from: null, to: null })).toMatchObject([
      { day, invoiceCount: 1, usdcBase: 12_500_000n },
    ])
    await stand.node.reorg(1)
    await watch.step()
    const counted = await sql`select day, document_count, usdc_base from tax_totals`
    const nothing = { document_count: 0n, usdc_base: '0' }
    expect([...counted]).toMatchObject([nothing, nothing])
  } finally {
    await stand.stop()
  }
})
