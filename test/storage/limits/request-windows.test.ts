import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Redis } from 'ioredis'
import type {
  LeaseWindows,
  WindowAsk,
  WindowGrant,
} from '../../../src/domain/accounts/request-windows.ts'
import { localWindows } from '../../../src/storage/limits/local-windows.ts'
import { postgresWindows, pruneWindows } from '../../../src/storage/limits/postgres-windows.ts'
import { redisWindows } from '../../../src/storage/limits/redis-windows.ts'
import { requestWindows } from '../../../src/storage/limits/request-windows.ts'
import { connect } from '../../../src/storage/postgres/db.ts'
import type { Pruned } from '../../../src/storage/postgres/retention.ts'
import { connectRedis } from '../../../src/storage/redis/connection.ts'
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts'
import { earlyInAMinute } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

type Store = {
  readonly lease: LeaseWindows
  /** Makes the bucket's last request a minute, or a day, older. */
  age(bucket: string, window: 'minute' | 'day'): unknown
  lose(bucket: string): unknown
}

const { database, redis: server } = useWorld({ service: 'none', redis: hasRedis })
const shared = hasRedis ? (['postgres', 'redis'] as const) : (['postgres'] as const)
const stores = {} as Record<'postgres' | 'redis' | 'local', Store>
let redis: Redis

beforeAll(async () => {
  const { sql } = database
  stores.postgres = {
    lease: postgresWindows(sql),
    age: (bucket, window) => sql`
      update request_windows set ${sql(window)} = ${sql(window)} - 1 where bucket = ${bucket}`,
    lose: (bucket) => sql`delete from request_windows where bucket = ${bucket}`,
  }
  let nowMs = Date.now()
  stores.local = {
    lease: localWindows({ processes: () => 1, nowMs: () => nowMs }),
    age(_, window) {
      nowMs += window === 'minute' ? 60_000 : 86_400_000
    },
    lose() {},
  }
  if (!hasRedis) return
  redis = patient(await connected(server))
  stores.redis = {
    lease: redisWindows(redis),
    age: (bucket, window) => redis.hincrby(`requests:${bucket}`, window, -1),
    lose: (bucket) => redis.del(`requests:${bucket}`),
  }
})

afterAll(() => redis?.disconnect())

beforeEach(() => earlyInAMinute())

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

function ask(about: Partial<WindowAsk> = {}): WindowAsk {
  const bucket = `key:${Bun.randomUUIDv7()}`
  const limits = { perMinute: 100, perDay: 1_000 }
  return { bucket, ...limits, want: 1, spare: 0, unused: 0, known: null, ...about }
}

/** An ask of one bucket, which may name the grant before it; or something that happens to it. */
type Step =
  | Partial<WindowAsk>
  | ((last: WindowGrant) => Partial<WindowAsk>)
  | 'a minute passes'
  | 'a day passes'
  | 'its counts are lost'

/** What the asks among these steps, all of one bucket, are granted. */
async function granted(store: Store, steps: readonly Step[]): Promise<WindowGrant[]> {
  const { bucket } = ask()
  const grants: WindowGrant[] = []
  for (const step of steps) {
    if (step === 'a minute passes') await store.age(bucket, 'minute')
    else if (step === 'a day passes') await store.age(bucket, 'day')
    else if (step === 'its counts are lost') await store.lose(bucket)
    else {
      const about = typeof step === 'function' ? step(grants.at(-1) as WindowGrant) : step
      grants.push(...(await store.lease([ask({ bucket, ...about })])))
    }
  }
  return grants
}

type Case = [string, Step[], Partial<WindowGrant>[]]

describe.each([...shared, 'local' as const])('in %s', (name) => {
  test.each<Case>([
    [
      'no more than the minute holds is granted, then nothing',
      [{ want: 90 }, { want: 20 }, {}],
      [{ granted: 90 }, { granted: 10, minuteUsed: 100 }, { granted: 0, minuteUsed: 100 }],
    ],
    [
      'no more than the day holds is granted, in a new minute too',
      [
        { want: 90, perDay: 95 },
        'a minute passes',
        { want: 20, perDay: 95 },
        'a day passes',
        { want: 20, perDay: 95 },
      ],
      [{}, { granted: 5, minuteUsed: 5, dayUsed: 95 }, { granted: 20, dayUsed: 20 }],
    ],
    [
      'a bucket without a daily limit has none',
      [{ want: 5_000, perMinute: 5_000, perDay: null }],
      [{ granted: 5_000 }],
    ],
    [
      'a limit that was lowered below what is used grants nothing',
      [{ want: 90 }, { perMinute: 10 }],
      [{}, { granted: 0, minuteUsed: 90 }],
    ],
  ])('%s', async (_, steps, expected) => {
    expect(await granted(stores[name], steps)).toMatchObject(expected)
  })

  test('an answer holds both windows, the clock that counts and what was granted', async () => {
    const [grant] = await stores[name].lease([ask({ want: 3 })])
    const { nowMs } = grant as WindowGrant
    expect(grant).toEqual({
      source: name,
      minute: Math.floor(nowMs / 60_000),
      minuteUsed: 3,
      day: Math.floor(nowMs / 86_400_000),
      dayUsed: 3,
      granted: 3,
      nowMs,
    })
  })
})

