import { Redis } from 'ioredis'
import { type Sql, statement } from '../postgres/db.ts'
import { redisArguments } from './redis-url.ts'

/** `prefix` begins the names of our keys, followed by a colon. */
export type RedisNamespace = { readonly url: string; readonly prefix: string }

/**
 * The namespace of this database alone. A promoted standby keeps it; a restored dump gets another
 * one, because it may run beside the original.
 */
export async function redisNamespace(url: string, sql: Sql): Promise<RedisNamespace> {
  const [row] = await statement<[{ prefix: string }]>(sql)`
    select concat_ws('-', 'quittance', system_identifier, oid) as prefix
    from pg_control_system(), pg_database where datname = current_database()`
  return { url, prefix: row.prefix }
}

/**
 * A connection for request counts. Commands fail at once, or after 300 ms without an answer. It is
 * replaced after 3 s of silence and keeps reconnecting.
 */
export function connectRedis(
  { url, prefix }: RedisNamespace,
  onFault: (error: unknown) => void,
): Redis {
  const settings = {
    keyPrefix: `${prefix}:`,
    commandTimeout: 300,
    socketTimeout: 3_000,
    connectTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 200,
    enableOfflineQueue: false,
    // A lease sent again after a reconnect could be counted, or given back, twice.
    autoResendUnfulfilledCommands: false,
    reconnectOnError: isReadOnly,
  }
  const redis = new Redis(...redisArguments(url, settings))
  return requireDatabase(redis.on('error', onFault))
}

/** Redis has become a replica: it keeps its clients, but refuses writes. */
export function isReadOnly(error: Error): boolean {
  return error.message.includes('READONLY')
}

/**
 * Reconnects while Redis refuses the database in the URL. ioredis would continue with database 0,
 * which may be another deployment's.
 */
export function requireDatabase<Client extends Redis>(client: Client): Client {
  return disconnectOnce(client).on('error', (error) => {
    if (isDatabaseRefused(error)) client.disconnect(true)
  })
}

/**
 * ioredis disconnects once for each refused command of a pipeline, and adds a listener to the
 * socket each time.
 */
function disconnectOnce<Client extends Redis>(client: Client): Client {
  const disconnect = client.disconnect.bind(client)
  client.disconnect = (reconnect = false) => {
    if (!reconnect || !client.stream?.writableEnded) disconnect(reconnect)
  }
  return client
}

/** There are fewer databases, or the user may not use this one. */
export function isDatabaseRefused(error: Error): boolean {
  return (error as Error & { command?: { name: string } }).command?.name === 'select'
}
