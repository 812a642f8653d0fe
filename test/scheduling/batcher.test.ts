import { describe, expect, test } from 'bun:test'
import { createBatcher } from '../../src/scheduling/batcher.ts'

type Options = Partial<Parameters<typeof createBatcher<number, number>>[0]>

/** Doubles numbers in batches of up to 16 and records them. A negative number fails its batch. */
function someBatcher(options: Options = {}) {
  const batches: number[][] = []
  let underWay = 0
  let mostAtOnce = 0
  const batcher = createBatcher<number, number>({
    maxBatch: 16,
    refusal: (why) => new Error(why),
    async flush(works) {
      batches.push([...works])
      mostAtOnce = Math.max(mostAtOnce, ++underWay)
      await Bun.sleep(2)
      underWay--
      if (works.some((work) => work < 0)) throw new Error('a bad work')
      return works.map((work) => work * 2)
    },
    ...options,
  })
  /** Submits numbers of one owner; a refusal becomes its message. */
  const submit = (ownerId: string, works: readonly number[]) =>
    Promise.all(
      works.map((work) => batcher.submit(ownerId, work).catch(({ message }) => message as string)),
    )
  return { ...batcher, submit, batches, mostAtOnce: () => mostAtOnce }
}

function upTo(most: number): number[] {
  return Array.from({ length: most }, (_, n) => n)
}

describe('works that arrive together', () => {
  test('are one batch, and those that arrive while it runs are the next', async () => {
    const { submit, batches } = someBatcher()
    const first = submit('a', [1])
    await Bun.sleep(1)
    expect(await Promise.all([first, submit('a', [2, 3, 4])])).toEqual([[2], [4, 6, 8]])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  test('fill batches in order, one at a time', async () => {
    const { submit, batches, mostAtOnce } = someBatcher()
    await submit('a', upTo(40))
    expect(batches.map(({ length }) => length)).toEqual([16, 16, 8])
    expect(batches.flat()).toEqual(upTo(40))
    expect(mostAtOnce()).toBe(1)
  })

  test('run side by side where several batches may', async () => {
    const { submit, mostAtOnce } = someBatcher({ maxFlushes: 2, maxBatch: 1 })
    await submit('a', upTo(5))
    expect(mostAtOnce()).toBe(2)
  })

  test('share batches by owner, and each owner’s order is kept', async () => {
    const { submit, batches } = someBatcher()
    await Promise.all([submit('a', upTo(40)), submit('b', [100, 101, 102])])
    expect(batches[0]).toEqual(expect.arrayContaining([100, 101, 102]))
    expect(batches.flat().filter((work) => work < 100)).toEqual(upTo(40))
    expect(batches.flat().filter((work) => work >= 100)).toEqual([100, 101, 102])
  })
})

describe('works that find no room to wait are refused', () => {
  test.each<[string, Options, string[], number[], number]>([
    ['by the length of all', { maxWaiting: 5 }, ['a', 'b'], [1, 1, 1, 1], 3],
    ['by the length of an owner', { maxWaitingPerOwner: 3 }, ['a', 'b'], [1, 1, 1, 1], 2],
    ['by their sizes', { maxWaiting: 100, sizeOf: (work) => work }, ['a'], [60, 60, 20], 1],
  ])('%s', async (_, options, owners, works, refused) => {
    const { submit } = someBatcher(options)
    for (let round = 1; round <= 2; round++) {
      const outcomes = await Promise.all(owners.map((ownerId) => submit(ownerId, works)))
      expect(outcomes.flat().filter((outcome) => outcome === 'full')).toHaveLength(refused)
    }
  })
})

describe('where a batch fails', () => {
  const mayBeOneWork = () => true

  test('all its works fail with it', async () => {
    const { submit, batches } = someBatcher()
    expect(await submit('a', [1, -1, 3])).toEqual(Array(3).fill('a bad work'))
    expect(batches).toHaveLength(1)
  })

  test('for what may be one of its works, each is tried alone', async () => {
    const { submit } = someBatcher({ mayBeOneWork })
    expect(await submit('a', [1, -1, 3])).toEqual([2, 'a bad work', 6])
  })

  test('works that wait behind one that hangs are refused in time, and never sent', async () => {
    const held = Promise.withResolvers<void>()
    const sent: (readonly number[])[] = []
    const { submit, drain } = someBatcher({
      maxWaitMs: 500,
      mayBeOneWork,
      async flush(works) {
        sent.push(works)
        if (works[0] === 1) await held.promise
        if (works.length > 1) throw new Error('a bad work')
        return works
      },
    })
    const together = submit('a', [0, 1, 2])
    await Bun.sleep(10)
    expect(await submit('a', [3])).toEqual(['late'])
    expect(await together).toEqual([0, 'late', 'late'])
    held.resolve()
    await drain()
    expect(await submit('a', [4])).toEqual([4])
    expect(sent).toEqual([[0, 1, 2], [0], [1], [4]])
  })
})

test('drain resolves once everything submitted has been answered', async () => {
  const { submit, drain, batches } = someBatcher()
  const submitted = submit('a', upTo(40))
  await drain()
  expect(batches.flat()).toHaveLength(40)
  await submitted
})
