import { describe, expect, test } from 'bun:test'
import { createAnswerSlots, untilOver } from '../../../src/http/admission/answer-slots.ts'
import type { Answer } from '../../../src/http/operation.ts'

const most = {
  total: 4,
  perAccount: 2,
  maxWaitMs: 60_000,
  maxStreamMs: 60_000,
  refusal: 'Too many',
}

function someSlots(over: Partial<typeof most> = {}) {
  const slots = createAnswerSlots({ ...most, ...over })
  const admitted: string[] = []
  return {
    admitted,
    take: slots.take,
    /** Takes a slot, or waits for one. */
    async enter(accountId: string): Promise<void> {
      void slots.take(accountId).then(
        () => admitted.push(accountId),
        () => {},
      )
      await Bun.sleep(0)
    },
  }
}

describe('a slot', () => {
  test('is had at once by an account that has fewer than it may, while there are any', async () => {
    const { enter, admitted } = someSlots()
    for (const id of ['a', 'a', 'a', 'b', 'c', 'd']) await enter(id)
    expect(admitted).toEqual(['a', 'a', 'b', 'c'])
  })

  test('whose answer turns out to be over is had at once', async () => {
    const { take } = someSlots({ perAccount: 1, maxWaitMs: 0 })
    const slot = await take('a')
    slot.leaveOnce(() => true)
    await take('a')
  })

  test('whose answer is over while somebody waits is his', async () => {
    const { take } = someSlots({ perAccount: 1 })
    const slot = await take('a')
    let isOver = false
    slot.leaveOnce(() => isOver)
    const next = take('a')
    await Bun.sleep(0)
    isOver = true
    await next
  })

  test('that does not become free in time is refused with a time to come again', async () => {
    const { take } = someSlots({ perAccount: 1, maxWaitMs: 10 })
    const slot = await take('a')
    await expect(take('a')).rejects.toMatchObject({ reason: 'overloaded', retryAfterSeconds: 5 })
    expect(slot.ended.aborted).toBe(false)
    slot.leave()
    await take('a')
  })
})

describe('an answer that has gone on for too long', () => {
  test('is cut off for one that waits for its slot, the oldest that would help it', async () => {
    const { take, enter, admitted } = someSlots({ maxStreamMs: 0 })
    const slots = [await take('a'), await take('b'), await take('b')]
    for (const slot of slots) slot.leaveOnce(() => slot.ended.aborted)
    await Bun.sleep(1)
    await take('b')
    expect(slots.map(({ ended }) => ended.aborted)).toEqual([false, true, false])
    await enter('c')
    expect(admitted).toEqual(['c'])
    expect(slots.map(({ ended }) => ended.aborted)).toEqual([false, true, false])
  })

  test('goes on while nobody does', async () => {
    const { take } = someSlots({ maxStreamMs: 0 })
    const slot = await take('a')
    await Bun.sleep(1)
    await take('a')
    expect(slot.ended.aborted).toBe(false)
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
    const { take } = someSlots({ perAccount: 1, maxWaitMs: 0 })
    const slot = await take('a')
    await untilOver(slot, { isOver: () => isOver }, answered()).catch(() => {})
    expect(slot.ended.aborted).toBe(true)
    await take('a')
  })

  test('when its slot is found free for another', async () => {
    const { take } = someSlots({ perAccount: 1, maxWaitMs: 0 })
    const slot = await take('a')
    let isGone = false
    await untilOver(slot, { isOver: () => isGone }, Promise.resolve(streamed))
    expect(slot.ended.aborted).toBe(false)
    isGone = true
    await take('a')
    expect(slot.ended.aborted).toBe(true)
  })
})
