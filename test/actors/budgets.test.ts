import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Budgets, createBudgets } from '../../src/actors/budgets.ts'
import { createGroupCommit } from '../../src/actors/group-commit.ts'
import { createOnce } from '../../src/actors/once.ts'
import * as BudgetRows from '../../src/storage/budgets.ts'
import { connect, type Sql } from '../../src/storage/db.ts'
import { firstAnswer } from '../../src/storage/idempotency.ts'
import { type TestDatabase, testDatabase } from '../support/postgres.ts'

let db: TestDatabase
const pools: Sql[] = []

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await db.drop()
})

const noon = new Date('2026-05-01T12:00:00.000Z')
const newId = () => Bun.randomUUIDv7()
const usd = (agentId: string, amount: number) => ({
  agentId,
  amountMinor: BigInt(amount),
  currency: null,
})

/** One process: its own connections, its own memory, its own clock. */
function process(clock = { ms: 0 }): Budgets {
  const sql = connect(db.url, { max: 4, name: 'test budgets' })
  pools.push(sql)
  const store = {
    load: (accountId: string, agentId: string) => BudgetRows.loadAgent(sql, accountId, agentId),
    loadPage: async () => [],
    findReservation: (accountId: string, id: string) =>
      BudgetRows.findReservation(sql, accountId, id),
  }
  return createBudgets({
    store,
    commits: createGroupCommit({
      lanes: 2,
      maxBatch: 256,
      maxWaiting: 4_096,
      flush: (_, changes) => BudgetRows.commitAll(sql, changes),
    }),
    once: createOnce({ firstAnswer: (...asked) => firstAnswer(sql, ...asked) }),
    now: () => new Date(noon.getTime() + clock.ms),
    newId,
  })
}

async function reserve(budgets: Budgets, accountId: string, agentId: string, amount: number) {
  const made = await budgets.reserve(accountId, usd(agentId, amount), null)
  return made.kind === 'reserved' ? (made.reserved.reservationId ?? '') : ''
}

/** How often each outcome came out. */
async function tally(asked: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of await Promise.allSettled(asked)) {
    const name = outcome.status === 'fulfilled' ? 'done' : outcome.reason.reason
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('two processes', () => {
  test('admit together what the budget holds and not one more, and neither is left behind', async () => {
    const [one, two, accountId] = [process(), process(), newId()]
    await one.set(accountId, 'bot', { limitMinor: 400n })
    const asked = Array.from({ length: 600 }, (_, n) =>
      reserve(n % 2 ? one : two, accountId, 'bot', 1),
    )
    expect(await tally(asked)).toEqual({ done: 400, budget_exceeded: 200 })
    expect(await two.get(accountId, 'bot')).toMatchObject({ reserved: 400, remaining: 0 })
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

  test('with clocks that differ never spend what the other has given away', async () => {
    const [slow, fast, accountId] = [process(), process({ ms: 70_000 }), newId()]
    await slow.set(accountId, 'bot', { limitMinor: 100n })
    const first = await reserve(slow, accountId, 'bot', 100)
    const second = await reserve(fast, accountId, 'bot', 100)
    await expect(slow.commit(accountId, first)).rejects.toMatchObject({ reason: 'invalid_state' })
    expect(await fast.commit(accountId, second)).toMatchObject({ spent: 100, reserved: 0 })
    expect(await slow.release(accountId, first)).toMatchObject({ spent: 100, reserved: 0 })
  })

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

describe('as time passes', () => {
  test('a reservation that nobody closed is free again, and cannot be committed', async () => {
    const clock = { ms: 0 }
    const [budgets, accountId] = [process(clock), newId()]
    await budgets.set(accountId, 'bot', { limitMinor: 100n })
    const first = await reserve(budgets, accountId, 'bot', 100)
    clock.ms = 60_000
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
    const clock = { ms: 0 }
    const [budgets, accountId] = [process(clock), newId()]
    await budgets.set(accountId, 'bot', { limitMinor: 100n })
    await budgets.commit(accountId, await reserve(budgets, accountId, 'bot', 100))
    await expect(reserve(budgets, accountId, 'bot', 1)).rejects.toMatchObject({
      reason: 'budget_exceeded',
    })
    clock.ms = Date.parse('2026-06-01T00:00:00.000Z') - noon.getTime()
    expect(await budgets.get(accountId, 'bot')).toMatchObject({
      spent: 0,
      remaining: 100,
      periodStart: '2026-06-01T00:00:00.000Z',
      periodEnd: '2026-07-01T00:00:00.000Z',
    })
    expect(await reserve(budgets, accountId, 'bot', 100)).not.toBe('')
  })
})
