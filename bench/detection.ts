/**
 * How soon is a payment noticed? `bun bench/detection.ts [payments]` lets payers pay invoices of a running service on a real EVM node and on the
 * Solana node of the tests, one after the other at moments that have nothing to do with the service's polls, and makes the blocks that
 * confirm each payment. Prints how long after the last of these blocks the invoice was seen to be settled in the database, in poll
 * intervals; the chain's own confirmation time is not in it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token'
import { Connection, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js'
import { connect, type Sql } from '../src/storage/db.ts'
import { startEmbedded } from '../src/storage/embedded.ts'
import { testEnv, testWallet } from '../test/support/app.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { startService } from '../test/support/service.ts'
import { startSolanaNode } from '../test/support/solana-node.ts'
import { claim } from './claims.ts'
import { openAccounts } from './servers.ts'

const payments = Number(process.argv[2] ?? 100)
const pollMs = 500
const confirmations = 3
const dueUsdcBase = 1_000_000n
const lookEveryMs = 5
const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** A chain whose blocks are made when it is told to. */
type Paid = {
  readonly name: 'base' | 'solana'
  readonly url: string
  readonly wallet: string
  pay(reference: string): Promise<unknown>
  /** Makes the blocks that confirm what was paid last. */
  confirm(): Promise<unknown>
  stop(): Promise<void>
}

const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
const postgres = await startEmbedded({ dataDir })
const chains = [await evm(), solana()]
try {
  const settings = chains.flatMap(({ name, url, wallet }) => [
    [`${name.toUpperCase()}_RPC_URL`, url],
    [`${name.toUpperCase()}_WALLET`, wallet],
    [`${name.toUpperCase()}_POLL_MS`, `${pollMs}`],
    [`${name.toUpperCase()}_CONFIRMATIONS`, `${confirmations}`],
  ])
  const env = testEnv(postgres.url, { LOG_LEVEL: 'info', ...Object.fromEntries(settings) })
  const service = await startService(env)
  const sql = connect(postgres.url, { max: 2, name: 'bench' })
  const [opened] = await openAccounts(postgres.url, 1)
  console.log('chain     payments   p50 polls   p99 polls   longest')
  for (const chain of chains) {
    const delays = await delaysOf(chain, service.url, opened?.v1Key ?? '', sql)
    const at = (share: number) => (delays[Math.floor(share * delays.length)] ?? 0).toFixed(2)
    const [p50, p99] = [at(0.5), at(0.99)]
    const numbers = [String(payments), p50, p99, (delays.at(-1) ?? 0).toFixed(2)]
    console.log(chain.name.padEnd(8), numbers.map((text) => text.padStart(9)).join('   '))
    claim({
      [`detection on ${chain.name}, from confirmed to settled, in poll intervals: p50 (≤ 1.2)`]:
        p50,
      [`detection on ${chain.name}: p99 (≤ 2)`]: p99,
    })
  }
  await sql.end()
  await service.stop()
} finally {
  for (const chain of chains) await chain.stop()
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit()

/** In poll intervals, ascending. */
async function delaysOf(chain: Paid, url: string, key: string, sql: Sql): Promise<number[]> {
  const confirmedMs = new Map<string, number>()
  const delays: number[] = []
  let isOver = false
  const looking = (async () => {
    while (!isOver || confirmedMs.size > 0) {
      const open = [...confirmedMs.keys()]
      const settled = await sql<{ id: string }[]>`
        select id from invoices where id = any(${`{${open}}`}::uuid[]) and state in ('settled', 'completed')`
      for (const { id } of settled) {
        delays.push((performance.now() - (confirmedMs.get(id) ?? 0)) / pollMs)
        confirmedMs.delete(id)
      }
      await Bun.sleep(lookEveryMs)
    }
  })()
  for (let n = 0; n < payments; n++) {
    const { id, paymentDetails } = await invoiceOn(chain, url, key)
    await chain.pay(paymentDetails.reference)
    await Bun.sleep(Math.random() * pollMs)
    await chain.confirm()
    confirmedMs.set(id, performance.now())
  }
  isOver = true
  await looking
  return delays.toSorted((a, b) => a - b)
}

type Invoice = { readonly id: string; readonly paymentDetails: { readonly reference: string } }

async function invoiceOn({ name }: Paid, url: string, key: string): Promise<Invoice> {
  const created = await fetch(`${url}/v1/invoices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      amount: Number(dueUsdcBase) / 1e6,
      currency: 'USDC',
      chain: name,
      customerName: 'Ada Example',
      customerEmail: 'ada@example.com',
    }),
  })
  if (created.status !== 201) throw new Error(await created.text())
  return ((await created.json()) as { data: Invoice }).data
}

async function evm(): Promise<Paid> {
  const node = await startEvmNode({ chainId: 8453 })
  const payer = node.wallet(1).address
  await node.mint(payer, 10n ** 12n)
  return {
    name: 'base',
    url: node.url,
    wallet: testWallet,
    pay: (reference) =>
      node.transfer({
        from: payer,
        to: testWallet.toLowerCase(),
        usdcBase: dueUsdcBase,
        reference,
      }),
    confirm: () => node.mine(confirmations - 1),
    stop: node.stop,
  }
}

function solana(): Paid {
  const node = startSolanaNode({ finalizedLag: confirmations })
  const [payer, owner] = [node.wallet(1), node.wallet(2).publicKey]
  const [source, target] = [payer.publicKey, owner].map((wallet) =>
    getAssociatedTokenAddressSync(node.mint, wallet),
  ) as [PublicKey, PublicKey]
  node.mintTo(payer.publicKey, 10n ** 12n)
  node.advance(confirmations)
  const connection = new Connection(node.url, 'confirmed')
  return {
    name: 'solana',
    url: node.url,
    wallet: owner.toBase58(),
    pay(reference) {
      const transaction = new Transaction().add(
        createAssociatedTokenAccountIdempotentInstruction(
          payer.publicKey,
          target,
          owner,
          node.mint,
        ),
        createTransferCheckedInstruction(
          source,
          node.mint,
          target,
          payer.publicKey,
          dueUsdcBase,
          6,
        ),
        new TransactionInstruction({ programId: memo, keys: [], data: Buffer.from(reference) }),
      )
      return connection.sendTransaction(transaction, [payer])
    },
    confirm: async () => node.advance(confirmations),
    stop: node.stop,
  }
}
