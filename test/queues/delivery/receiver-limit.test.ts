import { describe, expect, test } from 'bun:test'
import { createReceiverLimit, type Limits } from '../../../src/queues/delivery/receiver-limit.ts'

const limits: Limits = {
  overall: 10,
  owner: 8,
  ownerInAll: 8,
  each: 4,
  untried: 4,
  slow: 3,
  remembered: 100,
}

function someLimit(change: Partial<Limits> = {}) {
  const limit = createReceiverLimit({ ...limits, ...change })
  const admitted: string[] = []
  return {
    ...limit,
    admitted,
    /** The receiver `a1` belongs to the owner `a`. */
    async acquire(id: string, places = 1): Promise<void> {
      void limit.acquire(receiver(id), places).then(() => admitted.push(id))
      await Bun.sleep(0)
    },
    async release(id: string, places = 1): Promise<void> {
      limit.release(receiver(id), places)
      await Bun.sleep(0)
    },
    async setSlow(id: string, isSlow: boolean): Promise<void> {
      limit.setSlow(receiver(id), isSlow)
      await Bun.sleep(0)
    },
  }
}

function receiver(id: string) {
  return { id, ownerId: id.charAt(0) }
}

describe('admitted', () => {
  test('as many as there may be to one receiver, the rest as places are given back', async () => {
    const limit = someLimit()
    await limit.acquire('a1', 4)
    await limit.acquire('a1', 2)
    expect(limit.admitted).toEqual(['a1'])
    await limit.release('a1')
    expect(limit.admitted).toEqual(['a1'])
    await limit.release('a1')
    expect(limit.admitted).toEqual(['a1', 'a1'])
  })

  test('as many as there may be to all receivers of one owner', async () => {
    const limit = someLimit()
    for (const id of ['a1', 'a2', 'a3']) await limit.acquire(id, 4)
    await limit.acquire('b1', 2)
    expect(limit.admitted).toEqual(['a1', 'a2', 'b1'])
    await limit.release('a1', 4)
    expect(limit.admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('as many as there may be over all, in the order they came', async () => {
    const limit = someLimit()
    for (const id of ['a1', 'b1', 'c1', 'd1', 'e1']) await limit.acquire(id, 3)
    expect(limit.admitted).toEqual(['a1', 'b1', 'c1'])
    await limit.release('b1', 3)
    expect(limit.admitted).toEqual(['a1', 'b1', 'c1', 'd1'])
    await limit.release('a1', 3)
    expect(limit.admitted).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
  })

  test('of owners in turn, however many receivers of one of them came earlier', async () => {
    const limit = someLimit({ overall: 4, owner: 4 })
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await limit.acquire(id, 4)
    const turns = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']
    for (const id of turns) await limit.release(id, 4)
    expect(limit.admitted).toEqual(turns)
  })

  test('whoever’s turn it is before those who would need fewer of the places over all', async () => {
    const limit = someLimit({ overall: 6 })
    for (const id of ['a1', 'b1', 'c1']) await limit.acquire(id, 3)
    await limit.acquire('d1', 1)
    await limit.release('a1', 1)
    expect(limit.admitted).toEqual(['a1', 'b1'])
    await limit.release('a1', 2)
    expect(limit.admitted).toEqual(['a1', 'b1', 'c1'])
  })

  test('of one owner, the one that came first, though others of his need fewer places', async () => {
    const limit = someLimit({ owner: 4 })
    for (const id of ['a1', 'a2', 'a3']) await limit.acquire(id, 1)
    await limit.acquire('a4', 3)
    await limit.acquire('a5', 1)
    await limit.acquire('b1', 4)
    expect(limit.admitted).toEqual(['a1', 'a2', 'a3', 'b1'])
    await limit.release('a1')
    await limit.release('a2')
    expect(limit.admitted).toEqual(['a1', 'a2', 'a3', 'b1', 'a4'])
  })

  test('one that finds room before one that came earlier and does not', async () => {
    const limit = someLimit()
    await limit.acquire('a1', 4)
    await limit.acquire('a1', 4)
    await limit.acquire('b1', 4)
    expect(limit.admitted).toEqual(['a1', 'b1'])
  })
})

describe('a receiver of which nothing is known yet', () => {
  test('gets fewer places until it has answered in time, so that two who never do leave their owner’s others some', async () => {
    const limit = someLimit({ untried: 2 })
    for (const id of ['a1', 'a1', 'a2', 'a2']) await limit.acquire(id, 2)
    await limit.acquire('a3', 2)
    expect(limit.admitted).toEqual(['a1', 'a2', 'a3'])
    await limit.setSlow('a1', false)
    expect(limit.admitted).toEqual(['a1', 'a2', 'a3', 'a1'])
  })
})

describe('a slow receiver', () => {
  test('takes nothing from what its owner’s others may have', async () => {
    const limit = someLimit({ owner: 4 })
    await limit.acquire('a1', 3)
    await limit.acquire('a2', 4)
    expect(limit.admitted).toEqual(['a1'])
    await limit.setSlow('a1', true)
    expect(limit.admitted).toEqual(['a1', 'a2'])
    await limit.release('a1', 3)
    await limit.release('a2', 4)
    await limit.acquire('a3', 4)
    await limit.acquire('a4', 1)
    expect(limit.admitted).toEqual(['a1', 'a2', 'a3'])
  })

  test('takes from what its owner’s others may have before they leave no place to other owners', async () => {
    const limit = someLimit({ owner: 4 })
    for (const id of ['a1', 'a2', 'a3', 'a4']) await limit.acquire(id, 3)
    await limit.setSlow('a1', true)
    await limit.setSlow('a2', true)
    await limit.acquire('b1', 4)
    expect(limit.admitted).toEqual(['a1', 'a2', 'b1'])
    await limit.release('a1', 3)
    expect(limit.admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('gets nothing more before all it had is given back', async () => {
    const limit = someLimit()
    await limit.acquire('a1', 2)
    await limit.setSlow('a1', true)
    await limit.acquire('a1', 1)
    await limit.release('a1')
    expect(limit.admitted).toEqual(['a1'])
    await limit.release('a1')
    expect(limit.admitted).toEqual(['a1', 'a1'])
  })

  test('shares few places with all others that are slow, which leaves the rest to those who answer', async () => {
    const limit = someLimit()
    for (const id of ['a1', 'b1', 'c1']) await limit.setSlow(id, true)
    for (const id of ['a1', 'b1', 'c1']) await limit.acquire(id, 2)
    expect(limit.admitted).toEqual(['a1'])
    await limit.acquire('d1', 4)
    await limit.acquire('e1', 4)
    expect(limit.admitted).toEqual(['a1', 'd1', 'e1'])
  })

  test('that is next is not overtaken for ever by others that are slow and need fewer places', async () => {
    const limit = someLimit()
    for (const id of ['a1', 'a2', 'b1', 'c1']) await limit.setSlow(id, true)
    for (const id of ['a1', 'a2']) await limit.acquire(id, 1)
    await limit.acquire('b1', 3)
    await limit.acquire('c1', 1)
    await limit.acquire('d1', 4)
    expect(limit.admitted).toEqual(['a1', 'a2', 'd1'])
    await limit.release('a1')
    await limit.acquire('a1', 1)
    expect(limit.admitted).toEqual(['a1', 'a2', 'd1'])
    await limit.release('a2')
    expect(limit.admitted).toEqual(['a1', 'a2', 'd1', 'b1'])
    await limit.release('b1', 3)
    expect(limit.admitted).toEqual(['a1', 'a2', 'd1', 'b1', 'c1', 'a1'])
  })

  test('has its full share again once it answers in time', async () => {
    const limit = someLimit()
    await limit.setSlow('a1', true)
    await limit.acquire('a1', 1)
    await limit.acquire('a1', 3)
    await limit.setSlow('a1', false)
    expect(limit.admitted).toEqual(['a1', 'a1'])
  })
})

describe('what is known of a receiver', () => {
  /** Calls each receiver once, one after the other, with an answer in time. */
  async function callEach(limit: ReturnType<typeof someLimit>, ids: readonly string[]) {
    for (const id of ids) {
      await limit.acquire(id)
      await limit.release(id)
      await limit.setSlow(id, false)
    }
  }

  test('is forgotten after so many others were called since', async () => {
    const limit = someLimit({ remembered: 3 })
    await limit.setSlow('a1', true)
    await callEach(limit, ['b1', 'c1'])
    await limit.acquire('a1', 4)
    expect(limit.admitted).toEqual(['b1', 'c1'])
    const forgetful = someLimit({ remembered: 3 })
    await forgetful.setSlow('a1', true)
    await callEach(forgetful, ['b1', 'c1', 'd1'])
    await forgetful.acquire('a1', 4)
    expect(forgetful.admitted).toEqual(['b1', 'c1', 'd1', 'a1'])
  })

  test('is kept while it is called or waits for its turn, however many others are', async () => {
    const limit = someLimit({ remembered: 1 })
    for (const id of ['a1', 'b1']) {
      await limit.setSlow(id, true)
      await limit.acquire(id, 2)
    }
    await callEach(limit, ['c1', 'd1', 'e1'])
    await limit.acquire('a1', 1)
    expect(limit.admitted).toEqual(['a1', 'c1', 'd1', 'e1'])
    await limit.release('a1', 2)
    expect(limit.admitted).toEqual(['a1', 'c1', 'd1', 'e1', 'b1', 'a1'])
  })
})
