import { expect, test } from 'bun:test'
import { type Interval, type Outcome, startPolling } from '../../../src/dashboard/hooks/polling.ts'

const minuteMs = 60_000

/** A polled service on a simulated clock. An answer takes `answerMs`. */
function simulate({
  interval = null,
  answerMs = 0,
  answers = () => ({ isNew: true }),
  isUnanswered = () => false,
}: {
  interval?: Interval | null
  answerMs?: number
  answers?: (count: number) => Outcome
  /** Whether this request is never answered; it ends only when aborted. */
  isUnanswered?: (count: number) => boolean
}) {
  let nowMs = 0
  let waiting: readonly { readonly atMs: number; readonly act: () => void }[] = []
  const now = { isVisible: true, interval, answerMs }
  const requestedAtMs: number[] = []
  const aborted: string[] = []
  let answered = 0
  function after(ms: number, act: () => void) {
    const one = { atMs: nowMs + ms, act }
    waiting = [...waiting, one]
    return () => {
      waiting = waiting.filter((other) => other !== one)
    }
  }
  const poller = startPolling(
    async (signal) => {
      requestedAtMs.push(nowMs)
      const count = requestedAtMs.length
      const outcome = answers(count)
      signal.addEventListener('abort', () => aborted.push(`${count}: ${signal.reason.name}`))
      if (isUnanswered(count)) await new Promise((done) => signal.addEventListener('abort', done))
      if (now.answerMs > 0) await new Promise<void>((done) => after(now.answerMs, done))
      answered++
      return outcome
    },
    {
      isVisible: () => now.isVisible,
      interval: () => now.interval,
      clock: { nowMs: () => nowMs, after },
    },
  )
  async function settle() {
    for (let turns = 0; turns < 10; turns++) await null
  }
  async function pass(ms: number) {
    const untilMs = nowMs + ms
    await settle()
    for (;;) {
      const next = waiting.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (!next || next.atMs > untilMs) break
      waiting = waiting.filter((other) => other !== next)
      nowMs = next.atMs
      next.act()
      await settle()
    }
    nowMs = untilMs
  }
  /** The number of requests within `ms`. */
  async function requestsIn(ms: number): Promise<number> {
    const before = requestedAtMs.length
    await pass(ms)
    return requestedAtMs.length - before
  }
  return { ...poller, now, pass, requestsIn, requestedAtMs, aborted, answered: () => answered }
}

const constantly = (everyMs: number): Interval => ({ everyMs, mostMs: everyMs })

test('slow answers are awaited one at a time, and each counts', async () => {
  const service = simulate({ interval: constantly(3_000), answerMs: 10_000 })
  service.reload()
  await service.pass(40_000)
  expect(service.requestedAtMs).toEqual([0, 13_000, 26_000, 39_000])
  expect(service.answered()).toBe(3)
})

test('reloading aborts the request under way, and its answer no longer counts', async () => {
  const service = simulate({
    interval: constantly(10_000),
    answers: (count) => ({ isNew: true, isFinal: count === 1 }),
    answerMs: 4_000,
  })
  service.reload()
  await service.pass(3_000)
  service.reload()
  await service.pass(20_000)
  expect(service.requestedAtMs).toEqual([0, 3_000, 17_000])
  expect(service.aborted).toEqual(['1: AbortError'])
})

test('a request without an answer is aborted after 30 s, and polling goes on', async () => {
  const service = simulate({ interval: constantly(5_000), isUnanswered: (count) => count === 1 })
  service.reload()
  await service.pass(29_999)
  expect(service.requestedAtMs).toEqual([0])
  await service.pass(10_001)
  expect(service.requestedAtMs).toEqual([0, 35_000, 40_000])
  expect(service.aborted).toEqual(['1: TimeoutError'])
})

test('a single change causes a request at once, constant changes ever fewer', async () => {
  const service = simulate({})
  service.reload()
  await service.pass(minuteMs)
  for (let halves = 0; halves < 120; halves++) {
    service.onChange()
    await service.pass(500)
  }
  expect(service.requestedAtMs.slice(0, 6)).toEqual([0, 60_000, 62_000, 66_000, 74_000, 89_000])
  expect(await service.requestsIn(minuteMs)).toBeLessThanOrEqual(1)
  service.onChange()
  expect(await service.requestsIn(0)).toBe(1)
})

test('polling slows down while nothing is new, and speeds up again once something is', async () => {
  let isNew = false
  const service = simulate({
    interval: { everyMs: 3_000, mostMs: 10_000 },
    answers: () => ({ isNew }),
  })
  service.reload()
  expect(await service.requestsIn(10_000)).toBe(2)
  await service.pass(minuteMs)
  expect(await service.requestsIn(minuteMs)).toBe(6)
  isNew = true
  await service.pass(minuteMs)
  expect(await service.requestsIn(minuteMs)).toBe(20)
})

test('after a change that the next answer does not show yet, polling starts again at its first interval', async () => {
  const service = simulate({
    interval: { everyMs: 15_000, mostMs: 30_000 },
    answers: (count) => ({ isNew: count === 1 }),
  })
  service.reload()
  await service.pass(10 * minuteMs)
  const before = service.requestedAtMs.length
  service.onChange()
  await service.pass(20_000)
  expect(service.requestedAtMs.slice(before)).toEqual([600_000, 618_750])
})

test('a hidden page sends no requests; one that becomes visible sends what is due at once', async () => {
  const service = simulate({ interval: constantly(5_000) })
  service.reload()
  service.now.isVisible = false
  service.reschedule()
  expect(await service.requestsIn(minuteMs)).toBe(0)
  service.now.isVisible = true
  service.reschedule()
  expect(await service.requestsIn(0)).toBe(1)
  service.reschedule()
  expect(await service.requestsIn(1_000)).toBe(0)
})

test('a new interval counts from the last answer', async () => {
  const service = simulate({ interval: constantly(minuteMs) })
  service.reload()
  await service.pass(20_000)
  service.now.interval = constantly(5_000)
  service.reschedule()
  await service.pass(5_000)
  expect(service.requestedAtMs).toEqual([0, 20_000, 25_000])
})

test('final data is requested again only by a reload', async () => {
  const service = simulate({
    interval: constantly(3_000),
    answers: (count) => ({ isNew: true, isFinal: count === 2 }),
  })
  service.reload()
  await service.pass(10 * minuteMs)
  expect(service.requestedAtMs).toEqual([0, 3_000])
  service.reload()
  await service.pass(3_000)
  expect(service.requestedAtMs.length).toBe(4)
})

test('a service is not called before the time it names, except by a reload', async () => {
  const service = simulate({
    interval: constantly(3_000),
    answers: (count) => ({ isNew: false, ...(count < 3 && { waitMs: 40_000 }) }),
  })
  service.reload()
  service.onChange()
  await service.pass(39_000)
  service.onChange()
  expect(service.requestedAtMs).toEqual([0])
  service.reload()
  await service.pass(0)
  expect(service.requestedAtMs).toEqual([0, 39_000])
  await service.pass(minuteMs)
  expect(service.requestedAtMs[2]).toBe(79_000)
})

test('after the stop nothing is requested', async () => {
  const service = simulate({ interval: constantly(3_000), answerMs: 1_000 })
  service.reload()
  service.onChange()
  service.stop()
  await service.pass(minuteMs)
  service.onChange()
  service.reload()
  await service.pass(minuteMs)
  expect(service.requestedAtMs).toEqual([0])
  expect(service.aborted).toEqual(['1: AbortError'])
})
