import { afterEach, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import type { App } from '../../../src/app.ts'
import { toBytes } from '../../../src/storage/postgres/chain-bytes.ts'
import { useUpstream } from '../../support/bought.ts'
import { eventually } from '../../support/wait.ts'
import type { Behaviour } from '../../support/x402-upstream.ts'

/** A purchase and its invoice change in separate statements: only one of two is executed. */

const waitMs = 30_000
const { app, node, upstream, startHere, ...purchases } = useUpstream({ env: { ROLE: 'http' } })
const { buy, invoice, becomes, purchase, statesOf, reaches } = purchases
let worker: App | null = null

afterEach(stopWorker)

async function startWorker(): Promise<void> {
  worker = await startHere({ ROLE: 'worker' })
}

async function stopWorker(): Promise<void> {
  await worker?.drain()
  worker = null
}

async function bought(behaviour: Behaviour) {
  const made = await buy(behaviour)
  expect((await invoice(made.id)).status).toBe('paid')
  return made
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
  await app.database
    .sql`update purchases set tx_hash = ${toBytes(transactionHash)} where invoice_id = ${id}`
  expect(transactionHash).not.toBe(txHash)
  await startWorker()
  await node.mine(3)
  await becomes(id, 'settled')
  const { paymentDetails } = await invoice(id)
  expect(paymentDetails).toMatchObject({ txHash: transactionHash, amountReceived: '0.01' })
  await reaches(id, 'settled')
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
  await reaches(id, 'expired')
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
    expect((await purchase(id)).txHash).toBe(upstream.lie)
    await thaw(table)
    await eventually(async () => (await purchase(id)).txHash === null, waitMs)
    expect(await statesOf(id)).toEqual(['paid', 'sent'])
  },
  90_000,
)

test('what is credited to a purchase after it was forgotten, as by a process that was slow, is taken back', async () => {
  const { id } = await bought('deliver unsettled')
  await app.database.sql`update purchases set tx_hash = null where invoice_id = ${id}`
  expect((await invoice(id)).status).toBe('paid')
  await startWorker()
  await becomes(id, 'sent')
  expect((await purchase(id)).state).toBe('paid')
}, 90_000)

/** A settled purchase whose payment has left the chain while no worker was there. */
async function settledAndGone() {
  await startWorker()
  const { id, txHash } = await bought('settle')
  const signed = await node.rpc<Hex>('eth_getRawTransactionByHash', [txHash])
  await node.mine(3)
  await becomes(id, 'settled')
  await reaches(id, 'settled')
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
  expect(await statesOf(id)).toEqual(['paid', 'paid'])
  await thaw('purchases')
  await becomes(id, 'settled')
  expect((await purchase(id)).state).toBe('settled')
}, 90_000)

test('a settlement is not taken back before its purchase can be followed again', async () => {
  const { id, signed } = await settledAndGone()
  await freeze('purchases')
  await startWorker()
  await eventually(hasRefused, waitMs)
  expect((await invoice(id)).status).toBe('settled')
  await thaw('purchases')
  await becomes(id, 'sent')
  expect((await purchase(id)).state).toBe('paid')
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
