import { describe, expect, test } from 'bun:test'
import { createRetention } from '../../src/queues/retention.ts'
import type { Pruned } from '../../src/storage/postgres/retention.ts'

/** A task that needs this many statements, and the places from which it was asked to continue. */
function work(statements: number, onStatement: () => void = () => {}) {
  const asked: (string | null)[] = []
  async function task(after: string | null): Promise<Pruned> {
    asked.push(after)
    onStatement()
    return { removed: 10, place: String(asked.length), isDone: asked.length >= statements }
  }
  return { task, asked }
}

function retentionOf(tasks: Record<string, (after: string | null) => Promise<Pruned>>) {
  const clock = { nowMs: 0 }
  const lines: object[] = []
  const faults: object[] = []
  const log = {
    info: (line: object) => void lines.push(line),
    error: (line: object) => void faults.push(line),
  }
  const rest = async (ms: number) => {
    clock.nowMs += ms
  }
  return {
    ...createRetention({ tasks, steadyMs: () => clock.nowMs, rest, log }),
    clock,
    lines,
    faults,
  }
}

describe('one run', () => {
  test('removes all there is, each statement going on where the last one ended', async () => {
    const { task, asked } = work(3)
    const { run, lines } = retentionOf({ keys: task })
    expect(await run()).toBe(true)
    expect(asked).toEqual([null, '1', '2'])
    expect(lines).toEqual([{ keys: 30 }])
  })

  test('that has nothing to remove says nothing', async () => {
    const { run, lines } = retentionOf({
      keys: async () => ({ removed: 0, place: null, isDone: true }),
    })
    expect(await run()).toBe(true)
    expect(lines).toEqual([])
  })

  test('ends after a while, and the next one goes on there, also when all was done', async () => {
    const { task, asked } = work(5, () => {
      retention.clock.nowMs += 500
    })
    const retention = retentionOf({ keys: task })
    // With the pauses between them, two statements fill the time of a run.
    expect(await retention.run()).toBe(false)
    expect(asked).toEqual([null, '1'])
    expect(await retention.run()).toBe(false)
    expect(await retention.run()).toBe(true)
    expect(asked).toEqual([null, '1', '2', '3', '4'])
    await retention.run()
    expect(asked.at(-1)).toBe('5')
  })

  test('begins anew a day after the first', async () => {
    const { task, asked } = work(1)
    const { run, clock } = retentionOf({ keys: task })
    await run()
    clock.nowMs += 86_400_000
    await run()
    await run()
    expect(asked).toEqual([null, null, '2'])
  })

  test('of one task is not held up by the other', async () => {
    const endless = work(Number.POSITIVE_INFINITY, () => {
      retention.clock.nowMs += 500
    })
    const short = work(1)
    const retention = retentionOf({ endless: endless.task, short: short.task })
    expect(await retention.run()).toBe(false)
    expect(short.asked).toEqual([null])
  })

  test('that fails says so, and the next one a minute later begins where it was', async () => {
    const { task, asked } = work(3)
    let isDown = true
    const { run, clock, faults } = retentionOf({
      keys: async (after) => {
        if (after === '1' && isDown) throw new Error('the database is away')
        return task(after)
      },
    })
    expect(await run()).toBe(true)
    expect(faults).toMatchObject([{ task: 'keys', err: { message: 'the database is away' } }])
    isDown = false
    clock.nowMs += 60_000
    expect(await run()).toBe(true)
    expect(asked).toEqual([null, '1', '2'])
  })

  test('of one task is followed by the next at once, however often the other fails', async () => {
    const long = work(5, () => {
      retention.clock.nowMs += 500
    })
    const tried: number[] = []
    const retention = retentionOf({
      long: long.task,
      broken: async () => {
        tried.push(retention.clock.nowMs)
        throw new Error('refused')
      },
    })
    expect([await retention.run(), await retention.run()]).toEqual([false, false])
    expect(await retention.run()).toBe(true)
    expect(long.asked).toEqual([null, '1', '2', '3', '4'])
    expect(tried).toHaveLength(1)
    expect(retention.lines).toEqual([{ broken: 0, long: 20 }, { long: 20 }, { long: 10 }])
  })
})
