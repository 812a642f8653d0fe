import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Redis } from 'ioredis'
import type { LeaseWindows } from '../../../src/domain/accounts/request-windows.ts'
import type { Admission, BucketLimits } from '../../../src/http/admission/bucket.ts'
import { createLimits, type Limits } from '../../../src/http/admission/limits.ts'
import { localWindows } from '../../../src/storage/limits/local-windows.ts'
import { postgresWindows } from '../../../src/storage/limits/postgres-windows.ts'
import { redisWindows } from '../../../src/storage/limits/redis-windows.ts'
import { connect, type Sql } from '../../../src/storage/postgres/db.ts'
import { connectRedis } from '../../../src/storage/redis/connection.ts'
import { testDatabase } from '../../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts'
import { earlyInAMinute, eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { database: db } = useWorld({ service: 'none' })
let server: TestRedis | undefined
const stores = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const)
const pools: Sql[] = []
const redises: Redis[] = []
const made: Limits[] = []
let passedMs = 0

beforeAll(async () => {
  if (hasRedis) server = await startRedis()
})

beforeEach(async () => {
  passedMs = 0
  await earlyInAMinute()
})

afterEach(async () => {
  for (const limits of made.splice(0)) await limits.close()
  for (const pool of pools.splice(0)) await pool.end()
  for (const redis of redises.splice(0)) redis.disconnect()
})

afterAll(async () => {
  await server?.stop()
})

async function storeOf(name: 'PostgreSQL' | 'Redis'): Promise<LeaseWindows> {
  if (name === 'PostgreSQL') {
    const pool = connect(db.url, { max: 2, name: 'test limits' })
    pools.push(pool)
    return postgresWindows(pool)
  }
  const redis = connectRedis({ url: server!.url, prefix: 'test' }, () => {})
  redises.push(redis)
  await new Promise((resolve) => redis.once('ready', resolve))
  // These tests check counts, so a slow machine must not time out.
  redis.options.commandTimeout = 10_000
  return redisWindows(redis)
}

function bucketName() {
  return `key:${Bun.randomUUIDv7()}`
}

