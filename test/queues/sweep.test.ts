import { describe, expect, test } from 'bun:test'
import { createSweep, untilDone } from '../../src/queues/sweep.ts'
import { eventually } from '../support/wait.ts'

type Line = { level: string; message: string; [field: string]: unknown }

function sweepOf(tasks: Record<string, () => Promise<number>>, everyMs = 10_000) {
  const lines: Line[] = []
  const log = {
    info: (line: object, message: string) => void lines.push({ level: 'info', message, ...line }),
    error: (line: object, message: string) => void lines.push({ level: 'error', message, ...line }),
  }
  return { sweep: createSweep({ everyMs, tasks, log }), lines }
}

describe('a sweep', () => {
  test('runs every task and answers what each found', async () => {
    const { sweep, lines } = sweepOf({ deliveries: async () => 3, anchors: async () => 0 })
    expect(await sweep.run()).toEqual({ deliveries: 3, anchors: 0 })
    expect(lines).toEqual([{ level: 'info', message: 'the sweep found work', deliveries: 3 }])
  })

  test('that finds nothing says nothing', async () => {
    const { sweep, lines } = sweepOf({ deliveries: async () => 0 })
    await sweep.run()
    expect(lines).toEqual([])
  })

  test('a task that fails never keeps another from running', async () => {
    const cause = new Error('the database is away')
    const { sweep, lines } = sweepOf({
      first: () => Promise.reject(cause),
      second: () => {
        throw cause
      },
      third: async () => 1,
    })
    expect(await sweep.run()).toEqual({ third: 1 })
    // The task that throws at once is logged first.
    expect(lines.filter(({ level }) => level === 'error')).toEqual(
      ['second', 'first'].map((task) => ({
        level: 'error',
        message: 'a task of the sweep failed',
        err: cause,
        task,
      })),
    )
  })

  test('a task never overlaps itself, and one that hangs holds up no other', async () => {
    const gate = Promise.withResolvers<number>()
    let slowRuns = 0
    let quickRuns = 0
    const { sweep } = sweepOf(
      {
        slow: () => {
          slowRuns++
          return gate.promise
        },
        quick: async () => ++quickRuns,
      },
      20,
    )
    sweep.start()
    await eventually(() => quickRuns > 3)
    expect(slowRuns).toBe(1)
    gate.resolve(0)
    await eventually(() => slowRuns > 1)
    await sweep.stop()
  })
})

describe('overdue work of any amount', () => {
  /** A task for so many pieces of work, of which those in `bad` fail whenever they are tried. */
  function heap(size: number, bad: readonly number[] = [], limitMs = 10_000) {
    const left = new Set(Array.from({ length: size }, (_, n) => n))
    const faults: number[] = []
    const task = untilDone({
      find: async (most) => [...left].slice(0, most),
      async deal(piece) {
        if (bad.includes(piece)) throw new Error('bad')
        left.delete(piece)
      },
      onFault: (_error, failed) => faults.push(failed),
      limitMs,
    })
    return { task, left, faults }
  }

  test('is done in one sweep, in rounds', async () => {
    const { task, left, faults } = heap(5_000)
    expect(await task()).toBe(5_000)
    expect([left.size, faults]).toEqual([0, []])
  })

  test('is tried by so many pieces at once as it says', async () => {
    let left = 250
    let underWay = 0
    let most = 0
    const task = untilDone({
      find: async (most) => Array.from({ length: Math.min(most, left) }),
      async deal() {
        most = Math.max(most, ++underWay)
        await Bun.sleep(1)
        underWay--
        left--
      },
      onFault: () => {},
      limitMs: 10_000,
      atOnce: 100,
    })
    expect([await task(), most]).toEqual([250, 100])
  })

  test('is done except for the pieces that fail, which are reported', async () => {
    const { task, left, faults } = heap(2_500, [0, 7])
    expect(await task()).toBe(2_498)
    expect([...left]).toEqual([0, 7])
    expect(faults).toEqual([2])
  })

  test('is done behind any number of pieces that fail', async () => {
    const bad = Array.from({ length: 2_100 }, (_, n) => n)
    const { task, left, faults } = heap(4_000, bad)
    expect(await task()).toBe(1_900)
    expect([...left]).toEqual(bad)
    expect(faults).toEqual([1_000, 1_000, 100])
  })

  test('is left to the next sweep when its time is over, or when nothing of it can be done', async () => {
    expect(await heap(5_000, [], -1).task()).toBe(1_000)
    const all = Array.from({ length: 1_500 }, (_, n) => n)
    expect(await heap(1_500, all).task()).toBe(0)
    expect(await heap(5_000, all, -1).task()).toBe(0)
  })
})

describe('by the clock', () => {
  test('the first sweep is at once, further ones follow, none after the stop', async () => {
    let runs = 0
    const { sweep } = sweepOf({ count: async () => ++runs }, 50)
    const fromMs = performance.now()
    sweep.start()
    expect(runs).toBe(1)
    await eventually(() => runs > 4)
    // The first tick comes after 50 ms, and a late tick does not delay the next one.
    expect(performance.now() - fromMs).toBeGreaterThan(140)
    await sweep.stop()
    const last = runs
    await Bun.sleep(120)
    expect(runs).toBe(last)
  })

  test('stopping waits for the sweep that is running', async () => {
    let isDone = false
    const { sweep } = sweepOf({
      slow: async () => {
        await Bun.sleep(100)
        isDone = true
        return 0
      },
    })
    sweep.start()
    await sweep.stop()
    expect(isDone).toBe(true)
  })
})
