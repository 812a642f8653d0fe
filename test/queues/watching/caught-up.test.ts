import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { ChainError } from '../../../src/chain/chain.ts'
import { staleHeadMs } from '../../../src/domain/registry.ts'
import { notingProgress } from '../../../src/queues/watching/catch-up.ts'
import type { Watcher } from '../../../src/queues/watching/watch.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { fillDatabase } from '../../support/full-database.ts'
import { behindAt } from '../../support/lagging-node.ts'
import { baseBy, testWatcher } from '../../support/watcher.ts'
import { startWatchStand, type WatchStand } from './stand.ts'

/**
 * When a chain had last been read to its head: what is due by then and not paid, nobody has paid.
 */

let stand: WatchStand

beforeEach(async () => {
  stand = await startWatchStand()
})
afterEach(async () => {
  setSystemTime()
  await stand.stop()
})

const hourMs = 3_600_000

describe('a step has caught up', () => {
  test('as of when it asked for the head, not of when it committed', async () => {
    const watch = stand.watcher({ during: { commit: () => stand.wait(hourMs) } })
    const before = Date.now()
    const { caughtUpAt } = await watch.step()
    expect(caughtUpAt?.getTime()).toBeWithin(before, Date.now() + 1)
  })

  test('where there is nothing to read after the last block, which is confirmed', async () => {
    const watch = stand.watcher({ confirmations: 1 })
    await watch.step()
    expect(await watch.step()).toMatchObject({ caughtUpAt: expect.any(Date) })
  })

  test('only with its last range', async () => {
    const watch = stand.watcher({ confirmations: 1, maxRangeBlocks: 1 })
    await watch.step()
    await stand.node.mine(6)
    let stepped = await watch.step()
    for (; stepped.isAdvancing; stepped = await watch.step()) expect(stepped.caughtUpAt).toBeNull()
    expect(stepped.caughtUpAt).toEqual(expect.any(Date))
  })
})

describe('a step has not caught up', () => {
  test('where another process was faster: that one says so', async () => {
    const watch = stand.watcher({ during: { commit: stand.otherIsFaster } })
    expect(await watch.step()).toMatchObject({ isAdvancing: false, caughtUpAt: null })
  })

  test('where the node failed before the head, though confirmed blocks or none were finished', async () => {
    const options = { confirmations: 64, maxRangeBlocks: 2 }
    const watch = stand.watcher(options)
    await watch.step()
    await stand.node.mine(10)
    let asked = 0
    stand.relay.misbehave(async (request, forward) => {
      const isLogs = request.some(({ method }) => method === 'eth_getLogs')
      return isLogs && ++asked > 4
        ? new Response('', { status: 503 })
        : Response.json(await forward(request))
    })
    expect(await watch.step()).toMatchObject({ isAdvancing: false, caughtUpAt: null })
    stand.relay.behave()
    expect(await watch.step()).toMatchObject({ caughtUpAt: expect.any(Date) })
  })

  test('where the node’s head is behind what was read', async () => {
    const watch = stand.watcher({ confirmations: 1 })
    await stand.node.mine(5)
    await watch.step()
    stand.relay.misbehave(behindAt(2))
    expect(await watch.step()).toMatchObject({ isAdvancing: false, caughtUpAt: null })
  })

  test.each([
    ['read', 3],
    ['confirmed before', 1],
  ])(
    'where the node stands still: its newest block, %s, is more than two minutes old',
    async (_, confirmations) => {
      let passedMs = 0
      const watch = stand.watcher({ confirmations, during: { aheadMs: () => passedMs } })
      await stand.node.mine(1)
      passedMs = staleHeadMs / 2
      expect(await watch.step()).toMatchObject({ caughtUpAt: expect.any(Date) })
      passedMs = staleHeadMs + 1_000
      expect(await watch.step()).toMatchObject({ caughtUpAt: null })
      await stand.node.rpc('evm_increaseTime', [staleHeadMs / 1_000])
      await stand.node.mine(1)
      expect(await watch.step()).toMatchObject({ caughtUpAt: expect.any(Date) })
    },
  )
})

test('the moment a step has caught up as of is stored, however soon it comes after others', async () => {
  const { node, relay, database } = stand
  await node.mine(6)
  const chain = baseBy(node, relay.url)
  const watch = noting(
    database.sql,
    testWatcher(database.sql, { chain, maxRangeBlocks: 1, startBlock: 1 }),
  )
  let stepped = await watch.step()
  expect(stepped.caughtUpAt).toBeNull()
  while (stepped.isAdvancing) stepped = await watch.step()
  const [row] = await database.sql`select caught_up_at from chain_watches where chain = 'base'`
  expect(stepped.caughtUpAt).toEqual(expect.any(Date))
  expect(row?.caught_up_at).toEqual(expect.any(Date))
})

test.each([
  ['right', 0],
  ['an hour ahead', hourMs],
  ['an hour behind', -hourMs],
])(
  'the moment stored is one before the head was asked for, by PostgreSQL’s clock, where this process’s is %s',
  async (_, aheadMs) => {
    const { node, relay, database } = stand
    const asked: Date[] = []
    const time = async () =>
      (await database.sql<[{ at: Date }]>`select clock_timestamp() as at`)[0].at
    relay.misbehave(async (request, forward) => {
      asked.push(await time())
      return Response.json(await forward(request))
    })
    // Its only connection is busy while the moment is to be stored.
    const narrow = connect(database.url, { max: 1, name: 'narrow' })
    try {
      const busy = Promise.withResolvers<unknown>()
      const watch = testWatcher(database.sql, {
        chain: baseBy(node, relay.url),
        now: () => new Date(Date.now() + aheadMs),
      })
      const before = await time()
      setSystemTime(new Date(Date.now() + aheadMs))
      await noting(narrow, {
        async step() {
          const stepped = await watch.step()
          busy.resolve(narrow`select pg_sleep(2)`)
          return stepped
        },
      }).step()
      await busy.promise
      const [row] = await database.sql`select caught_up_at from chain_watches where chain = 'base'`
      expect(Number(row?.caught_up_at)).toBeWithin(Number(before), Number(asked[0]) + 1)
    } finally {
      await narrow.end()
    }
  },
)

test('a node that stands still has not caught up, however far the clock of this process is behind', async () => {
  const watch = stand.watcher({ during: { aheadMs: () => 10 * 60_000 } })
  expect(await watch.step()).toMatchObject({ caughtUpAt: null })
})

test('what our own database refuses is no fault of the chain, also where its node refused before, and what that refuses is', async () => {
  const { node, relay, database } = stand
  const { sql } = database
  const watch = noting(sql, testWatcher(sql, { chain: baseBy(node, relay.url) }))
  const noted = async () => [...(await database.sql`select fault, polled_at from chain_watches`)]
  const refused = async () => {
    const makeRoom = await fillDatabase(database.sql)
    await expect(watch.step()).rejects.toMatchObject({ reason: 'unavailable' })
    await makeRoom()
  }
  await refused()
  expect(await noted()).toEqual([{ fault: null, polled_at: null }])
  relay.misbehave(async () => new Response('', { status: 503 }))
  await expect(watch.step()).rejects.toBeInstanceOf(ChainError)
  expect(await noted()).toEqual([{ fault: 'unreachable', polled_at: null }])
  relay.behave()
  await refused()
  expect(await noted()).toEqual([{ fault: null, polled_at: null }])
})

function noting(sql: Sql, watcher: Watcher): Watcher {
  return notingProgress(watcher, { sql, network: 'base', steadyMs: () => performance.now() })
}
