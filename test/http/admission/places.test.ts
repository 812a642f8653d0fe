import { describe, expect, test } from 'bun:test'
import { createPlaces, untilOver } from '../../../src/http/admission/places.ts'
import type { Answer } from '../../../src/http/operation.ts'

const most = { overall: 4, each: 2, patienceMs: 60_000, longestMs: 60_000, refusal: 'Too many' }

function somePlaces(over: Partial<typeof most> = {}) {
  const places = createPlaces({ ...most, ...over })
  const admitted: string[] = []
  return {
    admitted,
    take: places.take,
    /** Takes a place, or waits for one. */
    async enter(accountId: string): Promise<void> {
      void places.take(accountId).then(
        () => admitted.push(accountId),
        () => {},
      )
      await Bun.sleep(0)
    },
  }
}

describe('a place', () => {
  test('is had at once by an account that has fewer than it may, while there are any', async () => {
    const { enter, admitted } = somePlaces()
    for (const id of ['a', 'a', 'a', 'b', 'c', 'd']) await enter(id)
    expect(admitted).toEqual(['a', 'a', 'b', 'c'])
  })

  test('goes, once it is left, to who has waited longest of those that may have it', async () => {
    const { take, enter, admitted } = somePlaces()
    const [place] = [await take('a'), await take('a')]
    const other = await take('b')
    for (const id of ['a', 'b', 'c', 'd']) await enter(id)
    expect(admitted).toEqual(['b'])
    other.leave()
    await Bun.sleep(0)
    expect(admitted).toEqual(['b', 'c'])
    place.leave()
    await Bun.sleep(0)
    expect(admitted).toEqual(['b', 'c', 'a'])
  })

  test('left twice is one place', async () => {
    const { take, enter, admitted } = somePlaces()
    const place = await take('a')
    for (const id of ['a', 'a', 'a']) await enter(id)
    place.leave()
    place.leave()
    await Bun.sleep(0)
    expect(admitted).toEqual(['a', 'a'])
  })

  test('whose answer turns out to be over is had at once', async () => {
    const { take } = somePlaces({ each: 1, patienceMs: 0 })
    const place = await take('a')
    place.leaveOnce(() => true)
    await take('a')
  })

  test('whose answer is over while somebody waits is his', async () => {
    const { take } = somePlaces({ each: 1 })
    const place = await take('a')
    let isOver = false
    place.leaveOnce(() => isOver)
    const next = take('a')
    await Bun.sleep(0)
    isOver = true
    await next
  })

  test('that does not become free in time is refused with a time to come again', async () => {
    const { take } = somePlaces({ each: 1, patienceMs: 10 })
    const place = await take('a')
    await expect(take('a')).rejects.toMatchObject({ reason: 'overloaded', retryAfterSeconds: 5 })
    expect(place.ended.aborted).toBe(false)
    place.leave()
    await take('a')
  })
})

describe('an answer that has gone on for too long', () => {
  test('is cut off for one that waits for its place, the oldest that would help it', async () => {
    const { take, enter, admitted } = somePlaces({ longestMs: 0 })
    const places = [await take('a'), await take('b'), await take('b')]
    for (const place of places) place.leaveOnce(() => place.ended.aborted)
    await Bun.sleep(1)
    await take('b')
    expect(places.map(({ ended }) => ended.aborted)).toEqual([false, true, false])
    await enter('c')
    expect(admitted).toEqual(['c'])
    expect(places.map(({ ended }) => ended.aborted)).toEqual([false, true, false])
  })

  test('goes on while nobody does', async () => {
    const { take } = somePlaces({ longestMs: 0 })
    const place = await take('a')
    await Bun.sleep(1)
    await take('a')
    expect(place.ended.aborted).toBe(false)
  })
})

describe('what is still under way to an upstream is aborted', () => {
  const streamed = { status: 200, body: new ReadableStream<Uint8Array>() }
  const endings: Record<string, { answered(): Promise<Answer>; isOver: boolean }> = {
    'with an answer that passes nothing on': {
      answered: async () => ({ status: 205, body: null }),
      isOver: false,
    },
    'with a refusal': { answered: () => Promise.reject(new Error('refused')), isOver: false },
    'when the answer finds its caller gone': { answered: async () => streamed, isOver: true },
  }
  test.each(Object.entries(endings))('%s', async (_, { answered, isOver }) => {
    const { take } = somePlaces({ each: 1, patienceMs: 0 })
    const place = await take('a')
    await untilOver(place, { isOver: () => isOver }, answered()).catch(() => {})
    expect(place.ended.aborted).toBe(true)
    await take('a')
  })

  test('when its place is found free for another', async () => {
    const { take } = somePlaces({ each: 1, patienceMs: 0 })
    const place = await take('a')
    let isGone = false
    await untilOver(place, { isOver: () => isGone }, Promise.resolve(streamed))
    expect(place.ended.aborted).toBe(false)
    isGone = true
    await take('a')
    expect(place.ended.aborted).toBe(true)
  })
})
