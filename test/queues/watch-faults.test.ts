import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { evmChain } from '../../src/chain/evm.ts'
import * as Invoice from '../../src/domain/invoice.ts'
import { references } from '../../src/domain/reference.ts'
import { catchUp } from '../../src/queues/catch-up.ts'
import { createWatcher } from '../../src/queues/watch.ts'
import { insertAll, rememberPaymentAddress } from '../../src/storage/invoices.ts'
import { watchStore } from '../../src/storage/watching.ts'
import { type EvmNode, startEvmNode, transferCall } from '../support/evm-node.ts'
import { terms } from '../support/invoice.ts'
import { behindAt } from '../support/lagging-node.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import {
  answeredElsewhere,
  findingNothing,
  refusal,
  refusingRanges,
  saying,
} from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'

/** The watcher of one chain behind a provider that has bad days: every payment settles once, whatever the provider does. */

const wallet = '0x00000000000000000000000000000000000000aa'
const accountId = '0190a000-0000-7000-8000-000000000001'
const leastUsdcBase = 1_000_000n

let node: EvmNode
let relay: RpcRelay
let database: TestDatabase
let clockMs: number

beforeEach(async () => {
  node = await startEvmNode({ chainId: 8453 })
  await node.mint(node.wallet(1).address, 10n ** 15n)
  relay = startRpcRelay(node.url)
  database = await testDatabase()
  await rememberPaymentAddress(database.sql, 'base', wallet)
  clockMs = Date.now()
})
afterEach(async () => {
  await relay.stop()
  await node.stop()
  await database.drop()
})

function watcher({ confirmations = 3, maxRangeBlocks = 100, urls = [relay.url] } = {}) {
  return createWatcher({
    chain: evmChain({ network: 'base', chainId: 8453, rpcUrls: urls, usdc: node.usdc }),
    store: watchStore(database.sql),
    confirmations: { blocks: confirmations, finalized: false },
    startBlock: null,
    maxRangeBlocks,
    feeBasisPoints: 0,
    references: references(new Uint8Array(32).fill(3)),
    now: () => new Date(clockMs),
    newId: () => Bun.randomUUIDv7(),
    log: { warn: () => {} },
    onSettled: () => {},
  })
}

/** Invoices over rising amounts, each of its own. */
async function openInvoices(count: number): Promise<void> {
  const at = new Date(clockMs - 3_600_000)
  const rows = Array.from({ length: count }, (_, n) => {
    const agreed = terms({ payTo: wallet, dueUsdcBase: leastUsdcBase + BigInt(n) })
    const command = { kind: 'create', id: Bun.randomUUIDv7(), accountId, terms: agreed } as const
    const invoice = Invoice.evolve(undefined, Invoice.decide(undefined, command, at), at)
    return { invoice: invoice as Invoice.Invoice, idempotency: null }
  })
  await insertAll(database.sql, rows)
}

function pay(nth: number) {
  const usdcBase = leastUsdcBase + BigInt(nth)
  return node.transfer({ from: node.wallet(1).address, to: wallet, usdcBase })
}

function paymentCall(nth: number) {
  const data = transferCall({ to: wallet, usdcBase: leastUsdcBase + BigInt(nth) })
  const from = node.wallet(1).address
  return { method: 'eth_sendTransaction', params: [{ from, to: node.usdc, gas: '0x30000', data }] }
}

async function standing() {
  const [row] = await database.sql`select
    (select count(*)::int from invoices where state = 'settled') as settled,
    (select count(*)::int from receipts) as receipts,
    (select count(*)::int from events where type = 'invoice.settled') as events,
    (select count(*)::int from transfers) as transfers`
  return { ...row }
}

const eachOnce = (count: number) => ({
  settled: count,
  receipts: count,
  events: count,
  transfers: count,
})

describe('a provider that refuses ranges', () => {
  test('of more than ten blocks is read to the head within one go, and every payment settles once', async () => {
    await openInvoices(5)
    const watch = watcher({ maxRangeBlocks: 1_000 })
    await watch.step()
    for (let n = 0; n < 5; n++) {
      await pay(n)
      await node.mine(100)
    }
    relay.misbehave(
      refusingRanges(
        10,
        -32600,
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
      ),
    )
    while ((await watch.step()).isAdvancing);
    expect(await standing()).toEqual(eachOnce(5))
  })
})

