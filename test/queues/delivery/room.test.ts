import { describe, expect, test } from 'bun:test'
import { createRoom, type Most } from '../../../src/queues/delivery/room.ts'

const most: Most = { overall: 10, owner: 8, each: 4, untried: 4, slow: 3, remembered: 100 }

function someRoom(change: Partial<Most> = {}) {
  const room = createRoom({ ...most, ...change })
  const admitted: string[] = []
  return {
    ...room,
    admitted,
    /** The receiver `a1` belongs to the owner `a`. */
    async enter(id: string, places = 1): Promise<void> {
      void room.enter(receiver(id), places).then(() => admitted.push(id))
      await Bun.sleep(0)
    },
    async leave(id: string, places = 1): Promise<void> {
      room.leave(receiver(id), places)
      await Bun.sleep(0)
    },
    async judge(id: string, isSlow: boolean): Promise<void> {
      room.judge(receiver(id), isSlow)
      await Bun.sleep(0)
    },
  }
}

function receiver(id: string) {
  return { id, ownerId: id.charAt(0) }
}

describe('admitted', () => {
  test('as many as there may be to one receiver, the rest as places are given back', async () => {
    const room = someRoom()
    await room.enter('a1', 4)
    await room.enter('a1', 2)
    expect(room.admitted).toEqual(['a1'])
    await room.leave('a1')
    expect(room.admitted).toEqual(['a1'])
    await room.leave('a1')
    expect(room.admitted).toEqual(['a1', 'a1'])
  })

  test('as many as there may be to all receivers of one owner', async () => {
    const room = someRoom()
    for (const id of ['a1', 'a2', 'a3']) await room.enter(id, 4)
    await room.enter('b1', 2)
    expect(room.admitted).toEqual(['a1', 'a2', 'b1'])
    await room.leave('a1', 4)
    expect(room.admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('as many as there may be over all, in the order they came', async () => {
    const room = someRoom()
    for (const id of ['a1', 'b1', 'c1', 'd1', 'e1']) await room.enter(id, 3)
    expect(room.admitted).toEqual(['a1', 'b1', 'c1'])
    await room.leave('b1', 3)
    expect(room.admitted).toEqual(['a1', 'b1', 'c1', 'd1'])
    await room.leave('a1', 3)
    expect(room.admitted).toEqual(['a1', 'b1', 'c1', 'd1', 'e1'])
  })

  test('of owners in turn, however many receivers of one of them came earlier', async () => {
    const room = someRoom({ overall: 4, owner: 4 })
    for (const id of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) await room.enter(id, 4)
    const turns = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']
    for (const id of turns) await room.leave(id, 4)
    expect(room.admitted).toEqual(turns)
  })

  test('whoever’s turn it is before those who would need fewer of the places over all', async () => {
    const room = someRoom({ overall: 6 })
    for (const id of ['a1', 'b1', 'c1']) await room.enter(id, 3)
    await room.enter('d1', 1)
    await room.leave('a1', 1)
    expect(room.admitted).toEqual(['a1', 'b1'])
    await room.leave('a1', 2)
    expect(room.admitted).toEqual(['a1', 'b1', 'c1'])
  })

  test('one that finds room before one that came earlier and does not', async () => {
    const room = someRoom()
    await room.enter('a1', 4)
    await room.enter('a1', 4)
    await room.enter('b1', 4)
    expect(room.admitted).toEqual(['a1', 'b1'])
  })
})

describe('a receiver of which nothing is known yet', () => {
  test('gets fewer places until it has answered in time, so that two who never do leave their owner’s others some', async () => {
    const room = someRoom({ untried: 2 })
    for (const id of ['a1', 'a1', 'a2', 'a2']) await room.enter(id, 2)
    await room.enter('a3', 2)
    expect(room.admitted).toEqual(['a1', 'a2', 'a3'])
    await room.judge('a1', false)
    expect(room.admitted).toEqual(['a1', 'a2', 'a3', 'a1'])
  })
})

describe('a slow receiver', () => {
  test('takes nothing from what its owner’s others may have', async () => {
    const room = someRoom({ owner: 4 })
    await room.enter('a1', 3)
    await room.enter('a2', 4)
    expect(room.admitted).toEqual(['a1'])
    await room.judge('a1', true)
    expect(room.admitted).toEqual(['a1', 'a2'])
    await room.leave('a1', 3)
    await room.leave('a2', 4)
    await room.enter('a3', 4)
    await room.enter('a4', 1)
    expect(room.admitted).toEqual(['a1', 'a2', 'a3'])
  })

  test('gets nothing more before all it had is given back', async () => {
    const room = someRoom()
    await room.enter('a1', 2)
    await room.judge('a1', true)
    await room.enter('a1', 1)
    await room.leave('a1')
    expect(room.admitted).toEqual(['a1'])
    await room.leave('a1')
    expect(room.admitted).toEqual(['a1', 'a1'])
  })

  test('shares few places with all others that are slow, which leaves the rest to those who answer', async () => {
    const room = someRoom()
    for (const id of ['a1', 'b1', 'c1']) await room.judge(id, true)
    for (const id of ['a1', 'b1', 'c1']) await room.enter(id, 2)
    expect(room.admitted).toEqual(['a1'])
    await room.enter('d1', 4)
    await room.enter('e1', 4)
    expect(room.admitted).toEqual(['a1', 'd1', 'e1'])
  })

  test('has its full share again once it answers in time', async () => {
    const room = someRoom()
    await room.judge('a1', true)
    await room.enter('a1', 1)
    await room.enter('a1', 3)
    await room.judge('a1', false)
    expect(room.admitted).toEqual(['a1', 'a1'])
  })
})

describe('what is known of a receiver', () => {
  /** Calls each receiver once, one after the other, with an answer in time. */
  async function callEach(room: ReturnType<typeof someRoom>, ids: readonly string[]) {
    for (const id of ids) {
      await room.enter(id)
      await room.leave(id)
      await room.judge(id, false)
    }
  }

  test('is forgotten after so many others were called since', async () => {
    const room = someRoom({ remembered: 3 })
    await room.judge('a1', true)
    await callEach(room, ['b1', 'c1'])
    await room.enter('a1', 4)
    expect(room.admitted).toEqual(['b1', 'c1'])
    const forgetful = someRoom({ remembered: 3 })
    await forgetful.judge('a1', true)
    await callEach(forgetful, ['b1', 'c1', 'd1'])
    await forgetful.enter('a1', 4)
    expect(forgetful.admitted).toEqual(['b1', 'c1', 'd1', 'a1'])
  })

  test('is kept while it is called or waits for its turn, however many others are', async () => {
    const room = someRoom({ remembered: 1 })
    for (const id of ['a1', 'b1']) {
      await room.judge(id, true)
      await room.enter(id, 2)
    }
    await callEach(room, ['c1', 'd1', 'e1'])
    await room.enter('a1', 1)
    expect(room.admitted).toEqual(['a1', 'c1', 'd1', 'e1'])
    await room.leave('a1', 2)
    expect(room.admitted).toEqual(['a1', 'c1', 'd1', 'e1', 'b1', 'a1'])
  })
})
