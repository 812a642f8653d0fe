import { describe, expect, test } from 'bun:test'
import { createPace, type Pace } from '../../../src/chain/rpc/pace.ts'
import { takingPerSecond } from '../../support/rpc-faults.ts'

/**
 * Sends so many calls in requests of at most 40, one after the other, and rests for two seconds
 * after each refusal. Tells how many were refused and when all were through.
 */
function send(pace: Pace, calls: number, takes: ReturnType<typeof takingPerSecond>, startMs = 0) {
  let [nowMs, left, refused] = [startMs, calls, 0]
  while (left > 0) {
    const size = Math.min(left, 40, pace.most())
    nowMs = pace.reserve(size, nowMs) ?? 0
    const sentAtMs = nowMs
    nowMs += 50
    if (takes(size, sentAtMs)) {
      pace.passed(sentAtMs, nowMs)
      left -= size
    } else {
      pace.refused(sentAtMs, nowMs)
      refused++
      nowMs += 2_000
    }
  }
  return { refused, nowMs }
}

const refusedAt = (pace: Pace, atMs: number, calls: number) => {
  pace.reserve(calls, atMs)
  pace.refused(atMs, atMs)
}

test('a node that refuses nothing is asked at once, for any number of calls', () => {
  const pace = createPace()
  expect(send(pace, 10_000, () => true)).toEqual({ refused: 0, nowMs: 250 * 50 })
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test.each([4, 15, 39])('of a node that takes %i calls a second all are answered', (perSecond) => {
  const { refused, nowMs } = send(createPace(), 600, takingPerSecond(perSecond))
  // Half of its rate at worst, and what finding that out takes.
  expect(nowMs).toBeLessThan((2 * 600_000) / perSecond + 2_100 * refused)
  expect(refused).toBeLessThan(30)
})

describe('once a request was refused for its rate', () => {
  test('half as many calls are sent in a second', () => {
    const pace = createPace()
    refusedAt(pace, 0, 40)
    expect(pace.most()).toBe(20)
    expect([pace.reserve(20, 10), pace.reserve(10, 10), pace.reserve(1, 10)]).toEqual([
      1_000, 2_000, 2_500,
    ])
  })

  test('and what was sent in the second before it counts, in however many requests', () => {
    const pace = createPace()
    for (let n = 0; n < 30; n++) pace.reserve(1, n)
    pace.refused(29, 40)
    expect(pace.most()).toBe(15)
  })

  test('those that had been sent by then tell nothing more', () => {
    const pace = createPace()
    for (let n = 0; n < 3; n++) pace.reserve(40, n)
    for (let n = 0; n < 3; n++) pace.refused(n, 50)
    expect(pace.most()).toBe(60)
  })

  test('what refuses even four calls in a second wants to be left alone', () => {
    const pace = createPace()
    const sending = Array.from({ length: 5 }, (_, n) => {
      pace.reserve(Math.min(40, pace.most()), n * 2_000)
      return pace.refused(n * 2_000, n * 2_000)
    })
    expect(sending).toEqual([true, true, true, true, false])
    expect(pace.most()).toBe(4)
  })
})

test('a few calls that are refused tell nothing of how many may be sent', () => {
  const pace = createPace()
  refusedAt(pace, 0, 4)
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test('a node that was out of breath for a minute is asked as fast as before within another', () => {
  const pace = createPace()
  for (let n = 0; n < 30; n++) refusedAt(pace, n * 2_000, Math.min(40, pace.most()))
  send(pace, 5_000, () => true, 60_000)
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test('who would have to wait too long takes nobody’s place', () => {
  const pace = createPace()
  refusedAt(pace, 0, 40)
  pace.reserve(20, 0)
  for (let n = 0; n < 100; n++) expect(pace.reserve(20, 0, 1_999)).toBe(null)
  expect(pace.reserve(20, 0, 2_000)).toBe(2_000)
})

test('a pace that holds nobody up is kept: a faster one is tried only where it is needed', () => {
  const pace = createPace()
  refusedAt(pace, 0, 40)
  for (let nowMs = 1_000; nowMs < 100_000; nowMs += 1_000) {
    pace.reserve(1, nowMs)
    pace.passed(nowMs, nowMs + 50)
  }
  expect(pace.most()).toBe(20)
})