describe.each(shared)('in %s, which processes share,', (name) => {
  const elsewhere = { source: 'elsewhere' }

  test.each<Case>([
    [
      'spare requests are at most an eighth of what remains',
      [60, 24, 9, 1].map((want) => ({ want, spare: 50 })),
      // 100: 60 + 40/8; 35: 24 + 11/8; 10: 9 + 1/8; 1: 1 + 0.
      [65, 25, 9, 1].map((granted) => ({ granted })),
    ],
    [
      'what was not used returns to both windows',
      [{ want: 90 }, (known) => ({ want: 0, unused: 30, known })],
      [{}, { granted: 0, minuteUsed: 60, dayUsed: 60 }],
    ],
    [
      'what was not used in an older minute returns to the day only',
      [
        { want: 90 },
        (last) => ({ want: 0, unused: 30, known: { ...last, minute: last.minute - 1 } }),
      ],
      [{}, { minuteUsed: 90, dayUsed: 60 }],
    ],
    [
      'what another store granted is never taken back',
      [{ want: 90 }, (last) => ({ want: 0, unused: 30, known: { ...last, ...elsewhere } })],
      [{}, { minuteUsed: 90, dayUsed: 90 }],
    ],
    [
      'counts that were lost start from what the asker remembers',
      [{ want: 90 }, 'its counts are lost', (known) => ({ want: 20, known })],
      [{}, { granted: 10, dayUsed: 100 }],
    ],
    [
      'what another store has counted meanwhile is not forgotten',
      [
        { want: 10 },
        (last) => ({
          want: 20,
          known: { ...last, ...elsewhere, minuteUsed: 95, dayUsed: 995 },
        }),
      ],
      [{}, { granted: 5, minuteUsed: 100, dayUsed: 1_000 }],
    ],
  ])('%s', async (_, steps, expected) => {
    expect(await granted(stores[name], steps)).toMatchObject(expected)
  })

  test('many askers naming the same buckets in any order neither fail nor pass a limit', async () => {
    const buckets = Array.from({ length: 20 }, () => ask().bucket)
    const rounds = Array.from({ length: 30 }, (_, round) =>
      stores[name].lease(
        (round % 2 ? buckets : buckets.toReversed()).map((bucket) => ask({ bucket, want: 7 })),
      ),
    )
    const grants = (await Promise.all(rounds)).flat()
    expect(grants.reduce((sum, grant) => sum + grant.granted, 0)).toBe(20 * 100)
  })
})

describe('a process that counts alone', () => {
  test.each([
    [2, 50, 500],
    [3, 33, 333],
    [1_000, 1, 1],
  ])('beside %i processes admits its share', async (processes, minuteShare, dayShare) => {
    let nowMs = 0
    const lease = localWindows({ processes: () => processes, nowMs: () => nowMs })
    const { bucket } = ask()
    const grants = await lease([ask({ bucket, want: 200 })])
    expect(grants).toMatchObject([{ granted: minuteShare, minuteUsed: 100 }])
    let inAll = minuteShare
    for (; nowMs < 80_000_000; nowMs += 60_000)
      inAll += (await lease([ask({ bucket, want: 200 })]))[0]?.granted ?? 0
    expect(inAll).toBe(dayShare)
  })
})