describe('a node that leaves out what it has not indexed yet', () => {
  test('is asked again for it before the block counts as confirmed', async () => {
    await openInvoices(1)
    const watch = watcher()
    await watch.step()
    await pay(0)
    relay.misbehave(findingNothing(['eth_getLogs'], []))
    await watch.step()
    relay.behave()
    await node.mine(3)
    await watch.step()
    expect(await standing()).toEqual(eachOnce(1))
  })

  test('for so long that the block has been passed is asked again within half a minute', async () => {
    await openInvoices(1)
    const watch = watcher({ confirmations: 1 })
    await watch.step()
    await pay(0)
    relay.misbehave(findingNothing(['eth_getLogs'], []))
    await watch.step()
    relay.behave()
    await node.mine(20)
    await watch.step()
    expect(await standing()).toEqual(eachOnce(0))
    clockMs += 30_000
    await node.mine(1)
    await watch.step()
    expect(await standing()).toEqual(eachOnce(1))
  })

  test('never takes back what is on record', async () => {
    await openInvoices(1)
    const watch = watcher({ confirmations: 1 })
    await watch.step()
    await pay(0)
    await watch.step()
    relay.misbehave(findingNothing(['eth_getLogs'], []))
    clockMs += 30_000
    await node.mine(1)
    await expect(watch.step()).rejects.toMatchObject({ fault: 'invalid_answer' })
    await node.mine(1)
    await watch.step()
    expect(await standing()).toEqual(eachOnce(1))
  })
})

describe('a node that lags', () => {
  test('while another one tells the head: the cursor never passes what it has not shown', async () => {
    await openInvoices(30)
    const lagging = startRpcRelay(node.url)
    const head = Number(await node.rpc('eth_blockNumber'))
    relay.misbehave(answeredElsewhere(['eth_getLogs'], lagging.url))
    const watch = watcher({ confirmations: 1 })
    for (let n = 0; n < 30; n++) {
      lagging.misbehave(behindAt(Math.max(head, head + n - 20)))
      await pay(n)
      await watch.step()
    }
    lagging.behave()
    clockMs += 30_000
    await node.mine(1)
    await watch.step()
    expect(await standing()).toEqual(eachOnce(30))
    await lagging.stop()
  })

  test('behind the cursor waits for it, and settles nothing twice', async () => {
    await openInvoices(2)
    const watch = watcher({ confirmations: 1 })
    await watch.step()
    await pay(0)
    await watch.step()
    const behind = Number(await node.rpc('eth_blockNumber')) - 1
    await pay(1)
    relay.misbehave(behindAt(behind))
    await watch.step().catch(() => {})
    expect(await standing()).toEqual(eachOnce(1))
    relay.behave()
    await watch.step()
    expect(await standing()).toEqual(eachOnce(2))
  })
})

/** An hour and more of Base, at a fifth of the usual range: anvil takes ever longer for a block. `bench/catch-up.ts` has six hours. */
test('after an outage each of 200 payments in 2,100 blocks settles once, and the log tells how far it is', async () => {
  await openInvoices(200)
  const watch = watcher({ confirmations: 5, maxRangeBlocks: 200 })
  await watch.step()
  relay.misbehave(saying('', { status: 503 }))
  await expect(watch.step()).rejects.toMatchObject({ fault: 'unreachable' })
  await node.rpc('anvil_autoImpersonateAccount', [true])
  await node.rpc('evm_setAutomine', [false])
  for (let block = 0; block < 100; block++) {
    await node.batch([2 * block, 2 * block + 1].map(paymentCall))
    await node.mine(21)
  }
  // Once the node is back it refuses what is too much for it, and some questions for no reason at all.
  let asked = 0
  const limited = refusingRanges(140, -32614, 'eth_getLogs is limited to a 140 range')
  const confused = refusal(-32000, 'header not found')
  relay.misbehave((request, forward) =>
    ++asked % 15 === 0 ? confused(request, forward) : limited(request, forward),
  )
  const lines: Record<string, unknown>[] = []
  const log = {
    info: (line: object, message: string) => void lines.push({ ...line, message }),
  }
  const on = { network: 'base', log, steadyMs: () => performance.now() } as const
  let goes = 0
  for (let isDone = false; !isDone && goes < 50; goes++) {
    isDone = await catchUp(watch, on).then(
      () => true,
      () => false,
    )
  }
  expect(await standing()).toEqual(eachOnce(200))
  const [first, last] = [lines[0], lines.at(-1)]
  expect(first).toMatchObject({ network: 'base', message: 'catching up' })
  expect(first?.percent).toBeWithin(1, 100)
  expect(last).toMatchObject({ network: 'base', message: 'caught up' })
}, 120_000)
