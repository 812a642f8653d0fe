import type { RedisOptions } from 'ioredis'
import { splitServers } from '../server-list.ts'

/** The arguments of `new Redis`, whose types do not know that it merges any objects. */
type Arguments = [url: string, settings: RedisOptions & { replyMapping?: 'legacy' }]

const scheme = 'redis+sentinel:'
const sentinelPort = 26_379
/** A machine may be gone without a word. */
const sentinelPatienceMs = 1_000

/**
 * Reads `redis://…`, or `redis+sentinel://user:password@host:port,host:port/name/database`, which
 * names Sentinels and their master: connections follow it. User and password are those of Redis;
 * `sentinelUser` and `sentinelPassword` are parameters. `settings` take precedence. Throws an
 * `Error` for the operator, without secrets.
 */
export function redisArguments(url: string, settings: Arguments[1]): Arguments {
  const sentinel = readSentinelUrl(url)
  return sentinel ? ([settings, sentinel] as unknown as Arguments) : [url, settings]
}

/** Throws an `Error` for the operator, without secrets. */
export function checkRedisUrl(url: string): void {
  if (readSentinelUrl(url) === null && !/^(?:\/\d{0,9})?$/.test(new URL(url).pathname))
    throw new Error('it must name its database by number, as redis://host/1')
}

/** Null if the URL names no Sentinels. */
export function readSentinelUrl(url: string) {
  if (!url.startsWith(scheme)) return null
  const { url: first, servers } = splitServers(url)
  const { username, password, pathname, searchParams } = new URL(first)
  const [name = '', database = '0', ...more] = pathname.slice(1).split('/').map(decodeURIComponent)
  if (name === '' || more.length > 0 || !/^\d{1,9}$/.test(database))
    throw new Error('it must name its master, as redis+sentinel://host,host/name')
  return {
    sentinels: servers.map(({ host, port }) => ({ host, port: Number(port || sentinelPort) })),
    name,
    db: Number(database),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    sentinelUsername: searchParams.get('sentinelUser') ?? '',
    sentinelPassword: searchParams.get('sentinelPassword') ?? '',
    sentinelCommandTimeout: sentinelPatienceMs,
    connectTimeout: 2 * sentinelPatienceMs,
    // Leaves a frozen master as soon as another one is promoted.
    failoverDetector: true,
    sentinelMaxConnections: 2,
  } as const satisfies RedisOptions
}
