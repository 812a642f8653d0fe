import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { decide } from '../../../src/domain/invoices/decide.ts'
import { evolve } from '../../../src/domain/invoices/evolve.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { authorizationKey } from '../../../src/domain/x402/signed-payment.ts'
import { insertAll, loadMany } from '../../../src/storage/invoices/invoices.ts'
import { claimPayment, markSettled } from '../../../src/storage/x402/payments.ts'
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts'
import { terms } from '../../support/invoice.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { newClaim } from '../../support/paywall.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { baseBy, invoiceReferences, testWatcher } from '../../support/watcher.ts'

/**
 * Payments by signed authorisation of exactly a resource's price, beside an invoice over the same
 * amount.
 */

const wallet = '0x00000000000000000000000000000000000000aa'
const price = 10_000n
const nonce: Hex = `0x${'c7'.repeat(32)}`

let node: EvmNode
let database: TestDatabase
let invoiceId: string
let watch: ReturnType<typeof testWatcher>

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000_000n)
  database = await testDatabase()
  await rememberPaymentAddress(database.sql, 'base', wallet)
  invoiceId = await openInvoice()
  const confirmations = { blocks: 3, finalized: false }
  watch = testWatcher(database.sql, { chain: baseBy(node), confirmations })
  await watch.step()
})
afterEach(async () => {
  await node.stop()
  await database.drop()
})

async function openInvoice(): Promise<string> {
  const id = Bun.randomUUIDv7()
  const at = new Date(Date.now() - 60_000)
  const agreed = terms({ payTo: wallet, dueUsdcBase: price })
  const create = { kind: 'create', id, accountId: Bun.randomUUIDv7(), terms: agreed } as const
  const invoice = evolve(undefined, decide(undefined, create, at), at)
  await insertAll(database.sql, [{ invoice: invoice as Invoice.Invoice, idempotency: null }])
  return id
}

function pay(reference: string): Promise<Hex> {
  const payment = { from: node.wallet(1), to: wallet, usdcBase: price, reference }
  return node.transferWithAuthorization(payment)
}

/**
 * Claims an authorisation for a purchase. Answers a function that records the transaction of its
 * settlement, and says whether the purchase got it.
 */
async function buyWith(reference: string): Promise<(txHash: string) => Promise<boolean>> {
  const payer = node.wallet(1).address.toLowerCase()
  const key = authorizationKey('base', { payer, nonce: reference })
  await claimPayment(database.sql, newClaim({ key, network: 'base', payer, txHash: null }), [])
  return async (txHash) => (await markSettled(database.sql, key, txHash)) !== null
}

async function stepOnceCertain(): Promise<void> {
  await node.mine(5)
  await watch.step()
}

async function standing() {
  const [invoice] = await loadMany(database.sql, [invoiceId])
  return [invoice?.state, ...(invoice?.progress.payments ?? []).map(({ matchedBy }) => matchedBy)]
}

test('one that names no invoice is left alone until it is certain, and then settles what nobody sold anything for', async () => {
  await pay(nonce)
  await watch.step()
  expect(await standing()).toEqual(['draft'])
  await stepOnceCertain()
  expect(await standing()).toEqual(['settled', 'amount'])
})

test('one that names an invoice pays it at once', async () => {
  await pay(invoiceReferences.of(invoiceId))
  await watch.step()
  expect(await standing()).toEqual(['paid', 'reference'])
})

test.each([
  ['nothing', () => nonce],
  ['an invoice', () => invoiceReferences.of(invoiceId)],
])('one that somebody buys with pays no invoice, though it names %s', async (_, reference) => {
  const settle = await buyWith(reference())
  const txHash = await pay(reference())
  await watch.step()
  await stepOnceCertain()
  expect(await standing()).toEqual(['draft'])
  expect(await settle(txHash)).toBe(true)
})

test('a plain transfer that names an invoice pays it, though its sender has bought with an authorisation of that nonce', async () => {
  const reference = invoiceReferences.of(invoiceId)
  const settle = await buyWith(reference)
  expect(await settle(await pay(reference))).toBe(true)
  const { address: from } = node.wallet(1)
  await node.transfer({ from, to: wallet, usdcBase: price, reference })
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
