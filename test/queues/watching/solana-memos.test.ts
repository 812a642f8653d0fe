import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import {
  Connection,
  Keypair,
  PublicKey,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js'
import { solanaChain } from '../../../src/chain/solana/solana.ts'
import type * as Invoice from '../../../src/domain/invoices/invoice.ts'
import { registry } from '../../../src/domain/registry.ts'
import { loadMany } from '../../../src/storage/invoices/invoices.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts'
import { memo } from '../../support/solana-transfer.ts'
import { storedInvoice } from '../../support/stored-invoice.ts'
import { testWatcher } from '../../support/watcher.ts'

/** Several payments in one transaction, each of which may name an invoice. */

const [ours, others] = [
  '0190a000-0000-7000-8000-000000000001',
  '0190a000-0000-7000-8000-000000000002',
]
const wallet = Keypair.generate().publicKey
const payTo = wallet.toBase58()

let node: SolanaNode
let database: TestDatabase

beforeEach(async () => {
  node = startSolanaNode()
  node.mintTo(node.wallet(1).publicKey, 1_000n)
  database = await testDatabase()
  await rememberPaymentAddress(database.sql, 'solana', payTo)
})
afterEach(async () => {
  await node.stop()
  await database.drop()
})

function openInvoice(dueUsdcBase: bigint, accountId = ours): Promise<Invoice.Invoice> {
  return storedInvoice(database.sql, accountId, { chain: 'solana', payTo, dueUsdcBase })
}

function accountOf(owner: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(node.mint, owner)
}

/** A transfer to our wallet, by Solana Pay's reference account if `named` is given. */
function transfer(usdcBase: bigint, named?: Invoice.Invoice): TransactionInstruction {
  const { publicKey } = node.wallet(1)
  const [from, to] = [accountOf(publicKey), accountOf(wallet)]
  const made = createTransferCheckedInstruction(from, node.mint, to, publicKey, usdcBase, 6)
  if (named) {
    const pubkey = new PublicKey(Buffer.from(named.terms.reference.slice(2), 'hex'))
    made.keys.push({ pubkey, isSigner: false, isWritable: false })
  }
  return made
}

function memoOf({ terms }: Invoice.Invoice): TransactionInstruction {
  return memo(terms.reference)
}

/** What wallets make of the payment URI of an invoice, which carries account and memo. */
function asked(invoice: Invoice.Invoice): readonly TransactionInstruction[] {
  return [memoOf(invoice), transfer(invoice.terms.dueUsdcBase, invoice)]
}

/** Sends one transaction with all of this, and lets the watcher read it. */
async function pay(instructions: readonly TransactionInstruction[]): Promise<void> {
  const payer = node.wallet(1)
  const { blockhash: recentBlockhash } = await new Connection(node.url).getLatestBlockhash()
  const account = createAssociatedTokenAccountIdempotentInstruction(
    payer.publicKey,
    accountOf(wallet),
    wallet,
    node.mint,
  )
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash })
  transaction.add(account, ...instructions)
  transaction.sign(payer)
  await new Connection(node.url).sendRawTransaction(transaction.serialize())
  node.advance(2)
  await testWatcher(database.sql, {
    chain: solanaChain({ rpcUrls: [node.url], usdc: registry.solana.usdcAddress }),
    confirmations: registry.solana.confirmations,
    startBlock: 1,
  }).step()
}

async function standing({ id }: Invoice.Invoice) {
  const [invoice] = await loadMany(database.sql, [id])
  const payments = invoice?.progress.payments ?? []
  return [invoice?.state, ...payments.map(({ usdcBase, matchedBy }) => [usdcBase, matchedBy])]
}

function held() {
  return database.sql`select usdc_base, held_as from transfers where invoice_id is null`
}

test('two of our payment URIs paid by one transaction settle both invoices', async () => {
  const [one, two] = [await openInvoice(7n), await openInvoice(7n, others)]
  await pay([...asked(one), ...asked(two)])
  expect(await standing(one)).toEqual(['settled', [7n, 'reference']])
  expect(await standing(two)).toEqual(['settled', [7n, 'reference']])
})

test('a payment with an account and one behind a memo each pay their own invoice', async () => {
  const [one, two] = [await openInvoice(7n), await openInvoice(7n, others)]
  await pay([transfer(7n, one), memoOf(two), transfer(7n)])
  expect(await standing(one)).toEqual(['settled', [7n, 'reference']])
  expect(await standing(two)).toEqual(['settled', [7n, 'reference']])
})

test('a memo draws no payment beside its own: that pays by its amount, or is held', async () => {
  const [plain, named] = [await openInvoice(5n), await openInvoice(7n, others)]
  await pay([transfer(5n), memoOf(named), transfer(7n)])
  expect(await standing(plain)).toEqual(['settled', [5n, 'amount']])
  expect(await standing(named)).toEqual(['settled', [7n, 'reference']])
  const more = await openInvoice(9n, others)
  await pay([transfer(4n), memoOf(more), transfer(8n)])
  expect(await standing(more)).toEqual(['draft', [8n, 'reference']])
  expect([...(await held())]).toEqual([{ usdc_base: 4n, held_as: 'unmatched' }])
})

test('memos behind their payments name these', async () => {
  const [one, two] = [await openInvoice(7n), await openInvoice(7n, others)]
  await pay([transfer(7n), memoOf(one), transfer(7n), memoOf(two)])
  expect(await standing(one)).toEqual(['settled', [7n, 'reference']])
  expect(await standing(two)).toEqual(['settled', [7n, 'reference']])
})

test('where memos are in no order both payments are held as ambiguous', async () => {
  const [one, two] = [await openInvoice(7n), await openInvoice(8n)]
  await pay([memoOf(one), transfer(7n), transfer(8n), memoOf(two)])
  expect([await standing(one), await standing(two)]).toEqual([['draft'], ['draft']])
  expect((await held()).map(({ held_as }) => held_as)).toEqual(['ambiguous', 'ambiguous'])
})

test('two spellings of one name are meant for one payment, and two names for neither', async () => {
  const [plain, named] = [await openInvoice(5n), await openInvoice(7n, others)]
  await pay([transfer(5n), memo(named.id), memoOf(named), transfer(7n)])
  expect(await standing(plain)).toEqual(['settled', [5n, 'amount']])
  expect(await standing(named)).toEqual(['settled', [7n, 'reference']])
  const [one, two] = [await openInvoice(7n), await openInvoice(8n)]
  await pay([memoOf(one), memoOf(two), transfer(7n), transfer(8n)])
  expect([await standing(one), await standing(two)]).toEqual([['draft'], ['draft']])
  expect((await held()).map(({ held_as }) => held_as)).toEqual(['ambiguous', 'ambiguous'])
})
