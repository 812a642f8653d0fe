import { expect, test } from 'bun:test'
import { type Interval, type Outcome, startPolling } from '../../../src/dashboard/hooks/polling.ts'

const minuteMs = 60_000

/** A service that is polled, on a simulated clock. An answer takes `answerMs`. */
function stand({
  interval = null,
  answerMs = 0,
  answers = () => ({ isNew: true }),
  isUnanswered = () => false,
}: {
  interval?: Interval | null
  answerMs?: number
  answers?: (asked: number) => Outcome
  /** Whether this request is never answered; it ends only as it is given up. */
  isUnanswered?: (asked: number) => boolean
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
      const asked = requestedAtMs.length
      const outcome = answers(asked)
      signal.addEventListener('abort', () => aborted.push(`${asked}: ${signal.reason.name}`))
      if (isUnanswered(asked)) await new Promise((done) => signal.addEventListener('abort', done))
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
  /** How often the service is asked within `ms`. */
  async function requestsIn(ms: number): Promise<number> {
    const before = requestedAtMs.length
    await pass(ms)
    return requestedAtMs.length - before
  }
  return { ...poller, now, pass, requestsIn, requestedAtMs, aborted, answered: () => answered }
}

const constantly = (everyMs: number): Interval => ({ everyMs, mostMs: everyMs })

test('answers that take longer than the interval are awaited, each of them, one at a time', async () => {
  const service = stand({ interval: constantly(3_000), answerMs: 10_000 })
  service.reload()
  await service.pass(40_000)
  expect(service.requestedAtMs).toEqual([0, 13_000, 26_000, 39_000])
  expect(service.answered()).toBe(3)
})

test('who asks again is not kept waiting by the request under way: it is given up, and what it says counts no more', async () => {
  const service = stand({
    interval: constantly(10_000),
    answers: (asked) => ({ isNew: true, isFinal: asked === 1 }),
    answerMs: 4_000,
  })
  service.reload()
  await service.pass(3_000)
  service.reload()
  await service.pass(20_000)
  expect(service.requestedAtMs).toEqual([0, 3_000, 17_000])
  expect(service.aborted).toEqual(['1: AbortError'])
})

test('a request that is never answered is given up after 30 s, and asking goes on', async () => {
  const service = stand({ interval: constantly(5_000), isUnanswered: (asked) => asked === 1 })
  service.reload()
  await service.pass(29_999)
  expect(service.requestedAtMs).toEqual([0])
  await service.pass(10_001)
  expect(service.requestedAtMs).toEqual([0, 35_000, 40_000])
  expect(service.aborted).toEqual(['1: TimeoutError'])
})

test('who asks again is answered, although the request before is never answered', async () => {
  const service = stand({ isUnanswered: (asked) => asked === 1 })
  service.reload()
  await service.pass(1_000)
  service.reload()
  await service.pass(minuteMs)
  expect(service.requestedAtMs).toEqual([0, 1_000])
  expect(service.aborted).toEqual(['1: AbortError'])
})

test('a change after a while is asked about at once, changes without end ever more rarely', async () => {
  const service = stand({})
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

test('while nothing new is said it is asked more and more rarely, and as often as before once something is', async () => {
  let isNew = false
  const service = stand({
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

test('a change that the first answer after it does not show yet is asked about again at the interval of the beginning', async () => {
  const service = stand({
    interval: { everyMs: 15_000, mostMs: 30_000 },
    answers: (asked) => ({ isNew: asked === 1 }),
  })
  service.reload()
  await service.pass(10 * minuteMs)
  const before = service.requestedAtMs.length
  service.onChange()
  await service.pass(20_000)
  expect(service.requestedAtMs.slice(before)).toEqual([600_000, 618_750])
})

test('nothing is asked that nobody looks at; who looks again is answered at once where it is due', async () => {
  const service = stand({ interval: constantly(5_000) })
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
  const service = stand({ interval: constantly(minuteMs) })
  service.reload()
  await service.pass(20_000)
  service.now.interval = constantly(5_000)
  service.reschedule()
  await service.pass(5_000)
  expect(service.requestedAtMs).toEqual([0, 20_000, 25_000])
})

test('what will not change any more is asked again for a reason only', async () => {
  const service = stand({
    interval: constantly(3_000),
    answers: (asked) => ({ isNew: true, isFinal: asked === 2 }),
  })
  service.reload()
  await service.pass(10 * minuteMs)
  expect(service.requestedAtMs).toEqual([0, 3_000])
  service.reload()
  await service.pass(3_000)
  expect(service.requestedAtMs.length).toBe(4)
})

test('a service that names a time is not asked before it, except by who insists', async () => {
  const service = stand({
    interval: constantly(3_000),
    answers: (asked) => ({ isNew: false, ...(asked < 3 && { waitMs: 40_000 }) }),
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

test('nothing is asked after the end, whatever was wanted before', async () => {
  const service = stand({ interval: constantly(3_000), answerMs: 1_000 })
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
