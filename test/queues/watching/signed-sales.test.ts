import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { authorizationKey } from '../../../src/domain/x402/signed-payment.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { claimPayment, markSettled } from '../../../src/storage/x402/payments.ts'
import { newClaim } from '../../support/paywall.ts'
import { startWatchStand, type WatchStand, wallet } from './stand.ts'

/**
 * Payments by signed authorisation of exactly a resource's price, beside an invoice over the same
 * amount.
 */

const price = 10_000n
const nonce: Hex = `0x${'c7'.repeat(32)}`

let stand: WatchStand
let invoice: Invoice.Invoice
let watch: Watcher

beforeEach(async () => {
  stand = await startWatchStand()
  invoice = await stand.openInvoice({ dueUsdcBase: price }, 60_000)
  watch = stand.watcher()
  await watch.step()
})
afterEach(() => stand.stop())

function pay(reference: string): Promise<Hex> {
  const payment = { from: stand.node.wallet(1), to: wallet, usdcBase: price, reference }
  return stand.node.transferWithAuthorization(payment)
}

/**
 * Claims an authorisation for a purchase. Answers a function that records the transaction of its
 * settlement, and says whether the purchase got it.
 */
async function buyWith(reference: string): Promise<(txHash: string) => Promise<boolean>> {
  const payer = stand.node.wallet(1).address.toLowerCase()
  const key = authorizationKey('base', { payer, nonce: reference })
  const payment = { key, network: 'base', payer, txHash: null } as const
  await claimPayment(stand.database.sql, newClaim(payment))
  // The transfer's log follows that of the authorisation.
  return async (txHash) =>
    (await markSettled(stand.database.sql, payment, { txHash, position: 1 })) !== null
}

async function stepOnceCertain(): Promise<void> {
  await stand.node.mine(5)
  await watch.step()
}

async function standing() {
  const { state, progress } = await stand.now(invoice)
  return [state, ...progress.payments.map(({ matchedBy }) => matchedBy)]
}

test('one that names no invoice is left alone until it is certain, and then settles what nobody sold anything for', async () => {
  await pay(nonce)
  await watch.step()
  expect(await standing()).toEqual(['draft'])
  await stepOnceCertain()
  expect(await standing()).toEqual(['settled', 'amount'])
})

test('one that names an invoice pays it at once', async () => {
  await pay(invoice.terms.reference)
  await watch.step()
  expect(await standing()).toEqual(['paid', 'reference'])
})

test.each([
  ['nothing', () => nonce],
  ['an invoice', () => invoice.terms.reference],
])('one that somebody buys with pays no invoice, though it names %s', async (_, reference) => {
  const settle = await buyWith(reference())
  const txHash = await pay(reference())
  await watch.step()
  await stepOnceCertain()
  expect(await standing()).toEqual(['draft'])
  expect(await settle(txHash)).toBe(true)
})

test('a plain transfer that names an invoice pays it, though its sender has bought with an authorisation of that nonce', async () => {
  const reference = invoice.terms.reference
  const settle = await buyWith(reference)
  expect(await settle(await pay(reference))).toBe(true)
  await stand.mined(await stand.sign({ from: 1, usdcBase: price, reference }))
  await stepOnceCertain()
  expect(await standing()).toEqual(['settled', 'reference'])
})

test('one that settled an invoice before somebody bought with it buys nothing', async () => {
  const txHash = await pay(nonce)
  await stepOnceCertain()
  const settle = await buyWith(nonce)
  expect(await settle(txHash)).toBe(false)
  expect(await standing()).toEqual(['settled', 'amount'])
})
