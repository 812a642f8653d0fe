import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Hex } from 'viem'
import { deployAnchor } from '../../../src/chain/anchor/deployment.ts'
import { tallyOnChain } from '../../../src/chain/anchor/tally.ts'
import type { Tally } from '../../../src/domain/receipts/trust.ts'
import type { AnchorWorker } from '../../../src/queues/anchoring/anchor.ts'
import { markFailed } from '../../../src/storage/anchors/transactions.ts'
import { rebuildTrustSignals } from '../../../src/storage/receipts/trust.ts'
import { errorOf, perCall, refusingBlocksBefore, refusingRanges } from '../../support/rpc-faults.ts'
import { depth, runUntilDeep, type Stand, startStand } from './stand.ts'

let stand: Stand

beforeEach(async () => {
  stand = await startStand()
})
afterEach(() => stand.stop())

/** In the order in which they may be filled. */
const tables = ['anchor_transactions', 'anchors', 'receipt_batches', 'receipts'] as const

async function backUp(): Promise<void> {
  const { sql } = stand.database
  for (const table of tables) {
    await sql.unsafe(`drop table if exists kept_${table}`)
    await sql.unsafe(`create table kept_${table} as select * from ${table}`)
  }
}

/**
 * Replaces a transaction of the backup after the backup was made. `owe` may owe more just before
 * it.
 */
async function replaceSinceBackup(owe = async () => {}): Promise<void> {
  await stand.holdMining()
  await stand.worker().run()
  await owe()
  await backUp()
  await stand.pass(31_000)
  await stand.worker().run()
  expect((await stand.timesSigned()).at(-1)).toBe(2)
  await stand.node.rpc('evm_setAutomine', [true])
  await runUntilDeep(stand)
}

async function restore(): Promise<void> {
  const { sql } = stand.database
  await sql.unsafe(`truncate ${tables.join()}`)
  for (const table of tables) await sql.unsafe(`insert into ${table} select * from kept_${table}`)
}

/** Lets an hour pass, by the chain's clock and by ours. */
async function anHourLater(): Promise<void> {
  await stand.node.rpc('evm_increaseTime', [3_600])
  await stand.pass(3_600_000)
  await stand.node.mine(1)
}

