import { describe, expect, test } from 'bun:test'
import { createBulkhead, type Limits } from '../../../src/queues/delivery/bulkhead.ts'

const limits: Limits = {
  overall: 10,
  owner: 8,
  ownerInAll: 8,
  each: 4,
  untried: 4,
  slow: 3,
  remembered: 100,
}

function someBulkhead(change: Partial<Limits> = {}) {
  const bulkhead = createBulkhead({ ...limits, ...change })
  const admitted: string[] = []
  return {
    ...bulkhead,
    admitted,
    /** The receiver `a1` belongs to the owner `a`. */
    async acquire(id: string, places = 1): Promise<void> {
      void bulkhead.acquire(receiver(id), places).then(() => admitted.push(id))
      await Bun.sleep(0)
    },
    async release(id: string, places = 1): Promise<void> {
      bulkhead.release(receiver(id), places)
      await Bun.sleep(0)
    },
    async setSlow(id: string, isSlow: boolean): Promise<void> {
      bulkhead.setSlow(receiver(id), isSlow)
      await Bun.sleep(0)
    },
  }
}

function receiver(id: string) {
  return { id, ownerId: id.charAt(0) }
}

describe('admitted', () => {
  test('as many as there may be to one receiver, the rest as places are given back', async () => {
    const bulkhead = someBulkhead()
    await bulkhead.acquire('a1', 4)
    await bulkhead.acquire('a1', 2)
    expect(bulkhead.admitted).toEqual(['a1'])
    await bulkhead.release('a1')
    expect(bulkhead.admitted).toEqual(['a1'])
    await bulkhead.release('a1')
    expect(bulkhead.admitted).toEqual(['a1', 'a1'])
  })

  test('as many as there may be to all receivers of one owner', async () => {
    const bulkhead = someBulkhead()
    for (const id of ['a1', 'a2', 'a3']) await bulkhead.acquire(id, 4)
    await bulkhead.acquire('b1', 2)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'b1'])
    await bulkhead.release('a1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('as many as there may be over all, in the order they came', async () => {
    const bulkhead = someBulkhead()
    for (const id of ['a1', 'b1', 'c1', 'd1', 'e1']) await bulkhead.acquire(id, 3)
    expect(bulkhead.admitted).toEqual(['a1', 'b1', 'c1'])
    await bulkhead.release('b1', 3)
    expect(bulkhead.admitted).toEqual(['a1', 'b1', 'c1', 'd1'])
    await bulkhead.release('a1', 3)
    expect(bulkhead.admitted).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
  })

  test('of owners in turn, however many receivers of one of them came earlier', async () => {
    const bulkhead = someBulkhead({ overall: 4, owner: 4 })
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await bulkhead.acquire(id, 4)
    const turns = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']
    for (const id of turns) await bulkhead.release(id, 4)
    expect(bulkhead.admitted).toEqual(turns)
  })

  test('whoever’s turn it is before those who would need fewer of the places over all', async () => {
    const bulkhead = someBulkhead({ overall: 6 })
    for (const id of ['a1', 'b1', 'c1']) await bulkhead.acquire(id, 3)
    await bulkhead.acquire('d1', 1)
    await bulkhead.release('a1', 1)
    expect(bulkhead.admitted).toEqual(['a1', 'b1'])
    await bulkhead.release('a1', 2)
    expect(bulkhead.admitted).toEqual(['a1', 'b1', 'c1'])
  })

  test('of one owner, the one that came first, though others of his need fewer places', async () => {
    const bulkhead = someBulkhead({ owner: 4 })
    for (const id of ['a1', 'a2', 'a3']) await bulkhead.acquire(id, 1)
    await bulkhead.acquire('a4', 3)
    await bulkhead.acquire('a5', 1)
    await bulkhead.acquire('b1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'a3', 'b1'])
    await bulkhead.release('a1')
    await bulkhead.release('a2')
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'a3', 'b1', 'a4'])
  })

  test('one that finds room before one that came earlier and does not', async () => {
    const bulkhead = someBulkhead()
    await bulkhead.acquire('a1', 4)
    await bulkhead.acquire('a1', 4)
    await bulkhead.acquire('b1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'b1'])
  })
})

describe('a receiver of which nothing is known yet', () => {
  test('gets fewer places until it has answered in time, so that two who never do leave their owner’s others some', async () => {
    const bulkhead = someBulkhead({ untried: 2 })
    for (const id of ['a1', 'a1', 'a2', 'a2']) await bulkhead.acquire(id, 2)
    await bulkhead.acquire('a3', 2)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'a3'])
    await bulkhead.setSlow('a1', false)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'a3', 'a1'])
  })
})

