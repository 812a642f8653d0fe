import { type Sql, within } from './db.ts'

/** The PostgreSQL server that is spoken to. */
export type Server = {
  readonly version: string
  /** The same as a number: 150004 is 15.4. */
  readonly versionNumber: number
  readonly fsync: 'on' | 'off'
  /** By its own clock. */
  readonly nowMs: number
}

/** What the server says of itself. */
export async function readServer(sql: Sql): Promise<Server> {
  const [server] = await within(
    () => sql<[Server]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::integer as "versionNumber",
        current_setting('fsync') as fsync, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  )
  return server
}