describe('after the database was restored from a backup, what was signed since', () => {
  beforeEach(async () => {
    await stand.oweReceipts('drs_a')
    await runUntilDeep(stand)
    await stand.oweReceipts('drs_b', 'drs_c')
    await backUp()
  })

  test('is found on the chain and not sent once more', async () => {
    const one = stand.worker({ mostEvents: 1, mostReceipts: 1 })
    await runUntilDeep(stand, one)
    await restore()
    await stand.oweReceipts('drs_d')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b', 'drs_c', 'drs_d'])
    await stand.expectAllOnChain()
  })

  test('in a batch with receipts that the backup lacks is counted, and what the backup has of it goes in another batch', async () => {
    await stand.oweReceipts('drs_x', 'drs_y')
    await stand.oweState('mandate_x', 1)
    await runUntilDeep(stand)
    await stand.revoke('drs_y')
    await runUntilDeep(stand)
    await restore()
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'state_1 4', 'revocation', 'drs_b+drs_c'])
    await stand.expectAllOnChain()
    const { anchors } = await rebuildTrustSignals(stand.database.sql)
    expect(anchors).toMatchObject([{ receipts: 1 + 4 - 1 + 2, mandates: 1 }])
    const [tally] = anchors as [Tally]
    const range = { from: null, to: tally.blockNumber }
    const { receipts, mandates } = tally
    expect(await tallyOnChain([stand.node.url], tally, range)).toEqual({ receipts, mandates })
  })

  test('in several batches of receipts that the backup has is found, each with the receipts of its own', async () => {
    await stand.oweReceipts('drs_d', 'drs_e', 'drs_f')
    await backUp()
    await runUntilDeep(stand, stand.worker({ mostReceipts: 2 }))
    await restore()
    await stand.oweReceipts('drs_g')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b+drs_c', 'drs_d+drs_e', 'drs_f', 'drs_g'])
    await stand.expectAllOnChain()
  })

  test('each in a transaction of its own, transitions of one mandate are found and not sent once more, whatever followed them', async () => {
    for (const sequence of [1, 2]) await stand.oweState('mandate_a', sequence, 1_000)
    await stand.oweReceipts('drs_d', 'drs_e')
    await backUp()
    await runUntilDeep(stand, stand.worker({ mostEvents: 1, mostReceipts: 1 }))
    const sent = await stand.sent()
    expect(sent.at(-1)).not.toBe('state_2')
    await restore()
    await stand.oweReceipts('drs_f')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual([...sent, 'drs_f'])
    await stand.expectAllOnChain()
  })

  test('in the place of what the backup has is found and not sent once more', async () => {
    await replaceSinceBackup()
    await restore()
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipts('drs_d')
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b+drs_c', 'drs_d'])
    await stand.expectAllOnChain()
  })

  test('in the place of what was given up since is found and not sent once more', async () => {
    await replaceSinceBackup()
    await stand.oweReceipts('drs_d')
    await runUntilDeep(stand)
    await restore()
    const [lost] = await stand.database.sql<{ id: string }[]>`
      select id from anchor_transactions where nonce = 2`
    await markFailed(stand.database.sql, String(lost?.id))
    await stand.oweReceipts('drs_d')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b+drs_c', 'drs_d'])
    await stand.expectAllOnChain()
  })

  test('behind what replaced a transaction is found, too: nothing goes out before that is known', async () => {
    await stand.oweState('mandate_a', 1)
    await replaceSinceBackup(() => stand.oweState('mandate_a', 2))
    await restore()
    await stand.oweReceipts('drs_d')
    const worker = stand.worker()
    await worker.run()
    expect((await stand.anchor('drs_d')).state).toBe('pending')
    await stand.pass(300_000)
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a', 'state_1 drs_b+drs_c', 'state_2', 'drs_d'])
    await stand.expectAllOnChain()
  })

  test.each([
    [-32603, 'Internal JSON-RPC error.'],
    [4444, 'pruned history unavailable'],
  ])('is waited for while no node has logs (%i)', async (code, text) => {
    await runUntilDeep(stand)
    await restore()
    stand.provider.misbehave(
      perCall((call, ask) =>
        call.method === 'eth_getLogs' ? errorOf(call.id, code, text) : ask(call),
      ),
    )
    const signed = await stand.timesSigned()
    for (let tries = 0; tries < 2; tries++) {
      await expect(stand.worker().run()).rejects.toThrow()
      await stand.pass(300_000)
    }
    expect((await stand.anchor('drs_b')).state).toBe('pending')
    expect(await stand.timesSigned()).toEqual(signed)
    stand.provider.behave()
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('is waited for while it is in the pool', async () => {
    await stand.holdMining()
    await stand.worker().run()
    await restore()
    await stand.worker().run()
    expect((await stand.anchor('drs_b')).state).toBe('pending')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b+drs_c'])
    await stand.expectAllOnChain()
  })

  test('is found where a node answers for few blocks at once, and signed anew when the chain loses it', async () => {
    await runUntilDeep(stand)
    await stand.node.mine(20)
    await restore()
    stand.provider.misbehave(refusingRanges(4, -32600, 'block range is too large'))
    await stand.worker().run()
    expect((await stand.anchor('drs_b')).state).toBe('sent')
    await stand.node.reorg(23)
    await stand.pass(31_000)
    await runUntilDeep(stand)
    expect(await stand.timesSigned()).toEqual([1, 2])
    await stand.expectAllOnChain()
  })

  test('is found in one walk over several rounds where a node answers for few blocks at once and limits the rate', async () => {
    await runUntilDeep(stand)
    await stand.node.mine(600)
    await restore()
    const few = refusingRanges(4, -32600, 'block range is too large')
    const init = { status: 429, headers: { 'retry-after': '1' } }
    let asked = 0
    stand.provider.misbehave((request, forward) => {
      const isOfLogs = request.some(({ method }) => method === 'eth_getLogs')
      const isLimited = isOfLogs && asked++ % 70 === 69
      return isLimited ? new Response('', init) : few(request, forward)
    })
    const worker = stand.worker()
    const endMs = performance.now() + 50_000
    while ((await stand.anchor('drs_b')).state === 'pending' && performance.now() < endMs) {
      const before = asked
      await worker.run().catch((error) => expect(error.fault).toBe('rate_limited'))
      expect(asked - before).toBeLessThan(200)
      await Bun.sleep(200)
    }
    // 150 answers of four blocks each, and the requests to find out that four is the limit.
    expect(asked).toBeLessThan(400)
    stand.provider.behave()
    await stand.oweReceipts('drs_d')
    await runUntilDeep(stand, worker)
    await stand.expectAllOnChain()
  })
})

