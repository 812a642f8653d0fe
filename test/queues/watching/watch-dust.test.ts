import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Invoice } from '../../../src/domain/invoices/invoice.ts'
import { due, startWatchStand, type WatchStand } from './stand.ts'

/** Anybody can send any number of transfers that name an invoice. */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(() => stand.stop())

/** Signs that many transfers of the least amount that name the invoice. */
async function dust({ terms: { reference } }: Invoice, count: number) {
  const { address } = stand.node.wallet(1)
  const nonce = Number(await stand.node.rpc('eth_getTransactionCount', [address, 'latest']))
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      stand.sign({ from: 1, usdcBase: 1n, reference, nonce: nonce + at }),
    ),
  )
}

async function minedTogether(signed: readonly string[]): Promise<void> {
  const { rpc, batch, mine } = stand.node
  await rpc('evm_setAutomine', [false])
  await batch(signed.map((one) => ({ method: 'eth_sendRawTransaction', params: [one] })))
  await mine(1)
  await rpc('evm_setAutomine', [true])
}

async function creditedTo(invoice: Invoice): Promise<readonly string[]> {
  return (await stand.now(invoice)).progress.payments.map(({ txHash }) => txHash)
}

test('a hundred transfers of the least amount are credited, others held, and who pays what is due still pays', async () => {
  const watch = stand.watcher()
  const invoice = await stand.openInvoice()
  await watch.step()
  const signed = await dust(invoice, 103)
  await minedTogether(signed)
  await watch.step()
  const credited = await creditedTo(invoice)
  expect(credited).toHaveLength(100)

  // Behind another transaction their logs have other indexes: all are matched anew.
  const other = await stand.sign({ from: 2, to: `0x${'bb'.repeat(20)}`, usdcBase: 1n })
  await stand.node.reorg(1, [[other, 0], ...signed.map((one): [typeof one, number] => [one, 0])])
  await watch.step()
  expect(await creditedTo(invoice)).toEqual(credited)

  const { reference } = invoice.terms
  await stand.mined(await stand.sign({ from: 2, usdcBase: due - 100n, reference }))
  await stand.node.mine(3)
  await watch.step()
  await watch.step()
  expect((await stand.now(invoice)).state).toBe('settled')
  expect(await stand.counts(invoice)).toMatchObject({ confirmed: 101, receipts: 1 })
})

test('who pays a small part first, after a hundred transfers of the least amount, pays only the rest', async () => {
  const watch = stand.watcher()
  const invoice = await stand.openInvoice()
  await watch.step()
  await minedTogether(await dust(invoice, 100))
  const { reference } = invoice.terms
  for (const usdcBase of [due / 500n, due - due / 500n])
    await stand.mined(await stand.sign({ from: 2, usdcBase, reference }))
  await stand.node.mine(3)
  await watch.step()
  await watch.step()
  expect((await stand.now(invoice)).state).toBe('settled')
  expect(await stand.counts(invoice)).toMatchObject({ confirmed: 102, receipts: 1 })
})

test('who pays exactly what is due and names nothing settles an invoice that a stranger has sent dust', async () => {
  const watch = stand.watcher()
  const invoice = await stand.openInvoice()
  await watch.step()
  await minedTogether(await dust(invoice, 1))
  await watch.step()
  expect(await creditedTo(invoice)).toHaveLength(1)
  await stand.mined(await stand.sign({ from: 2 }))
  await stand.node.mine(3)
  await watch.step()
  await watch.step()
  const { state, progress } = await stand.now(invoice)
  expect([state, progress.settlement?.matchedBy]).toEqual(['settled', 'amount'])
  expect(await stand.counts(invoice)).toMatchObject({ confirmed: 2, receipts: 1 })
})
