import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Redis } from 'ioredis'
import type { LeaseWindows, WindowAsk } from '../../../src/domain/accounts/request-windows.ts'
import { createLimits } from '../../../src/http/admission/limits.ts'
import { postgresWindows, pruneWindows } from '../../../src/storage/limits/request-windows.ts'
import { createMirror } from '../../../src/storage/limits/request-windows-mirror.ts'
import {
  type Company,
  companyOn,
  connectRedis,
  firstThat,
  redisWindows,
} from '../../../src/storage/limits/request-windows-redis.ts'
import { connect } from '../../../src/storage/postgres/db.ts'
import type { Pruned } from '../../../src/storage/postgres/retention.ts'
import { type TestDatabase, testDatabase } from '../../support/postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts'
import { startTcpRelay } from '../../support/tcp-relay.ts'
import { earlyInAMinute } from '../../support/wait.ts'

type Store = {
  lease: LeaseWindows
  /** Makes the bucket's last request a minute, or a day, older. */
  age(bucket: string, window: 'minute' | 'day'): Promise<unknown>
  lose(bucket: string): Promise<unknown>
}

let db: TestDatabase
let server: TestRedis
let redis: Redis
const names = hasRedis ? (['PostgreSQL', 'Redis'] as const) : (['PostgreSQL'] as const)
const stores: Partial<Record<'PostgreSQL' | 'Redis', Store>> = {}

beforeAll(async () => {
  db = await testDatabase()
  stores.PostgreSQL = {
    lease: postgresWindows(db.sql),
    age: (bucket, window) => db.sql`
      update request_windows set ${db.sql(window)} = ${db.sql(window)} - 1 where bucket = ${bucket}`,
    lose: (bucket) => db.sql`delete from request_windows where bucket = ${bucket}`,
  }
  if (!hasRedis) return
  server = await startRedis()
  redis = patient(await connected(server))
  stores.Redis = {
    lease: redisWindows(redis, mirror()),
    age: (bucket, window) => redis.hincrby(`requests:${bucket}`, window, -1),
    lose: (bucket) => redis.del(`requests:${bucket}`),
  }
})

afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
  await db.drop()
})

/** The mirror, in PostgreSQL, of what one process counts in Redis. */
function mirror(store = stores.PostgreSQL!.lease, faults: unknown[] = []) {
  return createMirror(store, (fault) => faults.push(fault))
}

/** A process that has no others beside it. */
const alone: Company = {
  write: async () => {},
  recall: async (asks) => asks,
  tell: async () => {},
  hear() {},
}

async function connected({ url }: TestRedis): Promise<Redis> {
  const made = connectRedis({ url, prefix: 'test' }, () => {})
  await new Promise((resolve) => made.once('ready', resolve))
  return made
}

/** Raises the command timeout, so tests pass on a slow machine. The timeout has its own test. */
function patient(connection: Redis): Redis {
  connection.options.commandTimeout = 10_000
  return connection
}

beforeEach(() => earlyInAMinute())

function ask(about: Partial<WindowAsk> = {}): WindowAsk {
  const bucket = about.bucket ?? `key:${Bun.randomUUIDv7()}`
  return {
    bucket,
    perMinute: 100,
    perDay: 1_000,
    want: 1,
    spare: 0,
    unused: 0,
    known: null,
    ...about,
  }
}