describe('after the database was restored from a backup with nothing mined, what replaced the first transaction', () => {
  let lastOld: number

  beforeEach(async () => {
    await stand.node.mine(60)
    lastOld = Number(await stand.node.rpc('eth_blockNumber', []))
    await anHourLater()
    await stand.oweReceipts('drs_a', 'drs_b')
    await replaceSinceBackup()
    // And by the database's.
    await stand.database
      .sql`update kept_anchor_transactions set created_at = created_at + interval '1 hour'`
  })

  test('is found and not sent again, and no older blocks are searched', async () => {
    await restore()
    let firstAsked = Number.POSITIVE_INFINITY
    stand.provider.misbehave(
      perCall((call, ask) => {
        if (call.method === 'eth_getLogs')
          firstAsked = Math.min(
            firstAsked,
            Number((call.params[0] as { fromBlock: Hex }).fromBlock),
          )
        return ask(call)
      }),
    )
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipts('drs_c')
    await runUntilDeep(stand, worker)
    expect(await stand.sent()).toEqual(['drs_a+drs_b', 'drs_c'])
    await stand.expectAllOnChain()
    expect(firstAsked).toBe(lastOld)
  })

  test('is found where a node refuses blocks from so long ago, and what is owed goes out', async () => {
    await restore()
    stand.provider.misbehave(refusingBlocksBefore(lastOld))
    const worker = stand.worker()
    await worker.run()
    await stand.pass(300_000)
    await stand.oweReceipts('drs_c')
    // Few blocks, or all that a search looks at would be newer than what is refused.
    for (let round = 0; round < 2 * depth + 4; round++) {
      await worker.run()
      await stand.node.mine(1)
    }
    expect(await stand.sent()).toEqual(['drs_a+drs_b', 'drs_c'])
    await stand.expectAllOnChain()
  })
})

describe('a key that has sent transactions, none of which is on record,', () => {
  /**
   * Lets the node count the searches for events, and say from which block the oldest was. With
   * `isPruned` it knows no code of the past.
   */
  function searches({ isPruned } = { isPruned: false }): { times: number; from: number } {
    const seen = { times: 0, from: Number.POSITIVE_INFINITY }
    stand.provider.misbehave(
      perCall((call, ask) => {
        if (isPruned && call.method === 'eth_getCode' && call.params[1] !== 'latest') {
          return errorOf(call.id, -32000, 'missing trie node')
        }
        if (call.method === 'eth_getLogs') {
          const { fromBlock } = call.params[0] as { fromBlock: Hex }
          seen.times++
          seen.from = Math.min(seen.from, Number(fromBlock))
        }
        return ask(call)
      }),
    )
    return seen
  }

  test('has sent what is owed, if the backup was made before anchoring was switched on', async () => {
    await stand.oweReceipts('drs_a', 'drs_b')
    await backUp()
    await runUntilDeep(stand, stand.worker({ mostEvents: 1, mostReceipts: 1 }))
    await restore()
    await stand.oweReceipts('drs_c')
    await runUntilDeep(stand)
    expect(await stand.sent()).toEqual(['drs_a', 'drs_b', 'drs_c'])
    await stand.expectAllOnChain()
  })

  test('has sent what came about since the backup and comes about again', async () => {
    await backUp()
    await stand.oweState('mandate_a', 1)
    await runUntilDeep(stand)
    await anHourLater()
    await restore()
    await stand.oweState('mandate_a', 1)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  test('is not searched if the last of them created the contract', async () => {
    await stand.oweState('mandate_a', 1, 86_400_000)
    await stand.node.mine(60)
    const seen = searches()
    await stand.worker().run()
    expect((await stand.anchor('state_1')).state).toBe('sent')
    expect(seen.times).toBe(0)
    await runUntilDeep(stand)
    await stand.expectAllOnChain()
  })

  describe('is searched where another program has used it after it created the contract:', () => {
    let worker: AnchorWorker
    let lastWithout: number

    beforeEach(async () => {
      await stand.oweState('mandate_a', 1, 86_400_000)
      await stand.node.mine(60)
      lastWithout = Number(await stand.node.rpc('eth_blockNumber', []))
      const { contract } = await deployAnchor({
        rpcUrls: [stand.node.url],
        privateKey: stand.privateKey,
      })
      await stand.stealNonce()
      await stand.node.mine(depth)
      worker = stand.worker({ contract })
    })

    test.each([
      ['since then', { isPruned: false }, () => lastWithout],
      ['through all the time, if the node does not say when that was', { isPruned: true }, () => 0],
    ])('%s', async (_, node, from) => {
      const seen = searches(node)
      await worker.run()
      expect((await stand.anchor('state_1')).state).toBe('sent')
      expect(seen.from).toBe(from())
    })
  })

  test('is searched for what is owed once, through the time of the database, and goes on where they were another program’s', async () => {
    await stand.stealNonce()
    await stand.node.mine(60)
    const lastOld = Number(await stand.node.rpc('eth_blockNumber', []))
    await anHourLater()
    await stand.database.sql`update migrations set applied_at = now() + interval '1 hour'`
    await stand.oweReceipts('drs_a')
    const seen = searches()
    const worker = stand.worker()
    await worker.run()
    expect((await stand.anchor('drs_a')).state).toBe('sent')
    expect(seen.from).toBe(lastOld)
    const { times } = seen
    await stand.oweReceipts('drs_b')
    await runUntilDeep(stand, worker)
    expect(seen.times).toBe(times)
    await stand.expectAllOnChain()
  })
})
