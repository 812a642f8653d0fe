import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { evmChain } from '../../src/chain/evm.ts'
import * as Invoice from '../../src/domain/invoice.ts'
import { references } from '../../src/domain/reference.ts'
import { createWatcher } from '../../src/queues/watch.ts'
import { insertAll, loadMany, rememberPaymentAddress } from '../../src/storage/invoices.ts'
import { watchStore } from '../../src/storage/watching.ts'
import { type EvmNode, startEvmNode, transferCall } from '../support/evm-node.ts'
import { terms } from '../support/invoice.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

const wallet = '0x00000000000000000000000000000000000000aa'
const somebody = '0x00000000000000000000000000000000000000bb'
const invoiceReferences = references(new Uint8Array(32).fill(3))
const accountId = '0190a000-0000-7000-8000-000000000001'
const due = 12_500_000n

let node: EvmNode
let database: TestDatabase

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  for (const n of [1, 2]) await node.mint(node.wallet(n).address, 1_000_000_000n)
  database = await testDatabase()
  await rememberPaymentAddress(database.sql, 'base', wallet)
})
afterEach(async () => {
  await node.stop()
  await database.drop()
})

function watcher(confirmations = 3) {
  return createWatcher({
    chain: evmChain({ network: 'base', chainId: 8453, rpcUrls: [node.url], usdc: node.usdc }),
    store: watchStore(database.sql),
    confirmations: { blocks: confirmations, finalized: false },
    startBlock: null,
    maxRangeBlocks: 100,
    feeBasisPoints: 0,
    references: invoiceReferences,
    now: () => new Date(),
    newId: () => Bun.randomUUIDv7(),
    log: { warn: () => {} },
    onReorganised: async () => {},
    onSettled: () => {},
  })
}

async function openInvoice(over: Partial<Invoice.Terms> = {}): Promise<Invoice.Invoice> {
  const id = Bun.randomUUIDv7()
  const at = new Date()
  const agreed = terms({
    payTo: wallet,
    dueUsdcBase: due,
    reference: invoiceReferences.of(id),
    ...over,
  })
  const events = Invoice.decide(undefined, { kind: 'create', id, accountId, terms: agreed }, at)
  const invoice = Invoice.evolve(undefined, events, at) as Invoice.Invoice
  await insertAll(database.sql, [{ invoice, idempotency: null }])
  return invoice
}

async function now(invoice: Invoice.Invoice): Promise<Invoice.Invoice> {
  return (await loadMany(database.sql, [invoice.id]))[0] as Invoice.Invoice
}

/** A signed transfer that a reorganisation can put anywhere. */
async function signedTransfer(
  from: number,
  to: string,
  usdcBase: bigint,
  reference = '0x',
): Promise<Hex> {
  const { address, privateKey } = node.wallet(from)
  const nonce = await node.rpc<Hex>('eth_getTransactionCount', [address, 'latest'])
  return privateKeyToAccount(privateKey).signTransaction({
    type: 'eip1559',
    chainId: 8453,
    nonce: Number(nonce),
    gas: 200_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    to: node.usdc,
    data: `${transferCall({ to, usdcBase })}${reference.slice(2)}`,
  })
}

/** Sends a signed transaction and waits for its block: anvil answers before it has made one. */
async function mined(signed: Hex): Promise<Hex> {
  const txHash = await node.rpc<Hex>('eth_sendRawTransaction', [signed])
  while ((await node.rpc('eth_getTransactionReceipt', [txHash])) === null) await Bun.sleep(5)
  return txHash
}

async function blockOf(txHash: Hex): Promise<number> {
  const receipt = await node.rpc<{ blockNumber: Hex }>('eth_getTransactionReceipt', [txHash])
  return Number(receipt.blockNumber)
}

async function counts(invoice: Invoice.Invoice) {
  const [row] = await database.sql`select
    (select count(*)::int from receipts where subject_id = ${invoice.id} and revoked_at is null) as receipts,
    (select count(*)::int from receipts where subject_id = ${invoice.id} and revoked_at is not null) as revoked,
    (select count(*)::int from events where subject_id = ${invoice.id} and type = 'invoice.settled') as settled,
    (select count(*)::int from transfers where invoice_id = ${invoice.id} and state = 'confirmed') as confirmed`
  return { ...row }
}

