import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { Hex } from 'viem'
import { ChainError } from '../../../src/chain/chain.ts'
import { evmBalances } from '../../../src/chain/evm/balances.ts'
import { evmChain } from '../../../src/chain/evm/evm.ts'
import { createBalanceCheck } from '../../../src/queues/watching/balances.ts'
import { unexplainedBalances } from '../../../src/storage/settlement/balance-checks.ts'
import { loadCursor } from '../../../src/storage/settlement/cursors.ts'
import { rememberPaymentAddress } from '../../support/payment-addresses.ts'
import { errorOf, findingNothing, perCall } from '../../support/rpc-faults.ts'
import { baseBy, watcherOptions } from '../../support/watcher.ts'
import { due, somebody, startWatchStand, type WatchStand } from './stand.ts'

/**
 * The balances of addresses against the recorded transfers, for a wallet that receives payments and
 * is swept now and then.
 */

let stand: WatchStand
let wallet: Hex
let watch: { step(): Promise<unknown> }
let lines: { level: string; message: string; line: Record<string, unknown> }[]
let found: number
let check: () => Promise<void>

const dayMs = 86_400_000

beforeEach(async () => {
  stand = await startWatchStand()
  const { node, relay, database } = stand
  const { sql } = database
  wallet = node.wallet(3).address
  await rememberPaymentAddress(sql, 'base', wallet)
  lines = []
  found = 0
  watch = stand.watcher({ confirmations: 1 })
  await watch.step()
  const note = (level: string) => (line: object, message: string) =>
    void lines.push({ level, message, line: { ...line } })
  const options = { network: 'base', chainId: 8453, rpcUrls: [relay.url], usdc: node.usdc } as const
  check = createBalanceCheck({
    chain: evmChain(options),
    balances: evmBalances({ ...options, keepsStates: true }),
    sql,
    watching: watcherOptions({ chain: baseBy(node, relay.url), maxRangeBlocks: 3 }),
    log: { warn: note('warn'), error: note('error') },
    onFound: (transfers) => {
      found += transfers
    },
  })
})
afterEach(async () => {
  setSystemTime()
  await stand.stop()
})

async function pay(usdcBase = due, { to = wallet, reference = '0x' } = {}): Promise<void> {
  await stand.node.transfer({ from: stand.node.wallet(1).address, to, usdcBase, reference })
}

async function sweep(usdcBase: bigint): Promise<void> {
  await stand.node.transfer({ from: wallet, to: somebody, usdcBase })
}

/**
 * Makes a payment while the node returns no logs, until the watcher no longer reads its block
 * again.
 */
async function missed(payment: () => Promise<void>): Promise<void> {
  await payment()
  await stand.node.mine(70)
  hideLogs()
  await watch.step()
  stand.relay.behave()
}

function hideLogs(): void {
  stand.relay.misbehave(findingNothing(['eth_getLogs'], []))
}

/** Makes the last checks so much older. */
async function pass(ms: number): Promise<void> {
  await stand.database
    .sql`update payment_addresses set checked_at = checked_at - ${ms} * interval '1 millisecond'`
}

async function nextDay(): Promise<void> {
  await pass(dayMs)
  await check()
}

const unexplained = () => unexplainedBalances(stand.database.sql, 2_000)
const told = (level: string) => lines.filter((one) => one.level === level)

describe('nothing is logged where balances agree', () => {
  test('payments that were seen, sums that were sent away, and nothing at all', async () => {
    await pay(10n)
    await check()
    await pay()
    await pay(5n)
    await sweep(due)
    await watch.step()
    await nextDay()
    await sweep(12n)
    await stand.node.transfer({ from: wallet, to: wallet, usdcBase: 3n })
    await watch.step()
    await nextDay()
    await nextDay()
    expect([lines, await unexplained(), found]).toEqual([[], [], 0])
  })

  test('a balance that was there before anybody looked', async () => {
    await missed(() => pay())
    await check()
    await nextDay()
    expect(lines).toEqual([])
  })

  test('an address is looked at once a day', async () => {
    await check()
    await missed(() => pay())
    await check()
    await pass(20 * 3_600_000)
    await check()
    expect(lines).toEqual([])
  })

  test('blocks that the watcher has not read yet are not judged', async () => {
    await check()
    await pay()
    await nextDay()
    expect(lines).toEqual([])
  })
})

