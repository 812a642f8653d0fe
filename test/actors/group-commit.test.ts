import { expect, test } from 'bun:test'
import { createGroupCommit } from '../../src/actors/group-commit.ts'
import { DomainError } from '../../src/domain/error.ts'

/** A group commit whose flush takes a moment and records what each lane wrote. */
function setUp(lanes: number, fail?: () => Error) {
  const batches: { readonly lane: number; readonly works: readonly number[] }[] = []
  const underWay = new Set<number>()
  let mostAtOnce = 0
  const commits = createGroupCommit<number, number>({
    lanes,
    maxBatch: 16,
    maxWaiting: 10,
    async flush(lane, works) {
      if (underWay.has(lane)) throw new Error('a lane has two statements under way')
      underWay.add(lane)
      mostAtOnce = Math.max(mostAtOnce, underWay.size)
      batches.push({ lane, works })
      await Bun.sleep(2)
      underWay.delete(lane)
      if (fail) throw fail()
      return works
    },
  })
  return { ...commits, batches, mostAtOnce: () => mostAtOnce }
}

test('lanes run side by side, and what one account submits goes through one of them', async () => {
  const { submit, batches, mostAtOnce } = setUp(2)
  const works = Array.from({ length: 16 }, (_, n) => n)
  await Promise.all(works.map((work) => submit(`account ${work % 4}`, work)))
  expect(mostAtOnce()).toBe(2)
  for (let account = 0; account < 4; account++) {
    const ofAccount = batches.filter(({ works }) => works.some((work) => work % 4 === account))
    expect(new Set(ofAccount.map(({ lane }) => lane)).size).toBe(1)
  }
})

test('an account gets half of the room in which commits wait, then it is overloaded', async () => {
  const { submit } = setUp(1)
  const many = Promise.allSettled(Array.from({ length: 20 }, (_, n) => submit('a', n)))
  const few = Array.from({ length: 5 }, (_, n) => submit('b', n))
  expect(await Promise.all(few)).toEqual([0, 1, 2, 3, 4])
  const refused = (await many).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(15)
  expect(refused[0]).toMatchObject({ reason: { reason: 'overloaded', retryAfterSeconds: 1 } })
})

test.each([
  [
    'when the database is out of reach, nobody is tried again',
    () => new DomainError('unavailable', 'down'),
    1,
  ],
  ['one bad row is found by trying each alone', () => new Error('a bad row'), 4],
])('%s', async (_, fail, statements) => {
  const { submit, batches } = setUp(1, fail)
  await Promise.allSettled([1, 2, 3].map((work) => submit('a', work)))
  expect(batches).toHaveLength(statements)
})

test('a commit behind a statement that hangs is refused after six seconds, and never sent', async () => {
  const { promise: hangs, resolve } = Promise.withResolvers<void>()
  const sent: number[] = []
  const commits = createGroupCommit<number, number>({
    lanes: 1,
    maxBatch: 1,
    maxWaiting: 20,
    async flush(_, works) {
      sent.push(...works)
      await hangs
      return works
    },
  })
  const late = await Promise.allSettled([commits.submit('a', 1), commits.submit('a', 2)])
  for (const one of late) expect(one).toMatchObject({ reason: { reason: 'unavailable' } })
  resolve()
  await commits.drain()
  expect(sent).toEqual([1])
})
