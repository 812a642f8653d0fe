import { expect, test } from 'bun:test'
import { type Heard, keepAsking, type Pace } from '../../../src/dashboard/hooks/asking.ts'

const minuteMs = 60_000

/** A service that is polled, on a simulated clock. An answer takes `answerMs`. */
function stand({
  pace = null,
  answerMs = 0,
  answers = () => ({ isNew: true }),
  isMute = () => false,
}: {
  pace?: Pace | null
  answerMs?: number
  answers?: (asked: number) => Heard
  /** Whether this request is never answered; it ends only as it is given up. */
  isMute?: (asked: number) => boolean
}) {
  let nowMs = 0
  let waiting: readonly { readonly atMs: number; readonly act: () => void }[] = []
  const now = { isSeen: true, pace, answerMs }
  const askedAtMs: number[] = []
  const givenUp: string[] = []
  let answered = 0
  function after(ms: number, act: () => void) {
    const one = { atMs: nowMs + ms, act }
    waiting = [...waiting, one]
    return () => {
      waiting = waiting.filter((other) => other !== one)
    }
  }
  const asking = keepAsking(
    async (signal) => {
      askedAtMs.push(nowMs)
      const asked = askedAtMs.length
      const heard = answers(asked)
      signal.addEventListener('abort', () => givenUp.push(`${asked}: ${signal.reason.name}`))
      if (isMute(asked)) await new Promise((done) => signal.addEventListener('abort', done))
      if (now.answerMs > 0) await new Promise<void>((done) => after(now.answerMs, done))
      answered++
      return heard
    },
    { isSeen: () => now.isSeen, pace: () => now.pace, clock: { nowMs: () => nowMs, after } },
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
  async function asksIn(ms: number): Promise<number> {
    const before = askedAtMs.length
    await pass(ms)
    return askedAtMs.length - before
  }
  return { ...asking, now, pass, asksIn, askedAtMs, givenUp, answered: () => answered }
}

const constantly = (everyMs: number): Pace => ({ everyMs, mostMs: everyMs })

test('answers that take longer than the pace are awaited, each of them, one at a time', async () => {
  const service = stand({ pace: constantly(3_000), answerMs: 10_000 })
  service.again()
  await service.pass(40_000)
  expect(service.askedAtMs).toEqual([0, 13_000, 26_000, 39_000])
  expect(service.answered()).toBe(3)
})

test('who asks again is not kept waiting by the request under way: it is given up, and what it says counts no more', async () => {
  const service = stand({
    pace: constantly(10_000),
    answers: (asked) => ({ isNew: true, isLast: asked === 1 }),
    answerMs: 4_000,
  })
  service.again()
  await service.pass(3_000)
  service.again()
  await service.pass(20_000)
  expect(service.askedAtMs).toEqual([0, 3_000, 17_000])
  expect(service.givenUp).toEqual(['1: AbortError'])
})

test('a request that is never answered is given up after 30 s, and asking goes on', async () => {
  const service = stand({ pace: constantly(5_000), isMute: (asked) => asked === 1 })
  service.again()
  await service.pass(29_999)
  expect(service.askedAtMs).toEqual([0])
  await service.pass(10_001)
  expect(service.askedAtMs).toEqual([0, 35_000, 40_000])
  expect(service.givenUp).toEqual(['1: TimeoutError'])
})

test('who asks again is answered, although the request before is never answered', async () => {
  const service = stand({ isMute: (asked) => asked === 1 })
  service.again()
  await service.pass(1_000)
  service.again()
  await service.pass(minuteMs)
  expect(service.askedAtMs).toEqual([0, 1_000])
  expect(service.givenUp).toEqual(['1: AbortError'])
})

test('a change after a while is asked about at once, changes without end ever more rarely', async () => {
  const service = stand({})
  service.again()
  await service.pass(minuteMs)
  for (let halves = 0; halves < 120; halves++) {
    service.hear()
    await service.pass(500)
  }
  expect(service.askedAtMs.slice(0, 6)).toEqual([0, 60_000, 62_000, 66_000, 74_000, 89_000])
  expect(await service.asksIn(minuteMs)).toBeLessThanOrEqual(1)
  service.hear()
  expect(await service.asksIn(0)).toBe(1)
})

test('while nothing new is said it is asked more and more rarely, and as often as before once something is', async () => {
  let isNew = false
  const service = stand({
    pace: { everyMs: 3_000, mostMs: 10_000 },
    answers: () => ({ isNew }),
  })
  service.again()
  expect(await service.asksIn(10_000)).toBe(2)
  await service.pass(minuteMs)
  expect(await service.asksIn(minuteMs)).toBe(6)
  isNew = true
  await service.pass(minuteMs)
  expect(await service.asksIn(minuteMs)).toBe(20)
})

test('a change that the first answer after it does not show yet is asked about again at the pace of the beginning', async () => {
  const service = stand({
    pace: { everyMs: 15_000, mostMs: 30_000 },
    answers: (asked) => ({ isNew: asked === 1 }),
  })
  service.again()
  await service.pass(10 * minuteMs)
  const before = service.askedAtMs.length
  service.hear()
  await service.pass(20_000)
  expect(service.askedAtMs.slice(before)).toEqual([600_000, 618_750])
})

test('nothing is asked that nobody looks at; who looks again is answered at once where it is due', async () => {
  const service = stand({ pace: constantly(5_000) })
  service.again()
  service.now.isSeen = false
  service.adjust()
  expect(await service.asksIn(minuteMs)).toBe(0)
  service.now.isSeen = true
  service.adjust()
  expect(await service.asksIn(0)).toBe(1)
  service.adjust()
  expect(await service.asksIn(1_000)).toBe(0)
})

test('a new pace counts from the last answer', async () => {
  const service = stand({ pace: constantly(minuteMs) })
  service.again()
  await service.pass(20_000)
  service.now.pace = constantly(5_000)
  service.adjust()
  await service.pass(5_000)
  expect(service.askedAtMs).toEqual([0, 20_000, 25_000])
})

test('what will not change any more is asked again for a reason only', async () => {
  const service = stand({
    pace: constantly(3_000),
    answers: (asked) => ({ isNew: true, isLast: asked === 2 }),
  })
  service.again()
  await service.pass(10 * minuteMs)
  expect(service.askedAtMs).toEqual([0, 3_000])
  service.again()
  await service.pass(3_000)
  expect(service.askedAtMs.length).toBe(4)
})

test('a service that names a time is not asked before it, except by who insists', async () => {
  const service = stand({
    pace: constantly(3_000),
    answers: (asked) => ({ isNew: false, ...(asked < 3 && { waitMs: 40_000 }) }),
  })
  service.again()
  service.hear()
  await service.pass(39_000)
  service.hear()
  expect(service.askedAtMs).toEqual([0])
  service.again()
  await service.pass(0)
  expect(service.askedAtMs).toEqual([0, 39_000])
  await service.pass(minuteMs)
  expect(service.askedAtMs[2]).toBe(79_000)
})

test('nothing is asked after the end, whatever was wanted before', async () => {
  const service = stand({ pace: constantly(3_000), answerMs: 1_000 })
  service.again()
  service.hear()
  service.end()
  await service.pass(minuteMs)
  service.hear()
  service.again()
  await service.pass(minuteMs)
  expect(service.askedAtMs).toEqual([0])
  expect(service.givenUp).toEqual(['1: AbortError'])
})
