import { describe, expect, test } from 'bun:test'
import { createPace, type Pace } from '../../../src/chain/rpc/pace.ts'
import { takingPerSecond } from '../../support/rpc-faults.ts'

/** Sends so many calls in batches of at most 40, and rests for two seconds after each refusal. */
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

test('a node that refuses nothing is asked at once for any number of calls', () => {
  const pace = createPace()
  expect(send(pace, 10_000, () => true)).toEqual({ refused: 0, nowMs: 250 * 50 })
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test.each([4, 15, 39])('a node that takes %i calls a second answers all of 600', (perSecond) => {
  const { refused, nowMs } = send(createPace(), 600, takingPerSecond(perSecond))
  // Half of its rate at worst, and what finding that out takes.
  expect(nowMs).toBeLessThan((2 * 600_000) / perSecond + 2_100 * refused)
  expect(refused).toBeLessThan(30)
})

describe('after a refusal for the rate', () => {
  test('half as many calls are sent in a second', () => {
    const pace = createPace()
    refusedAt(pace, 0, 40)
    expect(pace.most()).toBe(20)
    expect([pace.reserve(20, 10), pace.reserve(10, 10), pace.reserve(1, 10)]).toEqual([
      1_000, 2_000, 2_500,
    ])
  })

  test('the calls of the second before count, in however many requests', () => {
    const pace = createPace()
    for (let n = 0; n < 30; n++) pace.reserve(1, n)
    pace.refused(29, 40)
    expect(pace.most()).toBe(15)
  })

  test('further refusals of requests sent before change nothing', () => {
    const pace = createPace()
    for (let n = 0; n < 3; n++) pace.reserve(40, n)
    for (let n = 0; n < 3; n++) pace.refused(n, 50)
    expect(pace.most()).toBe(60)
  })

  test('a node that refuses even four calls a second is left alone', () => {
    const pace = createPace()
    const sending = Array.from({ length: 5 }, (_, n) => {
      pace.reserve(Math.min(40, pace.most()), n * 2_000)
      return pace.refused(n * 2_000, n * 2_000)
    })
    expect(sending).toEqual([true, true, true, true, false])
    expect(pace.most()).toBe(4)
  })
})

test('a refusal of a few calls does not limit the pace', () => {
  const pace = createPace()
  refusedAt(pace, 0, 4)
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test('a node that refused for a minute is asked without a limit after two more', () => {
  const pace = createPace()
  for (let n = 0; n < 30; n++) refusedAt(pace, n * 2_000, Math.min(40, pace.most()))
  send(pace, 20_000, () => true, 60_000)
  expect(pace.most()).toBe(Number.POSITIVE_INFINITY)
})

test('a caller that would wait past its deadline reserves nothing', () => {
  const pace = createPace()
  refusedAt(pace, 0, 40)
  pace.reserve(20, 0)
  for (let n = 0; n < 100; n++) expect(pace.reserve(20, 0, 1_999)).toBe(null)
  expect(pace.reserve(20, 0, 2_000)).toBe(2_000)
})

test('a pace that delays nobody is kept', () => {
  const pace = createPace()
  refusedAt(pace, 0, 40)
  for (let nowMs = 1_000; nowMs < 100_000; nowMs += 1_000) {
    pace.reserve(1, nowMs)
    pace.passed(nowMs, nowMs + 50)
  }
  expect(pace.most()).toBe(20)
})