describe('a payment that a reorganisation moves', () => {
  test('behind another transaction of its block, to another log index, is credited there', async () => {
    const invoice = await openInvoice()
    const watch = watcher()
    await watch.step()
    const payment = await signedTransfer(1, wallet, due, invoice.terms.reference)
    const other = await signedTransfer(2, somebody, 1n)
    await mined(payment)
    await watch.step()
    expect((await now(invoice)).state).toBe('paid')
    await node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    await watch.step()
    expect((await now(invoice)).state).toBe('paid')
    await node.mine(5)
    await watch.step()
    expect((await now(invoice)).state).toBe('settled')
    expect(await counts(invoice)).toEqual({ receipts: 1, revoked: 0, settled: 1, confirmed: 1 })
  })

  test('after it was settled: one receipt is revoked, one is in force, in one step', async () => {
    const invoice = await openInvoice()
    const watch = watcher(1)
    await watch.step()
    const payment = await signedTransfer(1, wallet, due, invoice.terms.reference)
    const other = await signedTransfer(2, somebody, 1n)
    await mined(payment)
    await watch.step()
    expect((await now(invoice)).state).toBe('settled')
    await node.reorg(1, [
      [other, 0],
      [payment, 0],
    ])
    await node.mine(2)
    await watch.step()
    await watch.step()
    expect((await now(invoice)).state).toBe('settled')
    expect(await counts(invoice)).toEqual({ receipts: 1, revoked: 1, settled: 2, confirmed: 1 })
  })

  test('to another block is receipted with the block it is in', async () => {
    const invoice = await openInvoice()
    const watch = watcher()
    await watch.step()
    await node.mine(1)
    const payment = await signedTransfer(1, wallet, due, invoice.terms.reference)
    const txHash = await mined(payment)
    await watch.step()
    await node.reorg(2, [[payment, 0]])
    await watch.step()
    await node.mine(5)
    await watch.step()
    const { settlement } = (await now(invoice)).progress
    expect(settlement?.blockNumber).toBe(await blockOf(txHash))
    const [receipt] =
      await database.sql`select preimage from receipts where subject_id = ${invoice.id}`
    expect(JSON.parse(receipt?.preimage).settlement.transfers[0].blockNumber).toBe(
      await blockOf(txHash),
    )
  })

  test('out of the chain is noticed though no block between the steps was looked at', async () => {
    const invoice = await openInvoice()
    const watch = watcher()
    await watch.step()
    await mined(await signedTransfer(1, wallet, due, invoice.terms.reference))
    await node.mine(3)
    await watch.step()
    expect((await now(invoice)).state).toBe('settled')
    await node.reorg(4)
    await watch.step()
    expect((await now(invoice)).state).toBe('draft')
    expect(await counts(invoice)).toEqual({ receipts: 0, revoked: 1, settled: 1, confirmed: 0 })
  })

  test('out of the chain leaves the invoice open and the transfer on record as reverted', async () => {
    const invoice = await openInvoice()
    const watch = watcher()
    await watch.step()
    const payment = await signedTransfer(1, wallet, due, invoice.terms.reference)
    await mined(payment)
    await watch.step()
    expect((await now(invoice)).state).toBe('paid')
    await node.reorg(1)
    await watch.step()
    expect((await now(invoice)).state).toBe('draft')
    expect([...(await database.sql`select state from transfers`)]).toEqual([{ state: 'reverted' }])
  })
})

describe('the first look', () => {
  test('finds what was paid before it, back to the first invoice', async () => {
    const invoice = await openInvoice()
    await node.transfer({
      from: node.wallet(1).address,
      to: wallet,
      usdcBase: due,
      reference: invoice.terms.reference,
    })
    await node.mine(5)
    const watch = watcher()
    while ((await watch.step()).isAdvancing);
    expect((await now(invoice)).state).toBe('settled')
  })

  test('begins at the head where no invoice was ever made', async () => {
    await node.mine(1)
    await watcher().step()
    const [cursor] = await database.sql`select next_block from cursors`
    expect(Number(cursor?.next_block)).toBeGreaterThan(
      Number(await node.rpc<Hex>('eth_blockNumber')) - 4,
    )
  })
})

describe('two watchers of one chain', () => {
  test('step side by side and credit each transfer once', async () => {
    const invoices = await Promise.all(Array.from({ length: 10 }, () => openInvoice()))
    const [one, other] = [watcher(), watcher()]
    await one.step()
    for (const { terms } of invoices) {
      await node.transfer({
        from: node.wallet(1).address,
        to: wallet,
        usdcBase: due,
        reference: terms.reference,
      })
      await Promise.all([one.step(), other.step()])
    }
    await node.mine(5)
    await Promise.all([one.step(), other.step()])
    await one.step()
    for (const invoice of invoices) {
      expect(await counts(invoice)).toEqual({ receipts: 1, revoked: 0, settled: 1, confirmed: 1 })
    }
  })
})
