import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Queue } from 'bullmq'
import type { Backend } from '../../src/queues/backends/backend.ts'
import { createQueues, type Payloads, type Queues } from '../../src/queues/queues.ts'
import { createWorkers, type Processors, type Workers } from '../../src/queues/workers.ts'
import { hasRedis } from '../support/redis.ts'
import { eventually } from '../support/wait.ts'
import { postgresStand, redisStand, type Stand } from './backend-stands.ts'

const silent = { warn() {}, error() {} }
// Takes two seconds on an idle machine. A hanging shutdown takes 10 s or never ends.
const shutdownLimitMs = 6_000
const hourMs = 3_600_000
const nameOf = (due: Payloads['expiry']) => ('invoiceId' in due ? due.invoiceId : due.mandateId)
const kinds = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const)

describe.each(kinds)('on %s', (kind) => {
  let stand: Stand
  let backend: Backend
  let queues: Queues
  let workers: Workers[]
  let lines: {
    level: string
    message: string
    jobId?: string
    attempt?: number
    repeated?: number
  }[]

  const log = {
    warn: (line: object, message: string) => void lines.push({ level: 'warn', message, ...line }),
    error: (line: object, message: string) => void lines.push({ level: 'error', message, ...line }),
  }

  beforeAll(async () => {
    stand = await (kind === 'Redis' ? redisStand() : postgresStand())
  })

  afterAll(() => stand.stop())

  beforeEach(async () => {
    lines = []
    workers = []
    backend = await stand.connect(log)
    queues = createQueues({ backend, log })
  })

  afterEach(async () => {
    for (const each of workers) await each.drain(0)
    await queues.close()
    await backend.close()
    await stand.loseEverything()
  })

  function failures() {
    return lines.filter(({ level }) => level === 'error')
  }

  function work(processors: Processors): Workers {
    const made = createWorkers({ backend, processors, log })
    workers.push(made)
    made.start()
    return made
  }

  describe('a job', () => {
    test('reaches its processor once, with its payload', async () => {
      const seen: unknown[] = []
      work({ deliver: async (payload) => void seen.push(payload) })
      await said(() => queues.add('deliver', { webhookIds: ['a', 'b'] }, { jobId: 'once' }))
      await until(() => seen.length > 0)
      await Bun.sleep(200)
      expect(seen).toEqual([{ webhookIds: ['a', 'b'] }])
    })

    test('that is delayed never runs early', async () => {
      let ranAtMs = 0
      work({
        expiry: async () => {
          ranAtMs = Date.now()
        },
      })
      const dueAtMs = Date.now() + 700
      await said(() => queues.add('expiry', { invoiceId: 'a' }, { jobId: 'a', delayMs: 700 }))
      await until(() => ranAtMs > 0)
      expect(ranAtMs - dueAtMs).toBeGreaterThanOrEqual(-5)
    })

    test('whose id is waiting is not added again; once it has run it is', async () => {
      let runs = 0
      const add = () => queues.add('expiry', { invoiceId: 'a' }, { jobId: 'a' })
      await said(add)
      await said(add)
      work({ expiry: async () => void runs++ })
      await until(() => runs === 1)
      await Bun.sleep(200)
      expect(runs).toBe(1)
      // The job's id is free once its completion is recorded.
      await until(async () => {
        await add()
        return runs > 1
      })
    })

    test('that throws is tried again after its backoff, and the log names it each time', async () => {
      const startedAtMs: number[] = []
      work({
        outbox: async () => {
          startedAtMs.push(Date.now())
          if (startedAtMs.length < 3) throw new Error('not yet')
        },
      })
      await said(() => queues.add('outbox', {}, { jobId: 'third-time-lucky' }))
      await until(() => startedAtMs.length === 3)
      const [first = 0, second = 0, third = 0] = startedAtMs
      expect(second - first).toBeWithin(240, 5_000)
      expect(third - second).toBeWithin(490, 5_000)
      expect(failures()).toMatchObject(
        [1, 2].map((attempt) => ({
          level: 'error',
          message: 'job failed, will be retried',
          jobId: 'third-time-lucky',
          attempt,
        })),
      )
    })

    test('that fails to the end is dropped, and its id is free again', async () => {
      let runs = 0
      work({
        'watch-base': async () => {
          runs++
          throw new Error('the node is away')
        },
      })
      for (const expected of [1, 2]) {
        await said(() => queues.add('watch-base', {}, { jobId: 'step' }))
        await until(() => runs === expected)
        await until(() => failures().length === expected)
      }
      expect(failures().map(({ message }) => message)).toEqual(['job failed', 'job failed'])
    })
  })

  describe('a wake', () => {
    test('costs nothing when one is on its way, and a thousand make two jobs at most', async () => {
      let runs = 0
      work({ outbox: async () => void runs++ })
      for (let call = 0; call < 1_000; call++) queues.wake('outbox')
      await until(() => runs > 0)
      await Bun.sleep(400)
      expect(runs).toBeWithin(1, 3)
    })

    test('of many processes, while nobody works, leaves one job', async () => {
      const processes = Array.from({ length: 4 }, () => createQueues({ backend, log }))
      for (let round = 0; round < 5; round++) {
        for (const each of processes) each.wake('outbox')
        await Bun.sleep(80)
      }
      for (const each of processes) await each.close()
      const outbox = backend.openQueue('outbox')
      const waiting = async () => (await outbox.getJobCounts('waiting')).waiting ?? 0
      await until(async () => (await waiting()) > 0)
      // A wake that is still on its way after this has arrived too, and has added nothing.
      await Bun.sleep(400)
      expect(await waiting()).toBe(1)
      await outbox.close()
    })

    test('that comes while its job is running makes it run once more', async () => {
      const gate = Promise.withResolvers<void>()
      let runs = 0
      work({
        outbox: async () => {
          if (++runs === 1) await gate.promise
        },
      })
      queues.wake('outbox')
      await until(() => runs === 1)
      for (let call = 0; call < 5; call++) {
        queues.wake('outbox')
        await Bun.sleep(30)
      }
      // Long enough for all of them to have arrived.
      await Bun.sleep(200)
      gate.resolve()
      await until(() => runs > 1)
      await Bun.sleep(300)
      expect(runs).toBeWithin(2, 4)
    })

    test('is never lost, whenever it comes', async () => {
      const others = [createQueues({ backend, log }), createQueues({ backend, log })]
      const due = new Set<number>()
      const taken = new Set<number>()
      const takeAll = async () => {
        const mine = [...due]
        await Bun.sleep(Math.random() * 20)
        for (const item of mine) {
          due.delete(item)
          taken.add(item)
        }
      }
      work({ outbox: takeAll })
      work({ outbox: takeAll })
      let item = 0
      for (let round = 0; round < 25; round++) {
        for (const last = item + Math.ceil(Math.random() * 6); item < last; item++) {
          due.add(item)
          const queue = [queues, ...others][item % 3]!
          queue.wake('outbox')
          await Bun.sleep(Math.random() * 60)
        }
        // No further wake before everything is taken.
        await until(() => due.size === 0)
      }
      expect(taken.size).toBe(item)
      for (const each of others) await each.close()
    })

    test('starts a job when earlier jobs were lost but their deduplication keys were not', async () => {
      queues.wake('outbox')
      await Bun.sleep(150)
      await stand.loseJobs()
      let runs = 0
      work({ outbox: async () => void runs++ })
      queues.wake('outbox')
      await until(() => runs > 0)
    })
  })

  describe('a schedule', () => {
    test('keeps its interval, however often it is repeated', async () => {
      let runs = 0
      work({ 'watch-base': async () => void runs++ })
      const fromMs = performance.now()
      await until(async () => {
        await queues.every('watch-base', {}, 200)
        return runs >= 8
      })
      // The first run is immediate. Later ones keep to the clock, so one may come early after a
      // late one.
      expect(performance.now() - fromMs).toBeGreaterThan(6 * 200)
      expect(failures()).toEqual([])
    })

    test('that was lost with all data comes back when it is repeated, and so do wakes', async () => {
      let steps = 0
      let wakes = 0
      work({ 'watch-base': async () => void steps++, outbox: async () => void wakes++ })
      await said(() => queues.every('watch-base', {}, 200))
      await until(() => steps >= 2)
      await stand.loseEverything()
      await Bun.sleep(500)
      const before = steps
      await said(() => queues.every('watch-base', {}, 200))
      queues.wake('outbox')
      await until(() => steps >= before + 3 && wakes > 0)
    })

    test.each(['ahead', 'behind'])(
      'set by a clock an hour %s continues once a process with the right time repeats it',
      async (where) => {
        let runs = 0
        work({ 'watch-base': async () => void runs++ })
        const say = () => said(() => queues.every('watch-base', {}, 200))
        const rightMs = Date.now
        const offMs = where === 'ahead' ? hourMs : -hourMs
        {
          using _ = spyOn(Date, 'now').mockImplementation(() => rightMs() + offMs)
          await say()
          await until(() => runs >= 3)
        }
        // Longer than a job in hand takes: the next one waits for its time.
        await Bun.sleep(500)
        const before = runs
        await say()
        await until(() => runs >= before + 3)
        const { delayed } = await backend.openQueue('watch-base').getJobCounts('delayed')
        expect(delayed).toBeLessThan(2)
      },
    )
  })

  describe('a schedule of minutes', () => {
    test('is not begun anew again and again where two clocks are an hour apart', async () => {
      let runs = 0
      work({ retention: async () => void runs++ })
      const rightMs = Date.now
      for (let n = 0; n < 10; n++) {
        await said(() => queues.every('retention', {}, 60_000))
        // The process whose clock is ahead has begun the job, and so lays the next one.
        using _ = spyOn(Date, 'now').mockImplementation(() => rightMs() + hourMs)
        const schedule = backend.openQueue('retention') as Queue
        await schedule.removeJobScheduler('retention')
        await schedule.upsertJobScheduler(
          'retention',
          { every: 60_000, startDate: Date.now() + 60_000 },
          { name: 'retention', data: {}, opts: {} },
        )
      }
      await Bun.sleep(500)
      expect(runs).toBeWithin(1, 3)
    })
  })

  describe('when the server', () => {
    test('restarts, workers go on by themselves, delayed jobs and schedules included', async () => {
      const seen: string[] = []
      let steps = 0
      work({
        expiry: async (due) => void seen.push(nameOf(due)),
        'watch-base': async () => void steps++,
      })
      await said(() => queues.every('watch-base', {}, 250))
      await said(() => queues.add('expiry', { invoiceId: 'later' }, { delayMs: 1_500 }))
      await until(() => steps > 0)
      await stand.restart()
      const before = steps
      await until(() => seen.includes('later') && steps > before + 2)
      await said(() => queues.add('expiry', { invoiceId: 'after' }))
      await until(() => seen.includes('after'))
    })

    test('hangs, no caller waits for it, and a wake is not lost', async () => {
      let runs = 0
      work({ outbox: async () => void runs++ })
      await said(() => queues.add('outbox', {}, { jobId: 'before' }))
      await until(() => runs === 1)
      stand.hang()
      try {
        for (const ask of [
          () => queues.add('expiry', { invoiceId: 'a' }),
          () => queues.every('watch-base', {}, 1_000),
        ]) {
          const fromMs = performance.now()
          expect(await ask()).toBe(false)
          // Takes 0.4 s on an idle machine.
          expect(performance.now() - fromMs).toBeLessThan(3_000)
        }
        queues.wake('outbox')
        // Long enough for the wake to have been tried in vain.
        await Bun.sleep(1_000)
      } finally {
        stand.goOn()
      }
      await until(() => runs > 1)
    })
  })

  test('a server that gives no jobs is not asked in a tight loop, and nothing waits once it does again', async () => {
    await stand.refuse()
    let runs = 0
    work({ outbox: async () => void runs++, anchor: async () => {}, expiry: async () => {} })
    queues.wake('outbox')
    await Bun.sleep(2_200)
    await until(async () => (await stand.refusals()) >= 3)
    await stand.admit()
    expect(await stand.refusals()).toBeLessThan(80)
    await until(() => runs > 0)
  })

  describe('draining', () => {
    test('waits for the job in hand and takes no other', async () => {
      const done: string[] = []
      const taken = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const made = work({
        expiry: async (due) => {
          taken.resolve()
          await gate.promise
          done.push(nameOf(due))
        },
      })
      await said(() => queues.add('expiry', { invoiceId: 'first' }, { jobId: 'first' }))
      await taken.promise
      const drained = made.drain(30_000)
      // A job added while the worker is being told to stop may still be taken.
      await Bun.sleep(500)
      await said(() => queues.add('expiry', { invoiceId: 'second' }, { jobId: 'second' }))
      await Bun.sleep(200)
      gate.resolve()
      await drained
      expect(done).toEqual(['first'])
      await Bun.sleep(300)
      work({ expiry: async (due) => void done.push(nameOf(due)) })
      await until(() => done.includes('second'))
      expect(done).toEqual(['first', 'second'])
    })

    test('never waits for a job beyond the deadline', async () => {
      const taken = Promise.withResolvers<void>()
      const made = work({
        expiry: () => {
          taken.resolve()
          return new Promise(() => {})
        },
      })
      await said(() => queues.add('expiry', { invoiceId: 'endless' }, { jobId: 'endless' }))
      await taken.promise
      const fromMs = performance.now()
      await made.drain(300)
      expect(performance.now() - fromMs).toBeWithin(295, 5_000)
      expect(lines).toContainEqual(
        expect.objectContaining({ message: 'jobs were still running at the deadline', jobs: 1 }),
      )
    })
  })
})

describe.each(kinds)('a shutdown takes less than two seconds when %s', (kind) => {
  test.each(['is idle', 'hangs', 'is gone'])('%s', async (fault) => {
    const stand = await (kind === 'Redis' ? redisStand() : postgresStand())
    const backend = await stand.connect(silent)
    const queues = createQueues({ backend, log: silent })
    let runs = 0
    const processors: Processors = {
      outbox: async () => void runs++,
      expiry: async () => {},
      'watch-base': async () => {},
    }
    const workers = createWorkers({ backend, processors, log: silent })
    workers.start()
    await said(() => queues.every('watch-base', {}, 100))
    queues.wake('outbox')
    await until(() => runs > 0)
    if (fault === 'hangs') stand.hang()
    if (fault === 'is gone') await stand.vanish()
    queues.wake('outbox')
    await Bun.sleep(300)
    const fromMs = performance.now()
    await workers.drain(10_000)
    await queues.close()
    await backend.close()
    expect(performance.now() - fromMs).toBeLessThan(shutdownLimitMs)
    if (fault === 'hangs') stand.goOn()
    await stand.stop()
  })
})

function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(condition)
}

/** Repeats a request until it succeeds: a slow machine may exceed the 0.4 s a caller waits. */
const said = until