describe.each(names)('%s', (name) => {
  async function lease(one: WindowAsk) {
    const [grant] = await stores[name]!.lease([one])
    return grant!
  }

  test('an answer holds both windows, the store’s clock and what was granted', async () => {
    const grant = await lease(ask({ want: 3 }))
    expect(grant).toEqual({
      source: name.toLowerCase().replace('postgresql', 'postgres'),
      minute: Math.floor(grant.nowMs / 60_000),
      minuteUsed: 3,
      day: Math.floor(grant.nowMs / 86_400_000),
      dayUsed: 3,
      granted: 3,
      nowMs: expect.any(Number),
    })
    expect(Math.abs(grant.nowMs - Date.now())).toBeLessThan(20_000)
  })

  test('no more than the minute holds is granted, then nothing', async () => {
    const { bucket } = await once(ask({ want: 90 }))
    expect(await lease(ask({ bucket, want: 20 }))).toMatchObject({ granted: 10, minuteUsed: 100 })
    expect(await lease(ask({ bucket, want: 1 }))).toMatchObject({ granted: 0, minuteUsed: 100 })
  })

  test('no more than the day holds is granted, in a new minute too', async () => {
    const { bucket } = await once(ask({ want: 90, perDay: 95 }))
    await stores[name]!.age(bucket, 'minute')
    expect(await lease(ask({ bucket, want: 20, perDay: 95 }))).toMatchObject({
      granted: 5,
      minuteUsed: 5,
      dayUsed: 95,
    })
    await stores[name]!.age(bucket, 'day')
    expect(await lease(ask({ bucket, want: 20, perDay: 95 }))).toMatchObject({
      granted: 20,
      dayUsed: 20,
    })
  })

  test('a bucket without a daily limit has none', async () => {
    expect(await lease(ask({ want: 5_000, perMinute: 5_000, perDay: null }))).toMatchObject({
      granted: 5_000,
    })
  })

  test('a limit that was lowered below what is used grants nothing', async () => {
    const { bucket } = await once(ask({ want: 90 }))
    expect(await lease(ask({ bucket, perMinute: 10, spare: 5 }))).toMatchObject({
      granted: 0,
      minuteUsed: 90,
    })
  })

  test('spare requests are at most an eighth of what remains', async () => {
    const bucket = ask().bucket
    const grants = [] as number[]
    for (const want of [60, 24, 9, 1])
      grants.push((await lease(ask({ bucket, want, spare: 50 }))).granted)
    // 100: 60 + 40/8; 35: 24 + 11/8; 10: 9 + 1/8; 1: 1 + 0.
    expect(grants).toEqual([65, 25, 9, 1])
  })

  test('what was not used returns to both windows', async () => {
    const first = await once(ask({ want: 90 }))
    const back = await lease(ask({ bucket: first.bucket, want: 0, unused: 30, known: first.grant }))
    expect(back).toMatchObject({ granted: 0, minuteUsed: 60, dayUsed: 60 })
  })

  test('what was not used in an older minute returns to the day only', async () => {
    const { bucket, grant } = await once(ask({ want: 90 }))
    const known = { ...grant, minute: grant.minute - 1 }
    expect(await lease(ask({ bucket, want: 0, unused: 30, known }))).toMatchObject({
      minuteUsed: 90,
      dayUsed: 60,
    })
  })

  test('what another store granted is never taken back', async () => {
    const { bucket, grant } = await once(ask({ want: 90 }))
    const known = { ...grant, source: 'another' }
    expect(await lease(ask({ bucket, want: 0, unused: 30, known }))).toMatchObject({
      minuteUsed: 90,
      dayUsed: 90,
    })
  })

  test('counts that were lost start from what the asker remembers, not from zero', async () => {
    const { bucket, grant } = await once(ask({ want: 90 }))
    await stores[name]!.lose(bucket)
    expect(await lease(ask({ bucket, want: 20, known: grant }))).toMatchObject({
      granted: 10,
      dayUsed: 100,
    })
  })

  test('what another store has counted meanwhile is not forgotten', async () => {
    const { bucket, grant } = await once(ask({ want: 10 }))
    const known = { ...grant, source: 'another', minuteUsed: 95, dayUsed: 995 }
    expect(await lease(ask({ bucket, want: 20, known }))).toMatchObject({
      granted: 5,
      minuteUsed: 100,
      dayUsed: 1_000,
    })
  })

  test('many askers naming the same buckets in any order neither fail nor pass a limit', async () => {
    const buckets = Array.from({ length: 20 }, () => ask().bucket)
    const rounds = Array.from({ length: 30 }, (_, round) =>
      stores[name]!.lease(
        (round % 2 ? buckets : buckets.toReversed()).map((bucket) => ask({ bucket, want: 7 })),
      ),
    )
    const granted = (await Promise.all(rounds))
      .flat()
      .reduce((sum, grant) => sum + grant.granted, 0)
    expect(granted).toBe(20 * 100)
  })

  async function once(one: WindowAsk) {
    return { bucket: one.bucket, grant: await lease(one) }
  }
})

