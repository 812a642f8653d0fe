import { describe, expect, test } from 'bun:test'
import { cacheByCost, memoize } from '../../src/scheduling/cache.ts'

/** Figures that take so long by a clock of their own, and how much of its time goes into them. */
function figures({ tookMs, fails }: { tookMs: number; fails: boolean }) {
  let clockMs = 0
  let spentMs = 0
  const read = cacheByCost(
    async (name) => {
      clockMs += tookMs
      spentMs += tookMs
      if (fails) throw new Error(`no ${name}`)
      return `${name} after ${spentMs} ms`
    },
    () => clockMs,
  )
  /** Asks again each millisecond for this long, and answers the share that was spent. */
  async function shareOf(lastsMs: number): Promise<number> {
    for (; clockMs < lastsMs; clockMs++) await read('figures').catch(() => {})
    return spentMs / clockMs
  }
  function pass(ms: number): void {
    clockMs += ms
  }
  return { read, shareOf, pass }
}

describe('what is kept by its cost', () => {
  test('takes a fifth of the time at most, however often it is asked for', async () => {
    const { shareOf } = figures({ tookMs: 500, fails: false })
    expect(await shareOf(100_000)).toBeWithin(0.19, 0.21)
  })

  test('is an answer for four times as long as it took, and worked out anew after that', async () => {
    const { read, pass } = figures({ tookMs: 50, fails: false })
    expect(await read('a')).toBe('a after 50 ms')
    pass(199)
    expect(await read('a')).toBe('a after 50 ms')
    pass(1)
    expect(await read('a')).toBe('a after 100 ms')
  })

  test('is a failure for nobody but those who had asked by then', async () => {
    const { read } = figures({ tookMs: 50, fails: true })
    const failure = () => read('a').catch((error) => error)
    const [first, second] = await Promise.all([failure(), failure()])
    expect(first).toBeInstanceOf(Error)
    expect(second).toBe(first)
    const later = await failure()
    expect(later).toBeInstanceOf(Error)
    expect(later).not.toBe(first)
  })

  test('is worked out once for all who ask at the same time, and apart for each name', async () => {
    const { read } = figures({ tookMs: 50, fails: false })
    expect(await Promise.all([read('a'), read('a'), read('b')])).toEqual([
      'a after 50 ms',
      'a after 50 ms',
      'b after 100 ms',
    ])
  })
})

describe('what is made once', () => {
  test('is shared by all callers, and made again after a failure', async () => {
    let made = 0
    const get = memoize(async () => {
      made++
      if (made === 1) throw new Error('no memory')
      return made
    })
    const first = await Promise.allSettled([get(), get()])
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([get(), get()])).toEqual([2, 2])
  })
})
