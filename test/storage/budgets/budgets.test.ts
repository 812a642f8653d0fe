import { beforeEach, describe, expect, test } from 'bun:test'
import type { Agent, Budget, Reservation } from '../../../src/domain/budgets/count.ts'
import * as Budgets from '../../../src/storage/budgets/budgets.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let accountId: string

beforeEach(() => {
  accountId = Bun.randomUUIDv7()
})

const budget: Budget = {
  terms: {
    limitMinor: 2n ** 53n - 1n,
    period: 'month',
    currency: 'EUR',
    perTransactionMinor: 7n,
    active: true,
  },
  periodNumber: 3,
  span: { start: '2026-05-01T00:00:00.000Z', end: '2999-06-01T00:00:00.000Z' },
  spentMinor: 2n ** 53n - 2n,
  holds: [{ expiresAt: '2026-05-01T12:01:00.000Z', amountMinor: 1n }],
  heldMinor: 3n,
}

function agent(agentId: string, version: number, over: Partial<Budget> = {}) {
  return { accountId, agentId, version, budget: { ...budget, ...over } }
}

function change(after: ReturnType<typeof agent>, over: Partial<Budgets.Change> = {}) {
  return { after, held: null, closed: null, idempotency: null, by: null, at: new Date(), ...over }
}

function reservation(over: Partial<Reservation> = {}): Reservation {
  return {
    id: Bun.randomUUIDv7(),
    amountMinor: 1n,
    periodNumber: 3,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
    state: 'held',
    ...over,
  }
}

const commit = (...changes: Budgets.Change[]) => Budgets.commitAll(db.sql, changes)
const load = async (agentId: string): Promise<Agent> =>
  (await Budgets.loadAgent(db.sql, accountId, agentId)).agent
const find = (id: string) => Budgets.findReservation(db.sql, accountId, id)

/** An agent with a budget and one open reservation. */
async function withReservation(agentId: string, over: Partial<Reservation> = {}) {
  const held = reservation(over)
  await commit(change(agent(agentId, 1)))
  await commit(change(agent(agentId, 2), { held }))
  return held
}

describe('what is written', () => {
  test('reads as it was, also at the edges of numbers and texts', async () => {
    const agentId = `o'brien "\\ {1,2}, ünïcode 💶`
    expect(await load(agentId)).toEqual({ accountId, agentId, version: 0, budget: null })
    const first = agent(agentId, 1)
    expect(await commit(change(first))).toEqual(['written'])
    expect(await load(agentId)).toEqual(first)
    const endless = agent(agentId, 2, {
      span: { start: budget.span.start, end: null },
      terms: { ...budget.terms, perTransactionMinor: null, active: false },
      holds: [],
    })
    expect(await commit(change(endless))).toEqual(['written'])
    expect(await load(agentId)).toEqual(endless)
  })

  test('of many agents in one statement is judged one by one, in the order given', async () => {
    await commit(change(agent('a', 1)), change(agent('b', 1)), change(agent('b2', 1)))
    const held = reservation()
    const outcomes = await commit(
      change(agent('c', 1)),
      change(agent('b', 5)),
      change(agent('a', 2), { held }),
      change(agent('b2', 1)),
    )
    expect(outcomes).toEqual(['written', 'stale', 'written', 'stale'])
    expect(await find(held.id)).toEqual({ ...held, agentId: 'a' })
  })

  test('by one of many who read the same, who learns with its next write that others were late', async () => {
    const first = await Promise.all([1, 2, 3, 4].map(() => commit(change(agent('first', 1)))))
    expect(first.flat().sort()).toEqual(['stale', 'stale', 'stale', 'written'])
    await commit(change(agent('a', 1)))
    const outcomes = await Promise.all(
      [0n, 1n, 2n, 3n].map((spentMinor) => commit(change(agent('a', 2, { spentMinor })))),
    )
    expect(outcomes.flat().sort()).toEqual(['stale', 'stale', 'stale', 'written'])
    expect(await commit(change(agent('a', 3)))).toEqual(['contended'])
    expect(await commit(change(agent('a', 4)))).toEqual(['written'])
  })

  test('is not what somebody decided who takes it for later than it is, or for much earlier', async () => {
    const [row] = await db.sql<[{ now: Date }]>`select clock_timestamp() as now`
    const in5s = new Date(row.now.getTime() + 5_000)
    const ago15s = new Date(row.now.getTime() - 15_000)
    await commit(change(agent('b', 1)), change(agent('c', 1)))
    const outcomes = await commit(
      change(agent('a', 1), { at: in5s }),
      change(agent('b', 2), { at: in5s, held: reservation() }),
      change(agent('c', 2), { at: ago15s, held: reservation() }),
      change(agent('d', 1), { at: row.now }),
    )
    expect(outcomes).toEqual(['stale', 'stale', 'stale', 'written'])
    const versions = await Promise.all(['a', 'b', 'c'].map(async (id) => (await load(id)).version))
    expect(versions).toEqual([0, 1, 1])
  })

  test('is not counted in a period that is over by then, as somebody behind at midnight would', async () => {
    const [row] = await db.sql<[{ now: Date }]>`select clock_timestamp() as now`
    const { start } = budget.span
    await commit(change(agent('b', 1)))
    const late = new Date(row.now.getTime() - 5_000)
    const ending = (after: ReturnType<typeof agent>, end: Date) => {
      const span = { start, end: end.toISOString() }
      return change({ ...after, budget: { ...after.budget, span } }, { at: late })
    }
    const next = new Date(row.now.getTime() + 60_000)
    const outcomes = await commit(
      ending(agent('a', 1), row.now),
      ending(agent('b', 2), row.now),
      ending(agent('c', 1), next),
    )
    expect(outcomes).toEqual(['stale', 'stale', 'written'])
    expect([(await load('a')).version, (await load('b')).version]).toEqual([0, 1])
  })
})

