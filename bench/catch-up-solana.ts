/**
 * How fast does the watcher catch up after an outage on Solana?
 * `bun bench/catch-up-solana.ts [payments]` makes a LiteSVM ledger with a payment every 21 slots,
 * and reads it in two ways:
 *
 * - (a) bare: `getSignaturesForAddress`, then `getTransaction` for each signature in lists of 40,
 *   one list after the other;
 * - (b) by the watcher: in ranges of 1,000 slots, with blocks and memos read, payments matched,
 *   settled and committed (to a test database, without fsync).
 *
 * Each runs once against a node that answers at once, and once against one 50 ms away, as providers
 * are. New slots are made meanwhile, as on a live chain. Prints payments and slots per second, and
 * the ratio.
 */

import { Connection } from '@solana/web3.js'
import { associatedTokenAccount } from '../src/chain/solana/accounts.ts'
import { solanaChain } from '../src/chain/solana/solana.ts'
import { decide } from '../src/domain/invoices/decide.ts'
import { evolve } from '../src/domain/invoices/evolve.ts'
import type * as Invoice from '../src/domain/invoices/invoice.ts'
import { registry } from '../src/domain/registry.ts'
import { createCatchUp } from '../src/queues/watching/catch-up.ts'
import { insertAll } from '../src/storage/invoices/invoices.ts'
import { terms } from '../test/support/invoice.ts'
import { rememberPaymentAddress } from '../test/support/payment-addresses.ts'
import { testDatabase } from '../test/support/postgres.ts'
import { type Fault, startRpcRelay } from '../test/support/rpc-relay.ts'
import { startSolanaNode } from '../test/support/solana-node.ts'
import { transferUsdc } from '../test/support/solana-transfer.ts'
import { invoiceReferences, testWatcher } from '../test/support/watcher.ts'
import { report } from './results.ts'

const payments = Number(process.argv[2] ?? 500)
const slotsPerPayment = 21
const slotMs = 400
const listSize = 40
const leastUsdcBase = 1_000_000n
const accountId = '0190a000-0000-7000-8000-000000000001'

const atOnce: Fault = async (request, forward) => Response.json(await forward(request))
const far: Fault = async (request, forward) => {
  await Bun.sleep(50)
  return Response.json(await forward(request))
}

const node = startSolanaNode()
const relay = startRpcRelay(node.url)
const database = await testDatabase()
const { sql } = database
const payee = node.wallet(2).publicKey.toBase58()
const usdc = node.mint.toBase58()
await rememberPaymentAddress(sql, 'solana', payee)
const invoices = await openInvoices()
const slots = await outage()
const clock = setInterval(() => node.advance(1), slotMs)
console.log(
  'node              bare payments/s  watched payments/s  watched slots/s   ratio   settled',
)
for (const [name, behaviour] of [
  ['answers at once', atOnce],
  ['50 ms away', far],
] as const) {
  relay.misbehave(behaviour)
  const bareSeconds = await bare()
  const seconds = await watched()
  const ratio = (bareSeconds / seconds).toFixed(2)
  const columns = [
    name.padEnd(15),
    (payments / bareSeconds).toFixed(0).padStart(17),
    (payments / seconds).toFixed(0).padStart(19),
    (slots / seconds).toFixed(0).padStart(16),
    ratio.padStart(7),
    String(await settled()).padStart(9),
  ]
  console.log(columns.join(' '))
  report({ [`catching up on Solana, node ${name}: over paging bare`]: ratio })
  await backToTheOutage()
}
clearInterval(clock)
await relay.stop()
await node.stop()
await database.drop()
process.exit()

async function openInvoices(): Promise<readonly Invoice.Invoice[]> {
  const at = new Date(Date.now() - 3_600_000)
  const opened = Array.from({ length: payments }, (_, n) => {
    const id = Bun.randomUUIDv7()
    const agreed = terms({
      chain: 'solana',
      payTo: payee,
      dueUsdcBase: leastUsdcBase + BigInt(n),
      reference: invoiceReferences.of(id),
    })
    const events = decide(undefined, { kind: 'create', id, accountId, terms: agreed }, at)
    return evolve(undefined, events, at) as Invoice.Invoice
  })
  await insertAll(
    sql,
    opened.map((invoice) => ({ invoice, idempotency: null })),
  )
  return opened
}

/** Answers how many slots the outage takes. */
async function outage(): Promise<number> {
  const connection = new Connection(node.url, 'confirmed')
  const payer = node.wallet(1)
  node.mintTo(payer.publicKey, 10n ** 12n)
  for (const { terms } of invoices) {
    const { dueUsdcBase: usdcBase, reference: memo } = terms
    await transferUsdc(connection, payer, { mint: node.mint, to: payee, usdcBase, memo })
    node.advance(slotsPerPayment - 1)
  }
  node.advance(slotsPerPayment)
  return payments * slotsPerPayment
}

async function bare(): Promise<number> {
  const account = associatedTokenAccount(payee, usdc)
  const started = performance.now()
  let found = 0
  let before: object = {}
  for (;;) {
    const options = { commitment: 'finalized', limit: 1_000, ...before }
    const [page = []] = await ask<{ signature: string }[]>('getSignaturesForAddress', [
      [account, options],
    ])
    for (let at = 0; at < page.length; at += listSize) {
      const list = page.slice(at, at + listSize)
      const told = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 0 }
      const transactions = await ask<object | null>(
        'getTransaction',
        list.map(({ signature }) => [signature, told]),
      )
      found += transactions.filter((one) => one !== null).length
    }
    const last = page.at(-1)
    if (page.length < 1_000 || !last) break
    before = { before: last.signature }
  }
  if (found < payments) throw new Error(`${found} transactions instead of ${payments}`)
  return (performance.now() - started) / 1_000
}

async function ask<Result>(method: string, lists: readonly unknown[][]): Promise<Result[]> {
  const calls = lists.map((params, id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await fetch(relay.url, { method: 'POST', body: JSON.stringify(calls) })
  return ((await response.json()) as { result: Result }[]).map(({ result }) => result)
}

async function watched(): Promise<number> {
  const watcher = testWatcher(sql, {
    chain: solanaChain({ rpcUrls: [relay.url], usdc }),
    confirmations: registry.solana.confirmations,
    startBlock: 0,
    maxRangeBlocks: registry.solana.maxRangeBlocks,
    log: console,
  })
  const steadyMs = () => performance.now()
  const started = steadyMs()
  await createCatchUp(watcher, { network: 'solana', log: { info() {} }, steadyMs })()
  return (steadyMs() - started) / 1_000
}

async function settled(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from invoices where state = 'settled'`
  return row?.count ?? 0
}

/** Deletes what was read, so that the outage can be read again. */
async function backToTheOutage(): Promise<void> {
  await sql`truncate transfers, receipts, events, anchors, cursors cascade`
  await sql`truncate invoices cascade`
  await insertAll(
    sql,
    invoices.map((invoice) => ({ invoice, idempotency: null })),
  )
}