describe.each(stores)('on %s', (name) => {
  /** The limits of one process with its own connection and cache. */
  async function process(): Promise<Limits> {
    const limits = createLimits({
      store: await storeOf(name),
      clock: () => performance.now() + passedMs,
      nowMs: Date.now,
    })
    made.push(limits)
    return limits
  }

  async function admitMany(limits: Limits, bucket: string, of: BucketLimits, times: number) {
    return Promise.all(Array.from({ length: times }, () => limits.admit(bucket, of)))
  }

  test('200 requests at once through two processes on a plan of 60: exactly 60 are admitted', async () => {
    const [one, two] = [await process(), await process()]
    const bucket = bucketName()
    const free = { perMinute: 60, perDay: 1_000 }
    const answers = await Promise.all([
      admitMany(one, bucket, free, 100),
      admitMany(two, bucket, free, 100),
    ])
    expect(allowed(answers.flat())).toBe(60)
  })

  test('the day ends admission although the minute has room', async () => {
    const [one, two] = [await process(), await process()]
    const bucket = bucketName()
    const limits = { perMinute: 1_000, perDay: 70 }
    const counts = await Promise.all([hammer(one, bucket, limits), hammer(two, bucket, limits)])
    expect(counts[0] + counts[1]).toBe(70)
    const refused = await one.admit(bucket, limits)
    const resetSeconds = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400
    expect(refused).toMatchObject({ allowed: false, limit: 70, remaining: 0, resetSeconds })
    expect(Math.abs(refused.resetAfterSeconds - (resetSeconds - Date.now() / 1_000))).toBeLessThan(
      3,
    )
  })

  test('remaining counts down by one per request, to a refusal with the time to wait', async () => {
    const limits = await process()
    const bucket = bucketName()
    const plan = { perMinute: 400, perDay: 50_000 }
    const remaining: number[] = []
    let answer = await limits.admit(bucket, plan)
    for (; answer.allowed; answer = await limits.admit(bucket, plan))
      remaining.push(answer.remaining)
    expect(remaining).toEqual(Array.from({ length: 400 }, (_, index) => 399 - index))
    const resetSeconds = (Math.floor(Date.now() / 60_000) + 1) * 60
    expect(answer).toEqual({
      allowed: false,
      limit: 400,
      remaining: 0,
      resetSeconds,
      resetAfterSeconds: expect.any(Number),
    })
    expect(answer.resetAfterSeconds).toBeWithin(1, 61)
  })

  test('a big plan is answered from memory nearly always, a free plan never ahead of the store', async () => {
    const limits = await process()
    const [big, free] = [bucketName(), bucketName()]
    let asked = 0
    for (let count = 0; count < 2_000; count++) {
      const answer = limits.admit(big, { perMinute: 60_000, perDay: 1_000_000 })
      if (answer instanceof Promise) asked++
      await answer
    }
    expect(asked).toBeLessThan(40)
    for (let count = 0; count < 5; count++) {
      expect(limits.admit(free, { perMinute: 60, perDay: 1_000 })).toBeInstanceOf(Promise)
      await Bun.sleep(5)
    }
  })

  test('buckets never share a count', async () => {
    const limits = await process()
    const plan = { perMinute: 10, perDay: null }
    const answers = await Promise.all(
      [bucketName(), bucketName()].map((bucket) => admitMany(limits, bucket, plan, 15)),
    )
    expect(answers.map(allowed)).toEqual([10, 10])
  })

  test('requests leased for one minute go back and are asked for anew in the next', async () => {
    const limits = await process()
    const bucket = bucketName()
    const plan = { perMinute: 5_000, perDay: null }
    await limits.admit(bucket, plan)
    expect(limits.admit(bucket, plan)).toMatchObject({ remaining: 4_998 })
    passedMs += 60_000
    const answer = limits.admit(bucket, plan)
    expect(answer).toBeInstanceOf(Promise)
    // The store's minute has not passed, so its count shows that all but three leased requests were
    // returned.
    expect(await answer).toMatchObject({ allowed: true, remaining: 4_997 })
  })

  test('what an idle process leased and did not use, another can have', async () => {
    const [idle, busy] = [await process(), await process()]
    const bucket = bucketName()
    const plan = { perMinute: 2_000, perDay: 2_000 }
    await idle.admit(bucket, plan)
    passedMs += 5_000
    let used = 0
    // A refusal is cached for a second, so returned requests are only seen at the next attempt.
    await eventually(async () => {
      used += await hammer(busy, bucket, plan)
      return used >= 1_999
    })
    expect(used).toBe(1_999)
  })
})

