import { Redis } from 'ioredis'
import type { LeaseWindows, WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'
import { type Sql, within } from '../postgres/db.ts'
import { insistOnDatabase, type RedisPlace } from './redis-place.ts'
import { noLimit } from './request-windows.ts'
import type { Mirror } from './request-windows-mirror.ts'

const source = 'redis'
const commandTimeoutMs = 300
const silenceMs = 3_000
const restMs = 2_000
/**
 * Time for the others to hear that they have to leave, and to write down what they have counted.
 */
const courtesyMs = 100
const tellLimitMs = 1_000
const mostCaughtUp = 100_000
const channel = 'quittance_redis'

/**
 * A connection that puts the prefix before every key. Its commands fail at once, or within 300 ms,
 * when Redis does not answer. It is replaced after 3 s of silence, and keeps reconnecting;
 * `onFault` gets the reasons.
 */
export function connectRedis(
  { url, prefix }: RedisPlace,
  onFault: (error: unknown) => void,
): Redis {
  const redis = new Redis(url, {
    keyPrefix: `${prefix}:`,
    commandTimeout: commandTimeoutMs,
    socketTimeout: silenceMs,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 200,
    enableOfflineQueue: false,
    // A lease sent again after a reconnect could be counted, or given back, twice.
    autoResendUnfulfilledCommands: false,
    reconnectOnError: isReadOnly,
  })
  return insistOnDatabase(redis.on('error', onFault))
}

/**
 * Whether the error means that the Redis has become a replica: it keeps its clients, while another
 * one accepts writes under its name.
 */
export function isReadOnly(error: Error): boolean {
  return error.message.includes('READONLY')
}

/**
 * Request counters in Redis, by its clock: one script call for any number of buckets. Buckets
 * without a count for today, because this is their first request or because Redis lost its data,
 * continue from what `mirror` knows: two more calls, once a day.
 */
export function redisWindows(redis: Redis, mirror: Mirror): LeaseWindows {
  async function count(asks: readonly WindowAsk[], recalled: boolean): Promise<number[][]> {
    const keys = asks.map((ask) => `requests:${ask.bucket}`)
    const told = JSON.stringify(asks.map((ask) => toArgument(ask, recalled)))
    return (await redis.eval(script, keys.length, ...keys, told)) as number[][]
  }

  return async function lease(asks) {
    const rows = await count(asks, false)
    const unknown = asks.filter((_, at) => rows[at]?.length === 0)
    const known = unknown.length > 0 ? await count(await mirror.recall(unknown), true) : []
    const grants = rows.map((row) => toGrant(row.length > 0 ? row : (known.shift() ?? [])))
    mirror.note(asks, grants)
    return grants
  }
}

/** How the processes of a deployment leave Redis together. */
export type Company = Pick<Mirror, 'write' | 'recall'> & {
  /** Tells every process, this one too, that it has to leave. Never rejects. */
  tell(): Promise<unknown>
  /** Calls `leave` whenever a process has told. */
  hear(leave: () => void): void
}

/**
 * Asks `first`, and `second` whenever that fails; after a failure `first` is not asked for 2 s, by
 * no process of `company`: two that counted in different stores would each admit the whole limit.
 * Whoever hears that it has to leave writes down what it has counted, and whoever told waits for
 * that before it asks `second`. Back at `first`, each bucket continues from what `second` counted.
 *
 * `onFault` gets why `first` failed.
 *
 * Asks carry the counts the process knows, so counting continues instead of restarting at zero.
 */
export function firstThat(
  first: LeaseWindows,
  second: LeaseWindows,
  steadyMs: () => number,
  onFault: (error: unknown) => void,
  company: Company,
): LeaseWindows {
  const underWay = new Set<Promise<unknown>>()
  /** The buckets asked for since the last rest; null before the first. */
  let caughtUp: Set<string> | null = null
  let restUntilMs = Number.NEGATIVE_INFINITY

  company.hear(async () => {
    rest()
    await Promise.allSettled(underWay)
    await company.write()
  })

  function rest(): void {
    restUntilMs = steadyMs() + restMs
    caughtUp = new Set()
  }

  async function askFirst(asks: readonly WindowAsk[]): Promise<readonly WindowGrant[]> {
    const asked = withRecalled(asks).then(first)
    underWay.add(asked)
    try {
      return await asked
    } finally {
      underWay.delete(asked)
    }
  }

  async function withRecalled(asks: readonly WindowAsk[]): Promise<readonly WindowAsk[]> {
    if (caughtUp === null) return asks
    if (caughtUp.size > mostCaughtUp) caughtUp = new Set()
    const known = caughtUp
    const behind = asks.filter(({ bucket }) => !known.has(bucket))
    if (behind.length === 0) return asks
    const recalled = new Map((await company.recall(behind)).map((ask) => [ask.bucket, ask]))
    for (const { bucket } of behind) known.add(bucket)
    return asks.map((ask) => recalled.get(ask.bucket) ?? ask)
  }

  return async function lease(asks) {
    if (steadyMs() < restUntilMs) return second(asks)
    try {
      return await askFirst(asks)
    } catch (error) {
      rest()
      onFault(error)
      await company.tell()
      await Bun.sleep(courtesyMs)
      // `first` may have taken back the unused requests before it failed: giving them back twice
      // would admit too many.
      return second(asks.map((ask) => ({ ...ask, unused: 0 })))
    }
  }
}

/** The processes on one database, which hear each other through it. */
export function companyOn(sql: Sql, mirror: Mirror, onFault: (error: unknown) => void): Company {
  return {
    write: mirror.write,
    recall: mirror.recall,
    tell: () => within(() => sql`select pg_notify(${channel}, '')`, tellLimitMs).catch(onFault),
    hear: (leave) => void sql.listen(channel, leave).catch(onFault),
  }
}

function toArgument({ known, perDay, unused, bucket: _, ...rest }: WindowAsk, recalled: boolean) {
  const own = known?.source === source
  const sure = recalled || perDay === null
  return { ...rest, perDay: perDay ?? noLimit, sure, own, unused: own ? unused : 0, ...known }
}

function toGrant(row: number[]): WindowGrant {
  const [minute = 0, minuteUsed = 0, day = 0, dayUsed = 0, granted = 0, nowMs = 0] = row
  return { source, minute, minuteUsed, day, dayUsed, granted, nowMs }
}

// The same arithmetic as `counted` in request-windows.ts; one test suite holds both to it.
const script = `
local time = redis.call('TIME')
local seconds = tonumber(time[1])
local now_ms = seconds * 1000 + math.floor(tonumber(time[2]) / 1000)
local minute, day = math.floor(seconds / 60), math.floor(seconds / 86400)

local function before(live, used, own, known, known_used, unused)
  if not live then used = 0 end
  if known and not (live and own) then used = math.max(used, known_used) end
  if known then used = used - unused end
  return math.max(0, used)
end

local grants = {}
for i, ask in ipairs(cjson.decode(ARGV[1])) do
  local row = redis.call('HMGET', KEYS[i], 'minute', 'minute_used', 'day', 'day_used')
  if tonumber(row[3]) ~= day and not ask.sure then
    grants[i] = {}
  else
    local minute_used = before(tonumber(row[1]) == minute, tonumber(row[2]), ask.own, ask.minute == minute, ask.minuteUsed, ask.unused)
    local day_used = before(tonumber(row[3]) == day, tonumber(row[4]), ask.own, ask.day == day, ask.dayUsed, ask.unused)
    local room = math.max(0, math.min(ask.perMinute - minute_used, ask.perDay - day_used))
    local spare = math.max(0, math.min(ask.spare, math.floor((room - ask.want) / 8)))
    local granted = math.min(room, ask.want + spare)
    minute_used, day_used = minute_used + granted, day_used + granted
    redis.call('HSET', KEYS[i], 'minute', minute, 'minute_used', minute_used, 'day', day, 'day_used', day_used)
    redis.call('EXPIREAT', KEYS[i], ask.perDay == ${noLimit} and (minute + 2) * 60 or (day + 1) * 86400 + 60)
    grants[i] = { minute, minute_used, day, day_used, granted, now_ms }
  end
end
return grants
`
