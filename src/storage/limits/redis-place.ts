import type { Redis } from 'ioredis'
import { type Sql, within } from '../postgres/db.ts'

/** A Redis, and what the names of our keys there begin with, followed by a colon. */
export type RedisPlace = { readonly url: string; readonly prefix: string }

/**
 * A place in Redis for what belongs to this database alone, on whatever server other databases are.
 * A standby that is promoted keeps it. A dump that is restored gets another one: a copy may run
 * beside the original.
 */
export async function redisPlace(url: string, sql: Sql): Promise<RedisPlace> {
  const [row] = await within(
    () => sql<[{ prefix: string }]>`
      select concat_ws('-', 'quittance', system_identifier, oid) as prefix
      from pg_control_system(), pg_database where datname = current_database()`,
  )
  return { url, prefix: row.prefix }
}

/**
 * Closes the connection whenever Redis refuses the database in its URL, and so lets it be tried
 * again: ioredis only reports that, and would go on with database 0, which may be another
 * deployment's.
 */
export function insistOnDatabase<Client extends Redis>(client: Client): Client {
  return client.on('error', (error) => {
    if (isDatabaseRefused(error)) client.disconnect(true)
  })
}

/** Whether the error is Redis refusing a database: there are fewer, or the user may not use it. */
export function isDatabaseRefused(error: Error): boolean {
  return (error as Error & { command?: { name: string } }).command?.name === 'select'
}
