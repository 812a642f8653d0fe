import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Budgets } from '../../src/actors/budgets.ts'
import { connect, type Sql } from '../../src/storage/postgres/db.ts'
import { budgetActors, passTime } from '../support/budgets.ts'
import { tally } from '../support/outcomes.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'
import { watchedSql } from '../support/watched-sql.ts'

let db: TestDatabase
const pools: Sql[] = []

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await db.drop()
})

const newId = () => Bun.randomUUIDv7()
const usd = (agentId: string, amount: number) => ({
  agentId,
  amountMinor: BigInt(amount),
  currency: null,
})

/**
 * One process with its own connections and cache. Its clock is `ahead.ms` ahead of PostgreSQL's.
 * The answer to its first read of an agent takes `firstReadMs` to come back.
 */
function process(ahead = { ms: 0 }, firstReadMs = 0): Budgets {
  const sql = connect(db.url, { max: 4, name: 'test budgets' })
  pools.push(sql)
  let backMs = firstReadMs
  const slow = watchedSql(sql, {
    async after({ text }) {
      if (!text.includes('left join budgets')) return
      await Bun.sleep(backMs)
      backMs = 0
    },
  })
  return budgetActors(sql, { ahead, readSql: slow })
}

async function reserve(budgets: Budgets, accountId: string, agentId: string, amount: number) {
  const made = await budgets.reserve(accountId, usd(agentId, amount), null)
  return made.kind === 'reserved' ? (made.reserved.reservationId ?? '') : ''
}

describe('two processes', () => {
  test('together admit exactly what the budget allows', async () => {
    const [one, two, accountId] = [process(), process(), newId()]
    await one.set(accountId, 'bot', { limitMinor: 100n })
    const asked = Array.from({ length: 150 }, (_, n) =>
      reserve(n % 2 ? one : two, accountId, 'bot', 1),
    )
    expect(await tally(asked)).toEqual({ done: 100, budget_exceeded: 50 })
    expect(await two.get(accountId, 'bot')).toMatchObject({ reserved: 100, remaining: 0 })
  })

  test('serve many agents at once', async () => {
    const [one, two, accountId] = [process(), process(), newId()]
    const agents = Array.from({ length: 40 }, (_, n) => `bot ${n}`)
    await Promise.all(agents.map((agent) => one.set(accountId, agent, { limitMinor: 5n })))
    const asked = agents.flatMap((agent) =>
      Array.from({ length: 10 }, (_, n) => reserve(n % 2 ? one : two, accountId, agent, 1)),
    )
    expect(await tally(asked)).toEqual({ done: 200, budget_exceeded: 200 })
  })

  test('never spend an expired reservation whose amount the other has reserved again', async () => {
    const [one, two, accountId] = [process(), process(), newId()]
    await one.set(accountId, 'bot', { limitMinor: 100n })
    const first = await reserve(one, accountId, 'bot', 100)
    await passTime(db.sql, 70_000)
    const second = await reserve(two, accountId, 'bot', 100)
    await expect(one.commit(accountId, first)).rejects.toMatchObject({ reason: 'invalid_state' })
    expect(await two.commit(accountId, second)).toMatchObject({ spent: 100, reserved: 0 })
    expect(await one.release(accountId, first)).toMatchObject({ spent: 100, reserved: 0 })
  })

  test.each(['commit', 'release'] as const)(
    '%s what was reserved since the other saw the agent without a budget',
    async (close) => {
      const [one, two, accountId] = [process(), process(), newId()]
      expect(await reserve(two, accountId, 'bot', 100)).toBe('')
      await one.set(accountId, 'bot', { limitMinor: 100n })
      const held = await reserve(one, accountId, 'bot', 100)
      const spent = close === 'commit' ? 100 : 0
      expect(await two[close](accountId, held)).toMatchObject({ spent, reserved: 0 })
    },
  )

  test('see each other’s terms at once', async () => {
    const [one, two, accountId] = [process(), process(), newId()]
    await one.set(accountId, 'bot', { limitMinor: 100n })
    await reserve(two, accountId, 'bot', 1)
    await one.set(accountId, 'bot', { active: false })
    await expect(reserve(two, accountId, 'bot', 1)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    })
    await one.set(accountId, 'bot', { active: true, limitMinor: 200n })
    expect(await reserve(two, accountId, 'bot', 199)).not.toBe('')
  })
})

