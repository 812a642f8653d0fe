import { describe, expect, test } from 'bun:test'
import { createRoom } from '../../src/queues/room.ts'

/** Calls that end when told to, and how many of each receiver's are under way. */
function calls() {
  const open = new Map<string, (() => void)[]>()
  return {
    open: (id: string) => open.get(id)?.length ?? 0,
    call: (id: string) => () =>
      new Promise<void>((end) => {
        open.set(id, [...(open.get(id) ?? []), end])
      }),
    end(id: string) {
      for (const end of open.get(id) ?? []) end()
      open.delete(id)
    },
  }
}

describe('admitted', () => {
  test('as many as there may be to one receiver and over all, the rest when there is room', async () => {
    const { call, open, end } = calls()
    const room = createRoom({ overall: 5, each: 3, slow: 1 }, 1_000, 1_000)
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map((id) => room(id, call(id)))
    await Bun.sleep(1)
    expect([open('a'), open('b')]).toEqual([3, 2])
    end('a')
    await Bun.sleep(1)
    expect([open('a'), open('b')]).toEqual([1, 3])
    end('a')
    end('b')
    expect(await Promise.all(all)).toEqual(Array(7).fill(true))
  })

  test('a slow receiver gets its full share again once it answers in time', async () => {
    const { call, open, end } = calls()
    const room = createRoom({ overall: 9, each: 3, slow: 1 }, 20, 1_000)
    const first = room('a', call('a'))
    await Bun.sleep(40)
    end('a')
    await first
    const second = room('a', call('a'))
    expect(await room('a', call('a'))).toBe(false)
    end('a')
    await second
    const more = [1, 2, 3].map(() => room('a', call('a')))
    await Bun.sleep(1)
    expect(open('a')).toBe(3)
    end('a')
    expect(await Promise.all(more)).toEqual([true, true, true])
  })

  test('a call that throws gives its place back', async () => {
    const room = createRoom({ overall: 1, each: 1, slow: 1 }, 1_000, 1_000)
    const failing = room('a', () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await room('a', async () => {})).toBe(true)
  })
})

describe('turned away', () => {
  test('at once when the receiver is slow, also those that wait already', async () => {
    const { call, end } = calls()
    const room = createRoom({ overall: 9, each: 1, slow: 1 }, 30, 5_000)
    const first = room('a', call('a'))
    const startedMs = performance.now()
    expect(await room('a', call('a'))).toBe(false)
    expect(await room('a', call('a'))).toBe(false)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
    end('a')
    expect(await first).toBe(true)
  })

  test('when patience is over', async () => {
    const { call, end } = calls()
    const room = createRoom({ overall: 1, each: 1, slow: 1 }, 5_000, 30)
    const first = room('a', call('a'))
    expect(await room('b', call('b'))).toBe(false)
    end('a')
    expect(await first).toBe(true)
  })
})