describe('buckets that nobody uses', () => {
  test('addresses of ten minutes ago, keys of theirs tried in vain included, and keys of yesterday are forgotten, the rest stays', async () => {
    const { lease, age } = stores.PostgreSQL!
    const old = ['guess:old', 'ip:old', 'key:yesterday', 'pay:old']
    const kept = ['guess:new', 'ip:new', 'key:guess:today', 'key:today', 'pay:new']
    for (const bucket of [...old, ...kept]) await lease([ask({ bucket })])
    await db.sql`
      update request_windows set minute = minute - 11 where bucket in ('guess:old', 'ip:old', 'key:guess:today', 'key:today', 'pay:old')`
    await age('key:yesterday', 'day')
    await pruneAll(1_000)
    const left = await db.sql`
      select bucket from request_windows where bucket in ${db.sql([...old, ...kept])} order by 1`
    expect(left.map((row) => row.bucket)).toEqual(kept)
  })

  test('of any number are forgotten in pieces, each of which goes on where the last one ended', async () => {
    await pruneAll(1_000)
    const buckets = Array.from({ length: 25 }, (_, n) => `guess:${String(n).padStart(2, '0')}`)
    await stores.PostgreSQL!.lease(buckets.map((bucket) => ask({ bucket })))
    await db.sql`update request_windows set minute = minute - 11 where bucket like 'guess:%'`
    const pieces = await pruneAll(10)
    expect(Math.max(...pieces)).toBeLessThanOrEqual(10)
    expect(pieces.reduce((sum, removed) => sum + removed, 0)).toBeGreaterThanOrEqual(25)
    const [left] = await db.sql`
      select count(*)::integer as n from request_windows where bucket = any(${buckets})`
    expect(left?.n).toBe(0)
  })

  /** Prunes all windows. Answers how many each statement removed. */
  async function pruneAll(limit: number): Promise<number[]> {
    const removed: number[] = []
    let pruned: Pruned = { removed: 0, place: null, isDone: false }
    while (!pruned.isDone) {
      pruned = await pruneWindows(db.sql, { after: pruned.place, limit })
      removed.push(pruned.removed)
    }
    expect(pruned.place).toBeNull()
    return removed
  }

  test.skipIf(!hasRedis)('Redis forgets an address by itself after its minute', async () => {
    const { bucket } = ask()
    await stores.Redis!.lease([ask({ bucket, perDay: null })])
    expect(await redis.ttl(`requests:${bucket}`)).toBeWithin(1, 121)
  })
})

