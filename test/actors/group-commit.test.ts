import { describe, expect, test } from 'bun:test'
import { createGroupCommit } from '../../src/actors/group-commit.ts'
import { DomainError } from '../../src/domain/error.ts'

/**
 * A group commit whose flush takes a moment and records its batches. A negative number is a bad
 * row.
 */
function setUp(
  over: {
    lanes?: number
    maxWaiting?: number
    sizeOf?: (work: number) => number
    fail?: () => Error
  } = {},
) {
  const batches: number[][] = []
  let underWay = 0
  let most = 0
  const commits = createGroupCommit<number, number>({
    lanes: over.lanes ?? 1,
    maxBatch: 16,
    maxWaiting: over.maxWaiting ?? 100,
    ...(over.sizeOf && { sizeOf: over.sizeOf }),
    async flush(_lane, works) {
      batches.push([...works])
      most = Math.max(most, ++underWay)
      await Bun.sleep(2)
      underWay--
      if (over.fail) throw over.fail()
      if (works.some((work) => work < 0)) throw new Error('a bad row')
      return works.map((work) => work * 2)
    },
  })
  return { commits, batches, mostAtOnce: () => most }
}

describe('what arrives together is committed together', () => {
  test('while one statement is under way, everything else becomes the next', async () => {
    const { commits, batches } = setUp()
    const first = commits.submit('a', 1)
    await Bun.sleep(1)
    const rest = [2, 3, 4].map((work) => commits.submit('a', work))
    expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  test('a batch never grows past its most, and order is kept', async () => {
    const { commits, batches } = setUp()
    await Promise.all(Array.from({ length: 40 }, (_, n) => commits.submit('a', n)))
    expect(batches.map((batch) => batch.length)).toEqual([16, 16, 8])
    expect(batches.flat()).toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('a lane has one statement under way, lanes run side by side', async () => {
    const one = setUp()
    await Promise.all(Array.from({ length: 40 }, (_, n) => one.commits.submit(`account ${n}`, n)))
    expect(one.mostAtOnce()).toBe(1)
    const two = setUp({ lanes: 2 })
    await Promise.all(Array.from({ length: 40 }, (_, n) => two.commits.submit(`account ${n}`, n)))
    expect(two.mostAtOnce()).toBe(2)
  })
})

describe('where one account submits more than a batch holds', () => {
  test('what another one submits behind it is in the next batch, and each one’s order is kept', async () => {
    const { commits, batches } = setUp()
    const many = Array.from({ length: 40 }, (_, n) => commits.submit('a', n))
    const few = [100, 101, 102].map((work) => commits.submit('b', work))
    await Promise.all([...many, ...few])
    expect(batches[0]).toEqual(expect.arrayContaining([100, 101, 102]))
    const inOrder = batches.flat().filter((work) => work < 100)
    expect(inOrder).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect(batches.flat().filter((work) => work >= 100)).toEqual([100, 101, 102])
  })

  test('half of the room is left to others', async () => {
    const { commits } = setUp({ maxWaiting: 10 })
    const many = Array.from({ length: 20 }, (_, n) => commits.submit('a', n).catch(String))
    const few = Array.from({ length: 5 }, (_, n) => commits.submit('b', n))
    expect(await Promise.all(few)).toEqual([0, 2, 4, 6, 8])
    const refused = (await Promise.all(many)).filter((outcome) => typeof outcome === 'string')
    expect(refused.length).toBe(15)
  })
})

test('what is large takes as much of the room as it is, and gives it back', async () => {
  const { commits, batches } = setUp({ maxWaiting: 100, sizeOf: (work) => work })
  const submitted = () =>
    Promise.all(Array.from({ length: 10 }, () => commits.submit('a', 20).catch(String)))
  for (let round = 1; round <= 2; round++) {
    const refused = (await submitted()).filter((outcome) => typeof outcome === 'string')
    expect([refused.length, batches.length]).toEqual([7, round])
  }
})

describe('failures', () => {
  test('what waits behind a statement that hangs is refused in time, and never sent', async () => {
    const held = Promise.withResolvers<void>()
    const sent: number[] = []
    const commits = createGroupCommit<number, number>({
      lanes: 1,
      maxBatch: 16,
      maxWaiting: 100,
      async flush(_lane, works) {
        sent.push(...works)
        await held.promise
        return works
      },
    })
    const first = commits.submit('a', 1).catch(String)
    await Bun.sleep(10)
    const second = commits.submit('a', 2).catch(String)
    expect(await first).toContain('cannot reach its database')
    expect(await second).toContain('cannot reach its database')
    held.resolve()
    expect(await commits.submit('a', 3)).toBe(3)
    expect(sent).toEqual([1, 3])
  })

  test('one bad row never fails its neighbours', async () => {
    const { commits } = setUp()
    const results = await Promise.allSettled([1, -1, 3].map((work) => commits.submit('a', work)))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'bad'))).toEqual(
      [2, 'bad', 6],
    )
  })

  test('what is tried alone because of a bad row is not sent any more once it has been refused', async () => {
    const sent: (readonly number[])[] = []
    const held = Promise.withResolvers<void>()
    const commits = createGroupCommit<number, number>({
      lanes: 1,
      maxBatch: 16,
      maxWaiting: 100,
      async flush(_lane, works) {
        sent.push(works)
        if (works[0] === 1) await held.promise
        if (works.length > 1) throw new Error('a bad row')
        return works
      },
    })
    const submitted = [0, 1, 2].map((work) => commits.submit('a', work).catch(String))
    held.resolve(Promise.all(submitted.slice(1)).then(() => {}))
    const [before, ...after] = await Promise.all(submitted)
    expect(before).toBe(0)
    for (const refusal of after) expect(refusal).toContain('cannot reach its database')
    await commits.drain()
    expect(sent).toEqual([[0, 1, 2], [0], [1]])
  })

  test('when the database is out of reach nobody is tried again one by one', async () => {
    const { commits, batches } = setUp({ fail: () => new DomainError('unavailable', 'down') })
    const results = await Promise.allSettled([1, 2, 3].map((work) => commits.submit('a', work)))
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(batches.length).toBe(1)
  })

  test('too much waiting is overloaded, and what was accepted is still done', async () => {
    const { commits } = setUp({ maxWaiting: 5 })
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => commits.submit(`account ${n}`, n)),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBe(5)
    expect(refused[0]?.reason).toMatchObject({ reason: 'overloaded' })
  })
})

test('drain resolves once everything submitted has been answered', async () => {
  const { commits, batches } = setUp()
  const submitted = Promise.all(Array.from({ length: 20 }, (_, n) => commits.submit('a', n)))
  await commits.drain()
  expect(batches.flat().length).toBe(20)
  await submitted
})
