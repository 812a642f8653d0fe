import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { type TestApp, testApp, testEnv } from '../support/app.ts'
import { type EvmNode, startEvmNode } from '../support/evm-node.ts'
import { eventually } from '../support/wait.ts'
import { signedPayment } from '../support/x402-buyer.ts'
import { type Behaviour, startUpstream, type Upstream } from '../support/x402-upstream.ts'

/**
 * A purchase and its invoice change in separate statements: tests for when only one of two was
 * executed.
 */

let node: EvmNode
let upstream: Upstream
let app: TestApp
let worker: App | null

const waitMs = 30_000

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 1_000_000n)
  upstream = await startUpstream(node)
  app = await testApp({ ROLE: 'http', BASE_RPC_URL: node.url })
  worker = null
})

afterEach(async () => {
  await stopWorker()
  await app.stop()
  await upstream.stop()
  await node.stop()
})

async function startWorker(): Promise<void> {
  const chain = { BASE_RPC_URL: node.url, BASE_POLL_MS: '50', BASE_CONFIRMATIONS: '2' }
  const env = testEnv(app.database.url, { ...chain, ROLE: 'worker' })
  worker = await startApp(readConfig(env), createLog('silent'))
}

async function stopWorker(): Promise<void> {
  await worker?.drain()
  worker = null
}

/** Buys the resource. Answers the invoice's id, and the transaction that the upstream names. */
async function bought(behaviour: Behaviour): Promise<{ id: string; txHash: Hex }> {
  upstream.behaviour = behaviour
  const path = `/api/x402/proxy?url=${encodeURIComponent(upstream.url)}`
  const unpaid = await app.send('GET', path)
  const { headers } = await signedPayment(node.wallet(1), unpaid)
  const paid = await app.send('GET', path, undefined, headers)
  const id = paid.headers.get('x-invoice-id') ?? ''
  expect((await invoice(id)).status).toBe('paid')
  return { id, txHash: JSON.parse(atob(paid.headers.get('payment-response') ?? '')).transaction }
}

async function invoice(id: string) {
  return (await app.send('GET', `/api/invoices/${id}`)).json
}

function becomes(id: string, status: string): Promise<void> {
  return eventually(async () => (await invoice(id)).status === status, waitMs)
}

async function stateOf(id: string): Promise<string> {
  const [row] = await app.database.sql`select state from purchases where invoice_id = ${id}`
  return row?.state
}

async function namedFor(id: string): Promise<string | null> {
  const [row] = await app.database.sql`select tx_hash from purchases where invoice_id = ${id}`
  return row?.tx_hash
}