describe.skipIf(!hasRedis)('when Redis is gone', () => {
  test('PostgreSQL goes on from the same counts, and Redis is left alone for 2 s', async () => {
    const own = await startRedis()
    const gone = patient(await connected(own))
    let nowMs = 0
    let faults = 0
    const lease = firstThat(
      redisWindows(gone, mirror()),
      stores.PostgreSQL!.lease,
      () => nowMs,
      () => faults++,
      alone,
    )
    const { bucket } = ask()
    const [known] = await lease([ask({ bucket, want: 90 })])
    expect(known).toMatchObject({ source: 'redis', granted: 90 })
    await own.stop()
    const rest = await lease([ask({ bucket, want: 20, known: known! })])
    expect(rest).toMatchObject([{ source: 'postgres', granted: 10 }])
    await lease([ask({ bucket })])
    expect(faults).toBe(1)
    nowMs += 2_000
    await lease([ask({ bucket })])
    expect(faults).toBe(2)
    gone.disconnect()
  })

  test('hanging instead of refusing, nobody waits for it longer than half a second; once back, it goes on from the same counts', async () => {
    const own = await startRedis()
    const hanging = await connected(own)
    let nowMs = 0
    const lease = firstThat(
      redisWindows(hanging, mirror()),
      stores.PostgreSQL!.lease,
      () => nowMs,
      () => {},
      alone,
    )
    const { bucket } = ask()
    const [known] = await lease([ask({ bucket, want: 50 })])
    process.kill(own.pid, 'SIGSTOP')
    const askedAtMs = performance.now()
    const [meanwhile] = await lease([ask({ bucket, want: 30, known: known! })])
    // Takes 0.3 s on an idle machine.
    expect(performance.now() - askedAtMs).toBeLessThan(3_000)
    expect(meanwhile).toMatchObject({ source: 'postgres', granted: 30, minuteUsed: 80 })
    process.kill(own.pid, 'SIGCONT')
    patient(hanging)
    nowMs += 2_000
    const [back] = await lease([ask({ bucket, want: 30, known: meanwhile! })])
    expect(back).toMatchObject({ source: 'redis', granted: 20, minuteUsed: 100 })
    hanging.disconnect()
    await own.stop()
  })

  test('and PostgreSQL too, the answer is unavailable', async () => {
    const gone = connectRedis({ url: 'redis://127.0.0.1:1', prefix: 'test' }, () => {})
    const sql = connect('postgres://127.0.0.1:1/none', { max: 1, name: 'gone' })
    const lease = firstThat(
      redisWindows(gone, mirror()),
      postgresWindows(sql),
      () => 0,
      () => {},
      alone,
    )
    await expect(lease([ask()])).rejects.toMatchObject({ reason: 'unavailable' })
    gone.disconnect()
    await sql.end({ timeout: 0 })
  })
})

describe.skipIf(!hasRedis)('when one of two processes loses Redis', () => {
  const plan = { perMinute: 60, perDay: 1_000 }

  /**
   * A process with connections of its own; `relay` leads to Redis. When it has told the others to
   * leave, it waits for `others` too: a slow machine must not exceed the time they have.
   */
  async function process(others: () => Promise<void> = async () => {}) {
    const relay = await startTcpRelay(Number(new URL(server.url).port))
    const counting = await connected({ ...server, url: `redis://127.0.0.1:${relay.port}` })
    const sql = connect(db.url, { max: 2, name: 'test company' })
    const mirrored = mirror(postgresWindows(sql))
    const written = Promise.withResolvers<void>()
    const { write, tell, ...rest } = companyOn(sql, mirrored, written.reject)
    const company: Company = {
      ...rest,
      write: () => write().then(written.resolve),
      tell: () => tell().then(others),
    }
    const clock = () => performance.now() + passedMs
    let passedMs = 0
    const store = firstThat(
      redisWindows(counting, mirrored),
      postgresWindows(sql),
      clock,
      () => {},
      company,
    )
    const limits = createLimits({ store, clock })
    return {
      relay,
      written: () => written.promise,
      /** Sends so many requests, one after the other. Answers how many were admitted. */
      async admitted(bucket: string, requests: number) {
        let allowed = 0
        for (let n = 0; n < requests; n++) if ((await limits.admit(bucket, plan)).allowed) allowed++
        return allowed
      },
      pass(ms: number) {
        passedMs += ms
      },
      async stop() {
        await limits.close()
        counting.disconnect()
        relay.stop()
        await sql.end({ timeout: 1 })
      },
    }
  }

  test('both leave it, and together admit no more than the limit, nor after they return', async () => {
    const two = await process()
    const one = await process(two.written)
    const bucket = ask().bucket
    expect(await one.admitted(bucket, 5)).toBe(5)
    expect(await two.admitted(bucket, 30)).toBe(30)
    one.relay.stall()
    expect(await one.admitted(bucket, 10)).toBe(10)
    expect(await two.admitted(bucket, 10)).toBe(10)
    one.relay.heal()
    for (const { pass } of [one, two]) pass(2_000)
    expect(await two.admitted(bucket, 10)).toBe(5)
    expect(await one.admitted(bucket, 10)).toBe(0)
    for (const { stop } of [one, two]) await stop()
  })

  test('what the other has counted until it hears of it counts for both', async () => {
    const two = await process()
    const one = await process(two.written)
    const bucket = ask().bucket
    expect(await one.admitted(bucket, 1)).toBe(1)
    one.relay.stall()
    const counts = await Promise.all([one.admitted(bucket, 100), two.admitted(bucket, 100)])
    expect(counts[0] + counts[1]).toBe(59)
    for (const { stop } of [one, two]) await stop()
  })
})

