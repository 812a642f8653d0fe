import { Redis } from 'ioredis'
import { type Sql, statement } from '../postgres/db.ts'

/** A Redis, and what the names of our keys there begin with, followed by a colon. */
export type RedisNamespace = { readonly url: string; readonly prefix: string }

/**
 * The namespace in Redis of this database alone, on whatever server other databases are. A standby
 * that is promoted keeps it. A dump that is restored gets another one: a copy may run beside the
 * original.
 */
export async function redisNamespace(url: string, sql: Sql): Promise<RedisNamespace> {
  const [row] = await statement<[{ prefix: string }]>(sql)`
    select concat_ws('-', 'quittance', system_identifier, oid) as prefix
    from pg_control_system(), pg_database where datname = current_database()`
  return { url, prefix: row.prefix }
}

/**
 * A connection for request counts, which puts the prefix before every key. Its commands fail at
 * once, or within 300 ms, when Redis does not answer. It is replaced after 3 s of silence and keeps
 * reconnecting; `onFault` gets the reasons.
 */
export function connectRedis(
  { url, prefix }: RedisNamespace,
  onFault: (error: unknown) => void,
): Redis {
  const redis = new Redis(url, {
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
  })
  return requireDatabase(redis.on('error', onFault))
}

/**
 * Whether the error means that the Redis has become a replica: it keeps its clients, while another
 * one accepts writes under its name.
 */
export function isReadOnly(error: Error): boolean {
  return error.message.includes('READONLY')
}

/**
 * Closes the connection whenever Redis refuses the database in its URL, so that it is tried again:
 * ioredis would go on with database 0, which may be another deployment's.
 */
export function requireDatabase<Client extends Redis>(client: Client): Client {
  return client.on('error', (error) => {
    if (isDatabaseRefused(error)) client.disconnect(true)
  })
}

/** Whether the error is Redis refusing a database: there are fewer, or the user may not use it. */
export function isDatabaseRefused(error: Error): boolean {
  return (error as Error & { command?: { name: string } }).command?.name === 'select'
}
