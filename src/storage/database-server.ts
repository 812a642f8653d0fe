import { type Sql, within } from './db.ts'

/** The PostgreSQL server in use. */
export type Server = {
  readonly version: string
  /** The version as a number: 150004 is 15.4. */
  readonly versionNumber: number
  readonly fsync: 'on' | 'off'
  /** The server's own clock. */
  readonly nowMs: number
}

/** Reads the server's version, `fsync` setting and clock. */
export async function readServer(sql: Sql): Promise<Server> {
  const [server] = await within(
    () => sql<[Server]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::integer as "versionNumber",
        current_setting('fsync') as fsync, (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`,
  )
  return server
}