describe('a payment that was missed', () => {
  test('is found within a day, though the clock of who looked last was a week ahead', async () => {
    setSystemTime(new Date(Date.now() + 7 * dayMs))
    await check()
    setSystemTime()
    await missed(() => pay())
    await nextDay()
    expect(found).toBe(1)
  })

  test('is found, settles its invoice, and is counted', async () => {
    await check()
    const invoice = await stand.openInvoice({ payTo: wallet })
    await missed(() => pay(due, { reference: invoice.terms.reference }))
    expect(await stand.now(invoice)).toMatchObject({ state: 'draft' })
    await nextDay()
    expect(await stand.now(invoice)).toMatchObject({ state: 'settled' })
    expect([found, await unexplained(), told('error')]).toEqual([1, [], []])
    expect(told('warn')).toMatchObject([{ line: { network: 'base', count: 1, transfers: 1 } }])
    await nextDay()
    expect(lines).toHaveLength(1)
  })

  test('is found though the same sum has been sent away since, so that the balance is what it was', async () => {
    await pay()
    await watch.step()
    await check()
    await missed(() => pay())
    await sweep(due)
    await watch.step()
    await nextDay()
    expect([found, told('error')]).toEqual([1, []])
  })

  test('is found when it was taken off the record', async () => {
    await check()
    await pay()
    await watch.step()
    await stand.database.sql`delete from transfers`
    await nextDay()
    expect([found, await unexplained(), told('error')]).toEqual([1, [], []])
  })

  test('at an address that was made for one invoice is found before anybody has looked at that', async () => {
    await stand.node.mine(70)
    const invoice = await stand.openInvoice({ payTo: somebody, depositIndex: 0 })
    await missed(() => pay(due, { to: somebody }))
    await check()
    expect(await stand.now(invoice)).toMatchObject({ state: 'settled' })
    expect([found, told('error')]).toEqual([1, []])
  })
})

describe('a difference that cannot be explained', () => {
  test('is logged every day, with its blocks, until a node shows the payment', async () => {
    await check()
    const agreedAt = (await loadCursor(stand.database.sql, 'base'))?.nextBlock
    await missed(() => pay())
    hideLogs()
    await nextDay()
    await nextDay()
    const addresses = [{ address: wallet.toLowerCase(), usdcBase: `${due}` }]
    const line = { network: 'base', from: agreedAt, count: 1, addresses }
    expect(told('error')).toMatchObject([{ line }, { line }])
    expect(await unexplained()).toEqual([
      { chain: 'base', addresses: 1, usdcBase: due, sinceBlock: Number(agreedAt) - 1 },
    ])
    stand.relay.behave()
    await nextDay()
    expect([found, await unexplained()]).toEqual([1, []])
    expect(told('error')).toHaveLength(2)
  })

  test('is a payment on record that was never made, too', async () => {
    await check()
    await pay()
    await watch.step()
    await stand.database.sql`
      insert into transfers select chain, 'made up', position, block_number, block_hash, block_time, from_address, to_address, 5,
        state, invoice_id, matched_by, held_as, created_at from transfers`
    await nextDay()
    expect(told('error')).toMatchObject([{ line: { addresses: [{ usdcBase: '-5' }] } }])
    expect(told('warn')).toMatchObject([{ line: { fault: 'invalid_answer' } }])
  })
})

test('a balance of a block that is in the chain no longer is no beginning to judge by', async () => {
  await pay()
  await watch.step()
  await check()
  await stand.node.reorg(1)
  await watch.step()
  await nextDay()
  expect(told('error')).toEqual([])
})

test('a node that has thrown old states away says so, and nothing is noted', async () => {
  stand.relay.misbehave(
    perCall((call, ask) =>
      call.method === 'eth_call'
        ? errorOf(call.id, -32000, 'missing trie node 1f (path )')
        : ask(call),
    ),
  )
  const error = await check().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ChainError)
  const [row] = await stand.database
    .sql`select count(*)::int as count from payment_addresses where agreed_block is not null`
  expect(row).toEqual({ count: 0 })
})