describe('a slow receiver', () => {
  test('takes nothing from what its owner’s others may have', async () => {
    const bulkhead = someBulkhead({ owner: 4 })
    await bulkhead.acquire('a1', 3)
    await bulkhead.acquire('a2', 4)
    expect(bulkhead.admitted).toEqual(['a1'])
    await bulkhead.setSlow('a1', true)
    expect(bulkhead.admitted).toEqual(['a1', 'a2'])
    await bulkhead.release('a1', 3)
    await bulkhead.release('a2', 4)
    await bulkhead.acquire('a3', 4)
    await bulkhead.acquire('a4', 1)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'a3'])
  })

  test('takes from what its owner’s others may have before they leave no place to other owners', async () => {
    const bulkhead = someBulkhead({ owner: 4 })
    for (const id of ['a1', 'a2', 'a3', 'a4']) await bulkhead.acquire(id, 3)
    await bulkhead.setSlow('a1', true)
    await bulkhead.setSlow('a2', true)
    await bulkhead.acquire('b1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'b1'])
    await bulkhead.release('a1', 3)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('gets nothing more before all it had is given back', async () => {
    const bulkhead = someBulkhead()
    await bulkhead.acquire('a1', 2)
    await bulkhead.setSlow('a1', true)
    await bulkhead.acquire('a1', 1)
    await bulkhead.release('a1')
    expect(bulkhead.admitted).toEqual(['a1'])
    await bulkhead.release('a1')
    expect(bulkhead.admitted).toEqual(['a1', 'a1'])
  })

  test('shares few places with all others that are slow, which leaves the rest to those who answer', async () => {
    const bulkhead = someBulkhead()
    for (const id of ['a1', 'b1', 'c1']) await bulkhead.setSlow(id, true)
    for (const id of ['a1', 'b1', 'c1']) await bulkhead.acquire(id, 2)
    expect(bulkhead.admitted).toEqual(['a1'])
    await bulkhead.acquire('d1', 4)
    await bulkhead.acquire('e1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'd1', 'e1'])
  })

  test('that is next is not overtaken for ever by others that are slow and need fewer places', async () => {
    const bulkhead = someBulkhead()
    for (const id of ['a1', 'a2', 'b1', 'c1']) await bulkhead.setSlow(id, true)
    for (const id of ['a1', 'a2']) await bulkhead.acquire(id, 1)
    await bulkhead.acquire('b1', 3)
    await bulkhead.acquire('c1', 1)
    await bulkhead.acquire('d1', 4)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'd1'])
    await bulkhead.release('a1')
    await bulkhead.acquire('a1', 1)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'd1'])
    await bulkhead.release('a2')
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'd1', 'b1'])
    await bulkhead.release('b1', 3)
    expect(bulkhead.admitted).toEqual(['a1', 'a2', 'd1', 'b1', 'c1', 'a1'])
  })

  test('has its full share again once it answers in time', async () => {
    const bulkhead = someBulkhead()
    await bulkhead.setSlow('a1', true)
    await bulkhead.acquire('a1', 1)
    await bulkhead.acquire('a1', 3)
    await bulkhead.setSlow('a1', false)
    expect(bulkhead.admitted).toEqual(['a1', 'a1'])
  })
})

describe('what is known of a receiver', () => {
  /** Calls each receiver once, one after the other, with an answer in time. */
  async function callEach(bulkhead: ReturnType<typeof someBulkhead>, ids: readonly string[]) {
    for (const id of ids) {
      await bulkhead.acquire(id)
      await bulkhead.release(id)
      await bulkhead.setSlow(id, false)
    }
  }

  test('is forgotten after so many others were called since', async () => {
    const bulkhead = someBulkhead({ remembered: 3 })
    await bulkhead.setSlow('a1', true)
    await callEach(bulkhead, ['b1', 'c1'])
    await bulkhead.acquire('a1', 4)
    expect(bulkhead.admitted).toEqual(['b1', 'c1'])
    const forgetful = someBulkhead({ remembered: 3 })
    await forgetful.setSlow('a1', true)
    await callEach(forgetful, ['b1', 'c1', 'd1'])
    await forgetful.acquire('a1', 4)
    expect(forgetful.admitted).toEqual(['b1', 'c1', 'd1', 'a1'])
  })

  test('is kept while it is called or waits for its turn, however many others are', async () => {
    const bulkhead = someBulkhead({ remembered: 1 })
    for (const id of ['a1', 'b1']) {
      await bulkhead.setSlow(id, true)
      await bulkhead.acquire(id, 2)
    }
    await callEach(bulkhead, ['c1', 'd1', 'e1'])
    await bulkhead.acquire('a1', 1)
    expect(bulkhead.admitted).toEqual(['a1', 'c1', 'd1', 'e1'])
    await bulkhead.release('a1', 2)
    expect(bulkhead.admitted).toEqual(['a1', 'c1', 'd1', 'e1', 'b1', 'a1'])
  })
})