/** From now on PostgreSQL refuses changes of this column. */
async function freeze(table: string, column = 'state'): Promise<void> {
  const { sql } = app.database
  await sql`create sequence refusals`
  // A sequence survives the rollback, so it shows that a change was refused.
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'frozen %', nextval('refusals'); end $$`
  await sql`create trigger frozen before update on ${sql(table)} for each row
    when (old.${sql(column)} is distinct from new.${sql(column)}) execute function refuse()`
}

async function hasRefused(): Promise<boolean> {
  const [row] = await app.database.sql`select is_called from refusals`
  return row?.is_called
}

async function thaw(table: string): Promise<void> {
  await app.database.sql`drop trigger frozen on ${app.database.sql(table)}`
}

test('a purchase whose invoice is still paid by the transaction that the upstream made up settles by the one that paid', async () => {
  const { id, txHash } = await bought('settle and lie')
  const { transactionHash } = await lastTransfer()
  await app.database.sql`update purchases set tx_hash = ${transactionHash} where invoice_id = ${id}`
  expect(transactionHash).not.toBe(txHash)
  await startWorker()
  await node.mine(3)
  await becomes(id, 'settled')
  const { paymentDetails } = await invoice(id)
  expect(paymentDetails).toMatchObject({ txHash: transactionHash, amountReceived: '0.01' })
  await eventually(async () => (await stateOf(id)) === 'settled', waitMs)
}, 90_000)

test('a purchase that expires while its invoice cannot be changed is followed until it can', async () => {
  const { id } = await bought('deliver unsettled')
  await app.database
    .sql`update purchases set valid_before = now() - interval '1 day' where invoice_id = ${id}`
  await freeze('invoices')
  await startWorker()
  await node.mine(1)
  await eventually(hasRefused, waitMs)
  expect((await invoice(id)).status).toBe('paid')
  await thaw('invoices')
  await becomes(id, 'sent')
  await eventually(async () => (await stateOf(id)) === 'expired', waitMs)
}, 90_000)

/** A purchase whose upstream has named a transaction, confirmed by now, that pays nothing of it. */
async function namedInVain() {
  const [from, to] = [node.wallet(1).address, node.wallet(6).address]
  upstream.lie = await node.transfer({ from, to, usdcBase: 10_000n })
  await node.mine(3)
  return bought('deliver and lie')
}

test.each([
  ['its invoice cannot be changed', 'invoices', 'state', 'paid'],
  ['its purchase cannot be changed', 'purchases', 'tx_hash', 'sent'],
])(
  'what was named in vain for a purchase is credited and on record no longer, though %s at first',
  async (_, table, column, meanwhile) => {
    const { id } = await namedInVain()
    await freeze(table, column)
    await startWorker()
    await eventually(hasRefused, waitMs)
    expect((await invoice(id)).status).toBe(meanwhile)
    expect(await namedFor(id)).toBe(upstream.lie)
    await thaw(table)
    await eventually(async () => (await namedFor(id)) === null, waitMs)
    expect([await stateOf(id), (await invoice(id)).status]).toEqual(['paid', 'sent'])
  },
  90_000,
)

test('what is credited to a purchase after it was forgotten, as by a process that was slow, is taken back', async () => {
  const { id } = await bought('deliver unsettled')
  await app.database.sql`update purchases set tx_hash = null where invoice_id = ${id}`
  expect((await invoice(id)).status).toBe('paid')
  await startWorker()
  await becomes(id, 'sent')
  expect(await stateOf(id)).toBe('paid')
}, 90_000)

/** A settled purchase whose payment has left the chain while no worker was there. */
async function settledAndGone() {
  await startWorker()
  const { id, txHash } = await bought('settle')
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash])
  await node.mine(3)
  await becomes(id, 'settled')
  await eventually(async () => (await stateOf(id)) === 'settled', waitMs)
  await stopWorker()
  const blockNumber = Number((await lastTransfer()).blockNumber)
  await node.reorg(Number(await node.rpc<Hex>('eth_blockNumber')) - blockNumber + 1)
  return { id, signed }
}

test('an invoice is not settled before its purchase is, as only then a reorganisation takes that back', async () => {
  const { id } = await bought('settle')
  await freeze('purchases')
  await startWorker()
  await node.mine(3)
  await eventually(hasRefused, waitMs)
  expect([await stateOf(id), (await invoice(id)).status]).toEqual(['paid', 'paid'])
  await thaw('purchases')
  await becomes(id, 'settled')
  expect(await stateOf(id)).toBe('settled')
}, 90_000)

test('a settlement is not taken back before its purchase can be followed again', async () => {
  const { id, signed } = await settledAndGone()
  await freeze('purchases')
  await startWorker()
  await eventually(hasRefused, waitMs)
  expect((await invoice(id)).status).toBe('settled')
  await thaw('purchases')
  await becomes(id, 'sent')
  expect(await stateOf(id)).toBe('paid')
  await node.rpc('eth_sendRawTransaction', [signed])
  await node.mine(3)
  await becomes(id, 'settled')
}, 90_000)

async function lastTransfer() {
  const filter = { address: node.usdc, fromBlock: '0x0', toBlock: 'latest' }
  type Log = { readonly transactionHash: Hex; readonly blockNumber: Hex }
  const logs = await node.rpc<Log[]>('eth_getLogs', [filter])
  const last = logs.at(-1)
  if (!last) throw new Error('nobody has transferred anything')
  return last
}
