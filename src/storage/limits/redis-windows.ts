import type { Redis } from 'ioredis'
import type { LeaseWindows, WindowAsk, WindowGrant } from '../../domain/accounts/request-windows.ts'
import { noLimit } from './postgres-windows.ts'

const source = 'redis'

/** Request counters in Redis, by its clock: one script call for all buckets. */
export function redisWindows(redis: Redis): LeaseWindows {
  return async function lease(asks) {
    const keys = asks.map((ask) => `requests:${ask.bucket}`)
    const rows = await redis.eval(
      script,
      keys.length,
      ...keys,
      JSON.stringify(asks.map(toArgument)),
    )
    return (rows as number[][]).map(toGrant)
  }
}

function toArgument({ known, perDay, unused, bucket: _, ...rest }: WindowAsk) {
  const own = known?.source === source
  return { ...rest, perDay: perDay ?? noLimit, own, unused: own ? unused : 0, ...known }
}

function toGrant(row: number[]): WindowGrant {
  const [minute = 0, minuteUsed = 0, day = 0, dayUsed = 0, granted = 0, nowMs = 0] = row
  return { source, minute, minuteUsed, day, dayUsed, granted, nowMs }
}

// The same arithmetic as `counted` in postgres-windows.ts; one test suite holds both to it.
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
return grants
`