describe.skipIf(!hasRedis)('when Redis has lost everything', () => {
  test('the day’s count of a key that paused goes on from where it was written last', async () => {
    const mirrored = mirror()
    const limits = createLimits({
      store: redisWindows(redis, mirrored),
      clock: () => performance.now() + passedMs,
    })
    let passedMs = 0
    const bucket = ask().bucket
    const admitted = async () => {
      const answers = Array.from({ length: 60 }, () =>
        limits.admit(bucket, { perMinute: 1_000, perDay: 50 }),
      )
      return (await Promise.all(answers)).filter(({ allowed }) => allowed).length
    }
    expect(await admitted()).toBe(50)
    await mirrored.write()
    // By now nothing is cached in memory.
    passedMs += 6_000
    await Bun.sleep(1_500)
    await redis.flushall()
    expect(await admitted()).toBe(0)
    await limits.close()
  })

  test('or is away, PostgreSQL counts on from there a key that nobody remembers', async () => {
    const mirrored = mirror()
    const { bucket } = ask()
    await redisWindows(redis, mirrored)([ask({ bucket, want: 60 })])
    await mirrored.write()
    const away = connectRedis({ url: 'redis://127.0.0.1:1', prefix: 'test' }, () => {})
    const lease = firstThat(
      redisWindows(away, mirror()),
      stores.PostgreSQL!.lease,
      () => 0,
      () => {},
      alone,
    )
    expect(await lease([ask({ bucket })])).toMatchObject([{ source: 'postgres', dayUsed: 61 }])
    away.disconnect()
  })

  test('a process that has seen little of a key goes on from what another one has written', async () => {
    const [one, two] = [mirror(), mirror()]
    const { bucket } = ask()
    const [known] = await redisWindows(redis, one)([ask({ bucket, want: 10 })])
    await redisWindows(redis, two)([ask({ bucket, want: 60 })])
    for (const mirrored of [one, two, one]) await mirrored.write()
    await redis.flushall()
    const grants = await redisWindows(
      redis,
      one,
    )([ask(), ask({ bucket, want: 5, unused: 3, known: known! }), ask({ perDay: null })])
    expect(grants.map(({ dayUsed }) => dayUsed)).toEqual([1, 75, 1])
  })

  test('and PostgreSQL too, requests are counted from what is remembered, and the fault is told', async () => {
    const sql = connect('postgres://127.0.0.1:1/none', { max: 1, name: 'gone' })
    const faults: unknown[] = []
    const mirrored = mirror(postgresWindows(sql), faults)
    const lease = redisWindows(redis, mirrored)
    const { bucket } = ask()
    const [known] = await lease([ask({ bucket, want: 10 })])
    await mirrored.write()
    await redis.flushall()
    expect(await lease([ask({ bucket, want: 5, known: known! })])).toMatchObject([{ dayUsed: 15 }])
    expect(faults).toMatchObject(Array(3).fill({ reason: 'unavailable' }))
    await sql.end({ timeout: 0 })
  })

  test('addresses are not written: they have no day’s count', async () => {
    const mirrored = mirror()
    const { bucket } = ask()
    await redisWindows(redis, mirrored)([ask({ bucket, perDay: null })])
    await mirrored.write()
    expect(await db.sql`select from request_windows where bucket = ${bucket}`).toHaveLength(0)
  })
})