describe('a budget goes by the clock of PostgreSQL alone', () => {
  const months = 62 * 86_400_000

  test('in a process ahead by its own: what is held stays held, and no period starts early', async () => {
    const [right, fast, accountId] = [process(), process({ ms: months }), newId()]
    const { periodStart } = await right.set(accountId, 'bot', { limitMinor: 100n })
    const held = await reserve(right, accountId, 'bot', 90)
    const standing = { spent: 0, reserved: 90, periodStart }
    expect(await fast.get(accountId, 'bot')).toMatchObject(standing)
    expect((await fast.list(accountId, { after: null, limit: 1 })).budgets).toMatchObject([
      standing,
    ])
    const asked = [fast.check(accountId, usd('bot', 11)), reserve(fast, accountId, 'bot', 11)]
    expect(await tally(asked)).toEqual({ budget_exceeded: 2 })
    expect(await fast.set(accountId, 'bot', { limitMinor: 101n })).toMatchObject(standing)
    expect(await fast.commit(accountId, held)).toMatchObject({ spent: 90, periodStart })
  })

  test('in a process behind by its own: a reservation lasts its 60 seconds', async () => {
    const [slow, right, accountId] = [process({ ms: -months }), process(), newId()]
    await slow.set(accountId, 'bot', { limitMinor: 100n })
    const held = await reserve(slow, accountId, 'bot', 60)
    expect(await right.get(accountId, 'bot')).toMatchObject({ reserved: 60, remaining: 40 })
    expect(await right.commit(accountId, held)).toMatchObject({ spent: 60, reserved: 0 })
  })

  test('however late the answer came by which it was read: a reservation lasts its 60 seconds', async () => {
    const [right, waiting, accountId] = [process(), process({ ms: 0 }, 2_000), newId()]
    await right.set(accountId, 'bot', { limitMinor: 100n })
    await reserve(waiting, accountId, 'bot', 10)
    const [{ before }] = await db.sql<[{ before: Date }]>`select clock_timestamp() as before`
    const held = await reserve(waiting, accountId, 'bot', 10)
    const [{ expires }] = await db.sql<[{ expires: Date }]>`
      select expires_at as expires from budget_reservations where id = ${held}`
    expect(expires.getTime() - before.getTime()).toBeGreaterThanOrEqual(60_000)
  })

  test.each([
    ['forward', months],
    ['back', -months],
  ])('in a process whose own is put %s while it has the budget in memory', async (_, ms) => {
    const ahead = { ms: 0 }
    const [jumping, right, accountId] = [process(ahead), process(), newId()]
    await jumping.set(accountId, 'bot', { limitMinor: 100n })
    await reserve(jumping, accountId, 'bot', 40)
    ahead.ms = ms
    const asked = [reserve(jumping, accountId, 'bot', 61)]
    expect(await tally(asked)).toEqual({ budget_exceeded: 1 })
    ahead.ms = 0
    await reserve(jumping, accountId, 'bot', 1)
    ahead.ms = ms
    const held = await reserve(jumping, accountId, 'bot', 50)
    expect(await right.get(accountId, 'bot')).toMatchObject({ reserved: 91, remaining: 9 })
    expect(await right.commit(accountId, held)).toMatchObject({ spent: 50, reserved: 41 })
  })
})

describe('as time passes', () => {
  test('a reservation that nobody closed is free again, and cannot be committed', async () => {
    const [budgets, accountId] = [process(), newId()]
    await budgets.set(accountId, 'bot', { limitMinor: 100n })
    const first = await reserve(budgets, accountId, 'bot', 100)
    await passTime(db.sql, 61_000)
    expect(await budgets.get(accountId, 'bot')).toMatchObject({ reserved: 0, remaining: 100 })
    expect(await budgets.check(accountId, usd('bot', 100))).toMatchObject({ allowed: true })
    expect(await reserve(budgets, accountId, 'bot', 100)).not.toBe('')
    await expect(budgets.commit(accountId, first)).rejects.toMatchObject({
      reason: 'invalid_state',
    })
    const freed = { status: 'released', reserved: 100, spent: 0 }
    expect(await budgets.release(accountId, first)).toMatchObject(freed)
    expect(await budgets.release(accountId, first)).toMatchObject(freed)
  })

  test('a new month starts at zero', async () => {
    const [budgets, accountId] = [process(), newId()]
    const { periodStart, periodEnd } = await budgets.set(accountId, 'bot', { limitMinor: 100n })
    await budgets.commit(accountId, await reserve(budgets, accountId, 'bot', 100))
    await expect(reserve(budgets, accountId, 'bot', 1)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    })
    await passTime(db.sql, Date.parse(periodEnd ?? '') - Date.parse(periodStart))
    expect(await budgets.get(accountId, 'bot')).toMatchObject({
      spent: 0,
      remaining: 100,
      periodStart,
      periodEnd,
    })
    expect(await reserve(budgets, accountId, 'bot', 100)).not.toBe('')
  })
})