describe.skipIf(!hasRedis)('the stores of requests, Redis first,', () => {
  /** Windows over this Redis and PostgreSQL, by a clock of their own. */
  function windowsOn(connection: Redis, sql = database.sql) {
    let nowMs = 0
    const faults: string[] = []
    const lease = requestWindows({
      stores: [
        { name: 'Redis', lease: redisWindows(connection) },
        { name: 'PostgreSQL', lease: postgresWindows(sql) },
      ],
      local: localWindows({ processes: () => 2, nowMs: Date.now }),
      steadyMs: () => nowMs,
      onFault: (store) => faults.push(store),
    })
    return {
      faults,
      one: async (about: Partial<WindowAsk>) => (await lease([ask(about)]))[0] as WindowGrant,
      pass(ms: number) {
        nowMs += ms
      },
    }
  }

  test('go on from the same counts where one is gone, which is left alone for 2 s', async () => {
    const own = await startRedis()
    const gone = patient(await connected(own))
    const { one, pass, faults } = windowsOn(gone)
    const { bucket } = ask()
    const known = await one({ bucket, want: 90 })
    expect(known).toMatchObject({ source: 'redis', granted: 90 })
    await own.stop()
    const rest = await one({ bucket, want: 20, known })
    expect(rest).toMatchObject({ source: 'postgres', granted: 10 })
    await one({})
    expect(faults).toEqual(['Redis'])
    pass(2_000)
    await one({})
    expect(faults).toEqual(['Redis', 'Redis'])
    gone.disconnect()
  })

  test('are waited for less than half a second where one hangs, and returned to', async () => {
    const own = await startRedis()
    const hanging = await connected(own)
    const { one, pass } = windowsOn(hanging)
    const { bucket } = ask()
    const known = await one({ bucket, want: 50 })
    process.kill(own.pid, 'SIGSTOP')
    const askedAtMs = performance.now()
    const meanwhile = await one({ bucket, want: 30, known })
    // Takes 0.3 s on an idle machine.
    expect(performance.now() - askedAtMs).toBeLessThan(3_000)
    expect(meanwhile).toMatchObject({ source: 'postgres', granted: 30, minuteUsed: 80 })
    process.kill(own.pid, 'SIGCONT')
    patient(hanging)
    pass(2_000)
    const back = await one({ bucket, want: 30, known: meanwhile })
    expect(back).toMatchObject({ source: 'redis', granted: 20, minuteUsed: 100 })
    hanging.disconnect()
    await own.stop()
  })

  test('leave each process to its share where both are gone, which counts in neither later', async () => {
    const own = await startRedis()
    const gone = patient(await connected(own))
    const none = connect('postgres://127.0.0.1:1/none', { max: 1, name: 'gone' })
    const { one, pass, faults } = windowsOn(gone, none)
    const { bucket } = ask()
    const known = await one({ bucket, want: 10 })
    const ended = new Promise((resolve) => gone.once('end', resolve))
    gone.disconnect()
    await ended
    const alone = await one({ bucket, want: 80, known })
    expect(alone).toMatchObject({ source: 'local', granted: 50, minuteUsed: 100 })
    expect(await one({ bucket, known: alone })).toMatchObject({ source: 'local', granted: 0 })
    expect(faults).toEqual(['Redis', 'PostgreSQL'])
    await gone.connect()
    pass(2_000)
    const back = await one({ bucket, want: 80, known: alone })
    expect(back).toMatchObject({ source: 'redis', granted: 80, minuteUsed: 90 })
    gone.disconnect()
    await own.stop()
    await none.end({ timeout: 0 })
  })

  test('of which Redis is one forget an address after its minute', async () => {
    const { bucket } = ask()
    await stores.redis.lease([ask({ bucket, perDay: null })])
    expect(await redis.ttl(`requests:${bucket}`)).toBeWithin(1, 121)
  })
})

describe('buckets that nobody uses', () => {
  test('addresses of ten minutes ago, keys of theirs tried in vain included, and keys of yesterday are forgotten, the rest stays', async () => {
    const { sql } = database
    const { lease, age } = stores.postgres
    const old = ['guess:old', 'ip:old', 'key:yesterday', 'pay:old']
    const kept = ['guess:new', 'ip:new', 'key:guess:today', 'key:today', 'pay:new']
    for (const bucket of [...old, ...kept]) await lease([ask({ bucket })])
    await sql`
      update request_windows set minute = minute - 11 where bucket in ('guess:old', 'ip:old', 'key:guess:today', 'key:today', 'pay:old')`
    await age('key:yesterday', 'day')
    await pruneAll(1_000)
    const left = await sql`
      select bucket from request_windows where bucket in ${sql([...old, ...kept])} order by 1`
    expect(left.map((row) => row.bucket)).toEqual(kept)
  })

  test('of any number are forgotten in pieces, each of which goes on where the last one ended', async () => {
    await pruneAll(1_000)
    const buckets = Array.from({ length: 25 }, (_, n) => `guess:${String(n).padStart(2, '0')}`)
    await stores.postgres.lease(buckets.map((bucket) => ask({ bucket })))
    await database.sql`update request_windows set minute = minute - 11 where bucket like 'guess:%'`
    const pieces = await pruneAll(10)
    expect(Math.max(...pieces)).toBeLessThanOrEqual(10)
    expect(pieces.reduce((sum, removed) => sum + removed, 0)).toBeGreaterThanOrEqual(25)
    const [left] = await database.sql`
      select count(*)::integer as n from request_windows where bucket = any(${buckets})`
    expect(left?.n).toBe(0)
  })

  /** Prunes all windows. Answers how many each statement removed. */
  async function pruneAll(limit: number): Promise<number[]> {
    const removed: number[] = []
    let pruned: Pruned = { removed: 0, place: null, isDone: false }
    while (!pruned.isDone) {
      pruned = await pruneWindows(database.sql, { after: pruned.place, limit })
      removed.push(pruned.removed)
    }
    expect(pruned.place).toBeNull()
    return removed
  }
})