describe('a reservation', () => {
  test('is closed once; what would close it again is not written', async () => {
    const { id } = await withReservation('a')
    const closed = { id, as: 'committed' } as const
    expect(await commit(change(agent('a', 3), { closed }))).toEqual(['written'])
    expect(await find(id)).toMatchObject({ state: 'committed' })
    const again = change(agent('a', 4), { closed: { id, as: 'released' } })
    expect(await commit(again)).toEqual(['closed'])
    expect(await find(id)).toMatchObject({ state: 'committed' })
    expect((await load('a')).version).toBe(3)
  })

  test('of another account is not found', async () => {
    const { id } = await withReservation('a')
    expect(await Budgets.findReservation(db.sql, Bun.randomUUIDv7(), id)).toBeNull()
  })

  test('with a key that has been used is not written, and neither is its agent', async () => {
    const idempotency = {
      route: '/api/budget/check',
      key: 'k',
      requestHash: new Uint8Array([1, 255]),
      made: '{"a":"\\"b"}',
    }
    await commit(change(agent('a', 1)), change(agent('b', 1)))
    await commit(change(agent('a', 2), { held: reservation(), idempotency }))
    const [row] = await db.sql`
      select route, key, request_hash, made from idempotency_keys where account_id = ${accountId}`
    expect(row).toEqual({
      route: idempotency.route,
      key: 'k',
      request_hash: Buffer.from([1, 255]),
      made: idempotency.made,
    })
    const again = change(agent('b', 2), { held: reservation(), idempotency })
    await expect(commit(again)).rejects.toThrow('idempotency_keys')
    expect((await load('b')).version).toBe(1)
  })
})

describe('the sweep', () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

  test('marks what has run out, forgets what was not spent a day later, and leaves the rest', async () => {
    const open = await withReservation('open')
    const out = await withReservation('out', { expiresAt: ago(1) })
    const old = await withReservation('old', { expiresAt: ago(86_500) })
    const spent = await withReservation('spent', { expiresAt: ago(86_500) })
    await commit(change(agent('spent', 3), { closed: { id: spent.id, as: 'committed' } }))
    expect(await Budgets.sweepReservations(db.sql, 100)).toBe(2)
    expect(await Budgets.sweepReservations(db.sql, 100)).toBe(1)
    expect(await Budgets.sweepReservations(db.sql, 100)).toBe(0)
    const states = await Promise.all([open, out, old, spent].map(({ id }) => find(id)))
    expect(states.map((found) => found?.state)).toEqual(['held', 'expired', undefined, 'committed'])
  })

  test('comes before a commit or after it, never in between', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => withReservation(`${n}`, { expiresAt: ago(1) })),
    )
    const [, ...outcomes] = await Promise.all([
      Budgets.sweepReservations(db.sql, 100),
      ...all.map(({ id }, n) =>
        commit(change(agent(`${n}`, 3), { closed: { id, as: 'committed' } })),
      ),
    ])
    for (const [n, [outcome]] of outcomes.entries()) {
      const found = await find(all[n]!.id)
      const isWritten = outcome === 'written'
      expect(found?.state).toBe(isWritten ? 'committed' : 'expired')
      expect((await load(`${n}`)).version).toBe(isWritten ? 3 : 2)
    }
  })
})
