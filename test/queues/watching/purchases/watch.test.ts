import { afterAll, beforeAll, expect, test } from 'bun:test'
import { evmPurchaseReader } from '../../../../src/chain/evm/purchases.ts'
import { createPurchaseWatch } from '../../../../src/queues/watching/purchases/watch.ts'
import { toBytes } from '../../../../src/storage/postgres/chain-bytes.ts'
import { type EvmNode, startEvmNode } from '../../../support/evm-node.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { type RpcRelay, startRpcRelay } from '../../../support/rpc-relay.ts'
import { baseBy } from '../../../support/watcher.ts'

let node: EvmNode
let relay: RpcRelay
let db: TestDatabase

beforeAll(async () => {
  node = await startEvmNode({ chainId: 8453 })
  relay = startRpcRelay(node.url)
  db = await testDatabase()
})
afterAll(async () => {
  await relay.stop()
  await node.stop()
  await db.drop()
})

/**
 * A watch whose clock is ahead by `aheadMs`, and for which `tickMs` pass whenever it looks how long
 * it has taken.
 */
function watch(tickMs: number, aheadMs = 0) {
  const { sql } = db
  let passedMs = 0
  const on = { chainId: 8453, rpcUrls: [relay.url], usdc: node.usdc }
  const none = async () => {
    throw new Error('no payment here is ever made')
  }
  return createPurchaseWatch({
    chain: 'base',
    reader: evmPurchaseReader({ ...on, chain: baseBy(node), maxRangeBlocks: 100 }),
    purchases: { accept: none, discredit: none, forgetTransaction: none, expire: none },
    sql,
    confirmations: { blocks: 1, finalized: false },
    feeBasisPoints: 0,
    now: () => new Date(Date.now() + aheadMs),
    steadyMs: () => {
      passedMs += tickMs
      return passedMs
    },
    newId: () => Bun.randomUUIDv7(),
    log: { warn: () => {} },
    onCommitted: () => {},
  })
}

/** How often the chain has been asked whether a payment was used. */
function looks(): number {
  return relay.requests.flat().filter((method) => method === 'eth_call').length
}

test('payments are looked for until two seconds have passed, for the blocks to be read again, and the rest the next time', async () => {
  const { sql } = db
  await sql`insert into cursors (chain, next_block, checkpoints, version, updated_at) values ('base', 1, '[]', 1, now())`
  await sql`
    insert into purchases (invoice_id, account_id, resource, chain, pay_to, usdc_base, state, payment_key, payer, nonce, valid_before,
      first_forwarded_at, forwarded_at, created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), '\\x01', 'base', ${toBytes(`0x${'5e'.repeat(20)}`)}, 1, 'unknown', gen_random_uuid()::text,
      ${`0x${'aa'.repeat(20)}`}, ${toBytes(`0x${'01'.repeat(32)}`)}, '9999-01-01', now() - interval '1 minute', now() - interval '1 minute', now(), now() from generate_series(1, 110)`
  const slow = watch(1_000)
  await slow.follow()
  expect(looks()).toBe(60)
  await slow.follow()
  expect(looks()).toBe(110)
}, 60_000)

test('each open payment is looked for once in a step, however fresh', async () => {
  await db.sql`update purchases set updated_at = now(), forwarded_at = now()`
  const before = looks()
  await watch(0).follow()
  expect(looks() - before).toBe(110)
}, 60_000)

test('a worker whose clock is an hour ahead does not put off the looks of others', async () => {
  await watch(0, 3_600_000).follow()
  await db.sql`update purchases set updated_at = updated_at - interval '1 minute'`
  const before = looks()
  await watch(0).follow()
  expect(looks() - before).toBe(110)
}, 60_000)
