import { describe, expect, test } from 'bun:test'
import { type Actor, createActors } from '../../src/actors/runtime.ts'
import { DomainError } from '../../src/domain/error.ts'

type Counter = { readonly value: number; readonly version: number }
type Command = number | 'refuse' | 'refuse when odd'

/** A counter in a plain map, with the version guard that storage gives real entities. */
function counters(over: Partial<Actor<Counter, Command, number>> = {}) {
  const table = new Map<string, Counter>([['a', { value: 0, version: 0 }]])
  const calls = { load: 0, commit: 0 }
  const actor: Actor<Counter, Command, number> = {
    async load(id) {
      calls.load++
      await Bun.sleep(1)
      return table.get(id)
    },
    decide(state, command) {
      if (!state) throw new DomainError('not_found', 'none')
      const isRefused =
        command === 'refuse' || (command === 'refuse when odd' && state.value % 2 === 1)
      if (isRefused) throw new DomainError('invalid_state', 'refused')
      return typeof command === 'number' && command !== 0 ? [command] : []
    },
    evolve: (state, events) =>
      state && {
        value: state.value + events.reduce((sum, n) => sum + n, 0),
        version: state.version + 1,
      },
    async commit({ before, after }) {
      calls.commit++
      await Bun.sleep(1)
      if (table.get('a')?.version !== before.version) return false
      table.set('a', after)
      return true
    },
    ...over,
  }
  return { actor, table, calls }
}

const limits = { maxMailbox: 8, maxResident: 100, idleMs: 60_000 }
const options = { now: () => new Date(0), ...limits }

describe('one actor', () => {
  test('runs its commands one after the other, each on what the one before left', async () => {
    const { actor, calls } = counters()
    const actors = createActors(actor, options)
    const states = await Promise.all([1, 10, 100].map((n) => actors.execute('a', n)))
    expect(states.map(({ value }) => value)).toEqual([1, 11, 111])
    expect(calls).toEqual({ load: 1, commit: 3 })
  })

  test('a refused command changes nothing and does not stop the next one', async () => {
    const { actor, calls } = counters()
    const actors = createActors(actor, options)
    const [refused, next] = await Promise.allSettled([
      actors.execute('a', 'refuse'),
      actors.execute('a', 1),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: { reason: 'invalid_state' } })
    expect(next).toMatchObject({ status: 'fulfilled', value: { value: 1 } })
    expect(calls.commit).toBe(1)
  })

  test('looks up what a command needs beside the entity, and forgets a command that cannot be had', async () => {
    const order: string[] = []
    const { actor, calls } = counters()
    const load = async (id: string) => {
      order.push('load')
      const found = await actor.load(id)
      order.push('loaded')
      return found
    }
    const actors = createActors({ ...actor, load }, options)
    const lookedUp = actors.execute('a', async () => {
      order.push('look')
      return 5
    })
    expect((await lookedUp).value).toBe(5)
    expect(order).toEqual(['load', 'look', 'loaded'])
    await expect(actors.execute('a', () => Promise.reject(new Error('down')))).rejects.toThrow(
      'down',
    )
    expect((await actors.execute('a', 1)).value).toBe(6)
    expect(calls.commit).toBe(2)
  })

  test('a full mailbox is overloaded with a time to try again', async () => {
    const { actor } = counters()
    const actors = createActors(actor, options)
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => actors.execute('a', 1)),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    // One runs and eight wait.
    expect(refused.length).toBe(11)
    expect(refused[0]?.reason).toMatchObject({ reason: 'overloaded', retryAfterSeconds: 1 })
  })

  test('a command that waits behind one that hangs is refused in time, and never runs', async () => {
    const { actor, table } = counters()
    const held = Promise.withResolvers<void>()
    const load = async (id: string) => {
      await held.promise
      return actor.load(id)
    }
    const actors = createActors({ ...actor, load }, { ...options, maxWaitMs: 50 })
    const [first, ...rest] = [1, 10, 100, 1_000].map((n) => actors.execute('a', n))
    // Not that the database is out of reach: the mailbox may only be busy.
    const message = 'The resource is busy; try again shortly'
    const reason = { reason: 'unavailable', retryAfterSeconds: 1, message }
    expect(await Promise.allSettled(rest)).toMatchObject(
      rest.map(() => ({ status: 'rejected', reason })),
    )
    held.resolve()
    expect((await first)?.value).toBe(1)
    expect(table.get('a')?.value).toBe(1)
    expect((await actors.execute('a', 10_000)).value).toBe(10_001)
  })

  test('an unknown entity is not_found', async () => {
    const actors = createActors(counters().actor, options)
    expect(actors.execute('b', 1)).rejects.toMatchObject({ reason: 'not_found' })
  })
})

describe('two processes', () => {
  test('each command of both is done exactly once: a lost race is decided again on fresh state', async () => {
    const { actor, table } = counters()
    const [here, there] = [
      createActors(actor, { ...options, maxMailbox: 100 }),
      createActors(actor, { ...options, maxMailbox: 100 }),
    ]
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? here : there).execute('a', 1)))
    expect(table.get('a')?.value).toBe(20)
  })

  test('a refusal on remembered state counts only if fresh state refuses too', async () => {
    const { actor, table } = counters()
    const actors = createActors(actor, options)
    await actors.execute('a', 1)
    table.set('a', { value: 2, version: 9 })
    expect(await actors.execute('a', 'refuse when odd')).toEqual({ value: 2, version: 9 })
  })

  test('"nothing to do" is answered with fresh state', async () => {
    const { actor, table } = counters()
    const actors = createActors(actor, options)
    await actors.execute('a', 1)
    table.set('a', { value: 5, version: 9 })
    expect((await actors.execute('a', 0)).value).toBe(5)
  })
})

describe('memory', () => {
  test('what has been idle is evicted, what is over the most too', async () => {
    let nowMs = 0
    let loaded: string[] = []
    const { actor } = counters({
      async load(id) {
        loaded.push(id)
        return { value: 0, version: 0 }
      },
      commit: async () => true,
    })
    const actors = createActors(actor, {
      now: () => new Date(nowMs),
      maxMailbox: 8,
      maxResident: 3,
      idleMs: 1_000,
    })
    for (const id of ['1', '2', '3', '4', '5']) await actors.execute(id, 1)
    loaded = []
    for (const id of ['5', '4', '3', '2']) await actors.execute(id, 1)
    expect(loaded).toEqual(['2'])
    nowMs = 5_000
    for (const id of ['6', '2', '3', '4']) await actors.execute(id, 1)
    expect(loaded).toEqual(['2', '6', '2', '3', '4'])
  })

  test('a state that may not be kept serves one command', async () => {
    const { actor, calls } = counters({ mayKeep: ({ value }) => value > 1 })
    const actors = createActors(actor, options)
    const states = await Promise.all([1, 10, 100].map((n) => actors.execute('a', n)))
    expect(states.map(({ value }) => value)).toEqual([1, 11, 111])
    expect(calls).toEqual({ load: 2, commit: 3 })
  })

  test('what is forgotten is loaded again', async () => {
    const { actor, calls } = counters()
    const actors = createActors(actor, options)
    await actors.execute('a', 1)
    actors.forget(['a', 'unknown'])
    await actors.execute('a', 1)
    expect(calls.load).toBe(2)
  })
})

test('drain waits until every mailbox is empty', async () => {
  const { actor, table } = counters()
  const actors = createActors(actor, options)
  const executed = Promise.all([actors.execute('a', 1), actors.execute('a', 1)])
  await actors.drain()
  expect(table.get('a')?.value).toBe(2)
  await executed
})