describe('at the end of a minute', () => {
  test('what was leased for one minute is not used in the next, though a refill is on its way', async () => {
    const { admit, passEdge, ask, end } = beforeAnEdge()
    await admit()
    ask.hold()
    // More than half of what was leased: that asks for more.
    for (let n = 0; n < 12; n++) admit()
    passEdge()
    ask.letGo()
    expect(await end()).toBe(2_000)
  })

  test('a lease that arrives after its minute is over is for those alone who asked for it', async () => {
    const { admit, passEdge, answer, end } = beforeAnEdge()
    answer.hold()
    const first = admit()
    await Bun.sleep(0)
    const others = Array.from({ length: 10 }, () => admit())
    passEdge()
    answer.letGo()
    const resets = (await Promise.all([first, ...others])).map(({ resetSeconds }) => resetSeconds)
    const [edge, next] = [edgeMs / 1_000, edgeMs / 1_000 + 60]
    expect(resets).toEqual([edge, ...others.map(() => next)])
    expect(await end()).toBe(2_000)
  })

  const edgeMs = Date.parse('2030-01-01T12:00:00Z')
  const plan = { perMinute: 2_000, perDay: 50_000 }

  /** Limits shortly before a minute ends; what goes to the store and back can be held. */
  function beforeAnEdge() {
    let nowMs = edgeMs - 1_000
    const [ask, answer] = [gate(), gate()]
    const windows = localWindows({ processes: () => 1, nowMs: () => nowMs })
    const store: LeaseWindows = async (asks) => {
      await ask.passed()
      const grants = await windows(asks.map((one) => ({ ...one, want: one.want + one.spare })))
      await answer.passed()
      return grants
    }
    const limits = createLimits({ store, clock: () => nowMs, nowMs: Date.now })
    made.push(limits)
    const bucket = bucketName()
    let inTheNext = 0
    async function admit(): Promise<Admission> {
      const admission = await limits.admit(bucket, plan)
      if (admission.allowed && admission.resetSeconds * 1_000 > edgeMs) inTheNext++
      return admission
    }
    return {
      ask,
      answer,
      admit,
      passEdge() {
        nowMs = edgeMs
      },
      /** Uses up the minute after the edge. Answers how many were admitted in it altogether. */
      async end() {
        while ((await admit()).allowed);
        return inTheNext
      },
    }
  }

  function gate() {
    let opening = Promise.withResolvers<void>()
    opening.resolve()
    return {
      passed: () => opening.promise,
      hold() {
        opening = Promise.withResolvers<void>()
      },
      letGo: () => opening.resolve(),
    }
  }
})

test.each([
  ['an hour', 3_600_000, { perMinute: 1, perDay: 10 }],
  ['a week', 604_800_000, { perMinute: 1, perDay: 1 }],
] as const)(
  'after the clock of PostgreSQL was %s ahead and is put right, requests are admitted again',
  async (_, aheadMs, plan) => {
    const wrong = await testDatabase()
    const noonMs = Date.parse('2030-01-01T12:00:00Z')
    const pool = connect(wrong.url, { max: 1, name: 'test clock put right' })
    const bucket = bucketName()
    const isAdmitted = async () => {
      const limits = createLimits({
        store: postgresWindows(pool),
        clock: () => performance.now(),
        nowMs: Date.now,
      })
      const { allowed } = await limits.admit(bucket, plan)
      await limits.close()
      return allowed
    }
    await setClock(wrong.sql, noonMs + aheadMs)
    expect([await isAdmitted(), await isAdmitted()]).toEqual([true, false])
    await setClock(wrong.sql, noonMs)
    expect([await isAdmitted(), await isAdmitted()]).toEqual([true, false])
    await pool.end()
    await wrong.drop()
  },
)

/** Sets the clock of this database to `unixMs`, for new connections. */
async function setClock(sql: Sql, unixMs: number) {
  const aheadMs = unixMs - Date.now()
  await sql.unsafe(`
    create or replace function public.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + interval ''${aheadMs} ms''';
    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`)
}

describe('when the store is gone', () => {
  test('a request fails as unavailable instead of passing uncounted', async () => {
    const sql = connect('postgres://127.0.0.1:1/none', { max: 1, name: 'gone' })
    const limits = createLimits({
      store: postgresWindows(sql),
      clock: () => performance.now(),
      nowMs: Date.now,
    })
    const plan = { perMinute: 60, perDay: 1_000 }
    const both = await Promise.allSettled([
      limits.admit('ip:::1', plan),
      limits.admit('ip:::1', plan),
    ])
    expect(both).toMatchObject([
      { reason: { reason: 'unavailable' } },
      { reason: { reason: 'unavailable' } },
    ])
    await limits.close()
    await sql.end({ timeout: 0 })
  })
})

/** Sends twenty requests at a time until none is admitted. Answers how many were. */
async function hammer(limits: Limits, bucket: string, of: BucketLimits): Promise<number> {
  for (let admitted = 0; ; ) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => limits.admit(bucket, of)))
    if (allowed(answers) === 0) return admitted
    admitted += allowed(answers)
  }
}

function allowed(answers: readonly Admission[]): number {
  return answers.filter((answer) => answer.allowed).length
}
